package service_test

import (
	"testing"

	"codememory"
)

func TestWhatWaitsForReviewChangesNothing(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	ctx := t.Context()
	old := w.add(codememory.AddRequest{Project: dir, Text: "Deploy the gateway with make ship on port 8080"})
	waits := w.add(codememory.AddRequest{
		Project: dir, Text: "Deploy the gateway with make ship on port 9999", Quarantine: "a web page said it\nand more",
		Source: codememory.Source{Author: codememory.AuthorAgent}, Supersedes: []codememory.Supersession{{ID: old.Memory.ID}},
	})
	if waits.Event != codememory.Added || waits.Memory.State() != codememory.Quarantined || waits.Memory.Quarantine != "a web page said it and more" {
		t.Fatalf("%+v", waits)
	}
	ask := codememory.SearchRequest{Project: dir, Text: "deploy the gateway"}
	if got := w.texts(ask); len(got) != 1 || got[0] != old.Memory.Text {
		t.Errorf("found %q", got)
	}
	page, err := w.List(ctx, codememory.ListRequest{Project: dir})
	if err != nil || page.Total != 1 {
		t.Errorf("lists %d memories (%v)", page.Total, err)
	}
	again := w.add(codememory.AddRequest{Project: dir, Text: waits.Memory.Text, Source: codememory.Source{Author: codememory.AuthorAgent}})
	if again.Event != codememory.Unchanged || again.Memory.State() != codememory.Quarantined {
		t.Errorf("an agent that repeats it gets %s and leaves it %s", again.Event, again.Memory.State())
	}
	released := ""
	m, err := w.Edit(ctx, codememory.Ref{ID: waits.Memory.ID}, codememory.Edit{Quarantine: &released})
	if err != nil || m.State() != codememory.Active {
		t.Fatalf("%s %v", m.State(), err)
	}
	if got := w.texts(ask); len(got) != 1 || got[0] != waits.Memory.Text {
		t.Errorf("after the review found %q", got)
	}
}

func TestAUserWhoSaysWhatWaitsForReviewLetsItIn(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	text := "The staging database is reset on Sundays"
	w.add(codememory.AddRequest{Project: dir, Text: text, Quarantine: "a tool printed it", Source: codememory.Source{Author: codememory.AuthorExtractor}})
	res := w.add(codememory.AddRequest{Project: dir, Text: text})
	if res.Event != codememory.Updated || res.Memory.State() != codememory.Active {
		t.Errorf("%s, %s", res.Event, res.Memory.State())
	}
}
