package service_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codememory"
)

// said is a request as capture makes it from a turn.
func said(project, text, session, turn string, at time.Time) codememory.AddRequest {
	return codememory.AddRequest{
		Project: project, Text: text, CreatedAt: at,
		Source: codememory.Source{Agent: "opencode", Session: session, Turns: []string{turn}, Author: codememory.AuthorExtractor},
	}
}

func TestWhatIsSaidAgainElsewhereIsCorroborated(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	text := "Integration tests need docker compose up db first"
	first := w.add(said(dir, text, "s1", "t1", w.now))
	for _, again := range []struct {
		session, turn, text string
		want                int
	}{
		{"s1", "t1", text, 0}, // the same turn, read again
		{"s1", "t2", text, 1},
		{"s2", "t1", strings.ToUpper(text) + "!", 2},
		{"s2", "t1", text, 2},
		{"", "", text, 2}, // nobody in particular
	} {
		res := w.add(said(dir, again.text, again.session, again.turn, w.now))
		if res.Event != codememory.Unchanged || len(res.Memory.Seen) != again.want {
			t.Errorf("%s/%s: %s, seen %d times, want %d", again.session, again.turn, res.Event, len(res.Memory.Seen), again.want)
		}
		if !res.Memory.UpdatedAt.Equal(first.Memory.UpdatedAt) {
			t.Errorf("a confirmation changed the time of change")
		}
	}
}

func TestAnOlderStatementDoesNotReplaceANewerOne(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	old := w.now.Add(-240 * time.Hour)
	w.add(said(dir, "The API server listens on port 9090", "s2", "t1", w.now))
	res := w.add(said(dir, "The API server listens on port 8080", "s1", "t1", old))
	if res.Event != codememory.Unchanged || !strings.Contains(res.Memory.Text, "9090") {
		t.Errorf("%s: %s", res.Event, res.Memory.Text)
	}
	res = w.add(said(dir, "The API server listens on port 7070", "s3", "t1", w.now))
	if res.Event != codememory.Updated || !strings.Contains(res.Memory.Text, "7070") || len(res.Memory.Revisions) != 1 {
		t.Errorf("%s: %s, %d revisions", res.Event, res.Memory.Text, len(res.Memory.Revisions))
	}
}

func TestAMemorySaysWhatBecameOfTheFilesItCites(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	file := filepath.Join(dir, "internal", "Auth", "Token.go")
	write := func(text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("package auth\n")
	w.add(codememory.AddRequest{Project: dir, Text: "Refresh tokens are rotated in internal/Auth/Token.go because the gateway caches them"})
	w.add(codememory.AddRequest{Project: dir, Text: "The gateway caches refresh tokens for an hour and rotates them"})
	look := func() (codememory.FileState, int, string) {
		t.Helper()
		ans, err := w.Search(t.Context(), codememory.SearchRequest{Project: dir, Text: "how are refresh tokens rotated in the gateway"})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(ans.Hits, func(h codememory.Hit) bool { return len(h.Memory.Files) > 0 })
		if at < 0 {
			t.Fatalf("not found among %d", len(ans.Hits))
		}
		c, err := w.Context(t.Context(), codememory.ContextRequest{Project: dir, Goal: "how are refresh tokens rotated in the gateway", Parts: []codememory.Part{codememory.HUDPart}})
		if err != nil {
			t.Fatal(err)
		}
		return ans.Hits[at].Memory.Stale(), at, c.HUD
	}
	if state, _, hud := look(); state != "" || strings.Contains(hud, "file") && strings.Contains(hud, "since") {
		t.Errorf("a file as it was: %q\n%s", state, hud)
	}
	write("package auth\r\n")
	if state, _, _ := look(); state != "" {
		t.Errorf("other line ends: %q", state)
	}
	write("package auth // rewritten\n")
	if state, _, hud := look(); state != codememory.FileChanged || !strings.Contains(hud, "file changed since") {
		t.Errorf("a changed file: %q\n%s", state, hud)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if state, at, hud := look(); state != codememory.FileGone || !strings.Contains(hud, "file is gone") || at == 0 {
		t.Errorf("a file that is gone: %q at rank %d\n%s", state, at, hud)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	page, err := w.List(t.Context(), codememory.ListRequest{Project: dir})
	if err == nil && page.Total != 2 {
		t.Errorf("%d memories are left", page.Total)
	}
}

func TestNeighboursAreLinkedByWhatTheySay(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	base := w.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectConfig, Text: "The staging database is reset every night"})
	for _, tt := range []struct {
		text string
		want codememory.LinkType
	}{
		{"The staging database is never reset every night", codememory.Conflicts},
		{"The staging database is reset every night by the cron job in ops", codememory.Refines},
		{"Staging uses the same database engine as production", codememory.Contextualizes},
	} {
		res := w.add(codememory.AddRequest{Project: dir, Type: codememory.LearnedPattern, Text: tt.text})
		at := slices.IndexFunc(res.Memory.Links, func(l codememory.Link) bool { return l.To == base.Memory.ID })
		if at < 0 || res.Memory.Links[at].Type != tt.want {
			t.Errorf("%q: links %v, want %s", tt.text, res.Memory.Links, tt.want)
		}
		back, err := w.Get(t.Context(), codememory.Ref{ID: base.Memory.ID})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(back.Links, func(l codememory.Link) bool {
			return l.Inbound && l.To == res.Memory.ID && l.Type == tt.want
		}) {
			t.Errorf("%q is not seen from the other end: %v", tt.text, back.Links)
		}
	}
}
