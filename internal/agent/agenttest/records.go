package agenttest

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func broken(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	a.Break(s)
	exchange(a, s, "two", "second")
	got := strings.Join(outline(turnsOf(t, a, s)), "\n")
	for _, want := range []string{"prompt done: one -> first", "prompt done: two -> second"} {
		if !strings.Contains(got, want) {
			t.Errorf("after a broken record %q is missing in:\n%s", want, got)
		}
	}
	if changed, _, _ := changedSince(t, a, ""); len(changed) != 1 {
		t.Errorf("changed %q", changed)
	}
	if _, err := a.Transcripts().Sessions(t.Context(), codememory.SessionQuery{}); err != nil {
		t.Error(err)
	}
	line, err := a.Transcripts().Check(t.Context())
	if err != nil || line == "" || strings.Contains(line, "\n") {
		t.Errorf("check says %q, %v", line, err)
	}
}

// photo is what a file looks like from outside.
type photo struct {
	Sum     string
	ModTime time.Time
	Mode    os.FileMode
}

func photograph(t *testing.T, files []string) map[string]photo {
	t.Helper()
	photos := map[string]photo{}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		photos[filepath.Base(file)] = photo{fmt.Sprintf("%x", sha256.Sum256(b)), info.ModTime(), info.Mode()}
	}
	return photos
}

func readOnly(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	a.Prompt(s, "two")
	a.Tool(s, "bash", "ls", "x")
	files := a.Files()
	if len(files) == 0 {
		t.Fatal("the agent has no records")
	}
	before := photograph(t, files)
	r := a.Transcripts()
	_, err1 := r.Check(t.Context())
	_, err2 := r.Sessions(t.Context(), codememory.SessionQuery{Children: true})
	_, err3 := r.Session(t.Context(), s)
	_, err4 := r.Turns(t.Context(), s, 10)
	_, _, mark, err5 := r.Changed(t.Context(), "")
	_, _, _, err6 := r.Changed(t.Context(), mark)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	if len(r.Watched()) == 0 {
		t.Error("nothing to watch")
	}
	if diff := cmp.Diff(before, photograph(t, files)); diff != "" {
		t.Errorf("reading changed the records: %s", diff)
	}
}

func lists(t *testing.T, a Agent) {
	one := a.Session("/home/dev/app", "one")
	exchange(a, one, "question", "answer")
	a.Advance(pause)
	two := a.Session("/home/dev/app/sub", "two")
	exchange(a, two, "question", "answer")
	a.Advance(pause)
	three := a.Session("/home/dev/apple", "three")
	exchange(a, three, "question", "answer")
	a.Advance(pause)
	exchange(a, one, "another", "answer")

	list := func(q codememory.SessionQuery) (ids []string) {
		t.Helper()
		found, err := a.Transcripts().Sessions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found {
			ids = append(ids, s.ID)
			if s.Agent != a.Transcripts().Agent() || s.Messages == 0 || s.CreatedAt.IsZero() || s.ActiveAt.Before(s.CreatedAt) {
				t.Errorf("session %+v", s)
			}
		}
		return ids
	}
	third, err := a.Transcripts().Session(t.Context(), three)
	if err != nil || third.Dir != "/home/dev/apple" {
		t.Fatalf("session %+v, %v", third, err)
	}
	for _, tt := range []struct {
		name string
		q    codememory.SessionQuery
		want []string
	}{
		{"all", codememory.SessionQuery{}, []string{one, three, two}},
		{"a folder and below", codememory.SessionQuery{Dir: "/home/dev/app"}, []string{one, two}},
		{"another folder", codememory.SessionQuery{Dir: "/home/dev/other"}, nil},
		{"limited", codememory.SessionQuery{Limit: 1}, []string{one}},
		{"since", codememory.SessionQuery{Since: third.ActiveAt}, []string{one, three}},
	} {
		if diff := cmp.Diff(tt.want, list(tt.q)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if delegator, ok := a.(Delegator); ok {
		a.Prompt(two, "delegate")
		child := delegator.Delegate(two, "explore")
		exchange(a, child, "explore", "found")
		if got := list(codememory.SessionQuery{}); len(got) != 3 {
			t.Errorf("main sessions %q", got)
		}
		if got := list(codememory.SessionQuery{Children: true}); len(got) != 4 {
			t.Errorf("with children %q", got)
		}
		if diff := cmp.Diff([]string{child}, list(codememory.SessionQuery{Parent: two})); diff != "" {
			t.Error(diff)
		}
	}
}

func missing(t *testing.T, a Agent) {
	for _, id := range []string{"", "no-such-session", "../../etc/passwd", "' OR 1=1 --"} {
		if _, err := a.Transcripts().Session(t.Context(), id); codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("session %q: %v", id, err)
		}
		if _, err := a.Transcripts().Turns(t.Context(), id, 0); codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("turns of %q: %v", id, err)
		}
	}
}

func archived(t *testing.T, a Agent) {
	archiver := can[Archiver](t, a)
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	_, _, mark := changedSince(t, a, "")
	archiver.Archive(s)
	got, err := a.Transcripts().Session(t.Context(), s)
	if err != nil || !got.Archived {
		t.Errorf("session %+v, %v", got, err)
	}
	if changed, _, _ := changedSince(t, a, mark); len(changed) != 1 {
		t.Errorf("changed %q", changed)
	}
}

func cancelled(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "one", "first")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := a.Transcripts().Turns(ctx, s, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("turns with a cancelled context: %v", err)
	}
	if diff := cmp.Diff([]string{"prompt done: one -> first"}, outline(turnsOf(t, a, s))); diff != "" {
		t.Error(diff)
	}
}

func concurrent(t *testing.T, a Agent) {
	s := a.Session("/home/dev/app", "work")
	exchange(a, s, "question 0", "answer")
	var wg sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		wg.Go(func() {
			mark := ""
			for {
				select {
				case <-stop:
					return
				default:
				}
				turns, err := a.Transcripts().Turns(t.Context(), s, 0)
				if err != nil || len(turns) == 0 {
					t.Errorf("%d turns, %v", len(turns), err)
					return
				}
				if _, _, mark, err = a.Transcripts().Changed(t.Context(), mark); err != nil {
					t.Error(err)
					return
				}
				if _, err = a.Transcripts().Sessions(t.Context(), codememory.SessionQuery{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for i := range 10 {
		exchange(a, s, fmt.Sprint("question ", i+1), "answer")
	}
	close(stop)
	wg.Wait()
	if got := turnsOf(t, a, s); len(got) != 11 {
		t.Errorf("%d turns, want 11", len(got))
	}
}
