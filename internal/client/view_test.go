package client

import (
	"strings"
	"testing"

	"codememory"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestTheViewIsTheSameOverHTTP(t *testing.T) {
	c, s := connect(t)
	ctx, dir := t.Context(), t.TempDir()
	added, err := c.Add(ctx, codememory.AddRequest{Project: dir, Text: "Leases last thirty seconds", Entities: []codememory.Entity{{Name: "leases", Type: codememory.EntityConcept}}})
	if err != nil {
		t.Fatal(err)
	}
	made, err := c.Suppress(ctx, codememory.SuppressRequest{Project: dir, Memory: added.Memory.ID, Prompt: "why does a job run twice"})
	if err != nil || made.Memory != added.Memory.ID {
		t.Fatalf("%+v %v", made, err)
	}
	if _, err := c.PauseCapture(ctx, codememory.PauseRequest{Project: dir, Paused: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Context(ctx, codememory.ContextRequest{Project: dir, Goal: "how long do leases last"}); err != nil {
		t.Fatal(err)
	}
	for name, ask := range map[string]func(codememory.ViewService) (any, error){
		"graph": func(v codememory.ViewService) (any, error) {
			return v.Graph(ctx, codememory.GraphRequest{Project: dir})
		},
		"injections":   func(v codememory.ViewService) (any, error) { return v.Injections(ctx, 5) },
		"events":       func(v codememory.ViewService) (any, error) { return v.RecentEvents(ctx) },
		"suppressions": func(v codememory.ViewService) (any, error) { return v.Suppressions(ctx) },
		"capture":      func(v codememory.ViewService) (any, error) { return v.CaptureState(ctx) },
		"settings":     func(v codememory.ViewService) (any, error) { return v.Settings(ctx) },
		"turns": func(v codememory.ViewService) (any, error) {
			return v.SearchTurns(ctx, codememory.TurnQuery{Text: "leases", Project: dir})
		},
	} {
		near, err := ask(s)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		far, err := ask(c)
		if diff := cmp.Diff(near, far, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s differs over HTTP: %v\n%s", name, err, diff)
		}
	}
	for name, err := range map[string]error{
		"transcript": func() error { _, err := c.Transcript(ctx, codememory.TranscriptRequest{Session: "none"}); return err }(),
		"record":     func() error { _, err := c.SessionRecord(ctx, dir, "none"); return err }(),
	} {
		if codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := c.Unsuppress(ctx, made.ID); err != nil {
		t.Error(err)
	}
	if _, err := c.Dashboard(ctx); codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), "no web pages") {
		t.Errorf("a daemon without pages says %v", err)
	}
}
