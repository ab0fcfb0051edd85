package opencode_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/opencode"
)

// session ids of the real database.
const (
	sesEdits    = "ses_e232deaf4ffeHhzxGWORfKiXUw"
	sesErrors   = "ses_e232cfae5ffemYNaG1q8Cjnriu"
	sesLLMError = "ses_e232cb27bffeEbTbvb8g1xSGJ8"
	sesParallel = "ses_e232c4da0ffeRa9SmYp1vMIT8I"
	sesParent   = "ses_e232bd2fbffe4S8lAqu3ZtqJ0G"
	sesChild    = "ses_e232b9307ffeJgVOPOwuBRUo5o"
	sesAttach   = "ses_e232b51f1ffeB96u453d8GyohJ"
	sesAuto     = "ses_e232ad7d5ffeOhlWVbkzX2LLIA"
	sesOverflow = "ses_e2329bac3ffe14L97MvAHYBoK0"
	sesManual   = "ses_e23281e90ffewNOnlDeU7apEw9"
	sesFork     = "ses_e2327b6ebffeX3Bo0Rm33tI3gB"
	sesAborted  = "ses_e2327b1ceffekwbCBvxjabrS4o"
	sesArchived = "ses_e23279e20ffeyEb7FGkf2xyyVw"
	sesNoGit    = "ses_e23275e82ffeuLFeWCV43VIa8w"
)

func realReader(t testing.TB) *opencode.Reader {
	return reader(t, opencode.Options{Path: unpack(t, "opencode-1.18.33.db")})
}

func TestTurnsOfRealSessions(t *testing.T) {
	r := realReader(t)
	for _, tt := range []struct {
		name, session string
		want          []string
	}{
		{"steps with tools are one turn", sesEdits, []string{
			"prompt done: Please add a greeting file -> I created greet.txt with hello.",
			"prompt done: Now change hello to goodbye and track todos -> Done: goodbye.",
			"prompt done: What did we decide? -> We decided to use goodbye.",
		}},
		{"a refused tool ends the turn", sesErrors, []string{"prompt aborted: Try failing things -> "}},
		{"an error of the provider fails the turn", sesLLMError, []string{"prompt failed: This will fail -> "}},
		{"an abort is one", sesAborted, []string{"prompt aborted: long -> "}},
		{"an attachment is named and not quoted", sesAttach, []string{"prompt done: Look at this file -> Seen."}},
		{"a compaction interrupts a turn", sesAuto, []string{
			"prompt done: Do a big thing -> echo: Continue if you have next steps, or stop and ask for clarifi",
			"compaction done: auto -> SCRIPTED-SUMMARY #99: goal, progress, next steps.",
			"prompt done: After compaction question -> answer after compaction",
		}},
		{"the copy after an overflow is the same turn", sesOverflow, []string{
			"prompt done: Earlier turn -> earlier answer",
			"prompt done: Too long now -> recovered after overflow",
			"compaction done: overflow -> SCRIPTED-SUMMARY #104: goal, progress, next steps.",
		}},
		{"a compaction by hand", sesManual, []string{
			"prompt done: server turn one -> server answer one",
			"prompt done: server turn two -> server answer two",
			"compaction done: manual -> SCRIPTED-SUMMARY #109: goal, progress, next steps.",
		}},
		{"a command of the user is a shell turn, a note of a plugin none", sesArchived, []string{"shell done: echo from-shell -> "}},
		{"a folder without git", sesNoGit, []string{"prompt done: hello from no git -> hi no git"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, outline(turns(t, r, tt.session))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestRealTurnInDetail(t *testing.T) {
	r := realReader(t)
	got := turns(t, r, sesEdits)[1]
	if got.ID != "msg_1dcd2779800132TG1oRjaIgz3Q" || got.Index != 2 || got.Dir != "/home/dev/work/app" || got.Model != "scripted/m" {
		t.Errorf("turn %+v", got)
	}
	if got.Tokens.Total != 8722 || got.Tokens.Input != 8715 || got.Tokens.Output != 7 {
		t.Errorf("tokens %+v", got.Tokens)
	}
	if !got.StartedAt.Equal(time.UnixMilli(1794706143128)) || !got.EndedAt.Equal(time.UnixMilli(1794706153761)) {
		t.Errorf("from %v to %v", got.StartedAt, got.EndedAt)
	}
	var tools []string
	for _, s := range got.Steps {
		if c := s.Tool; c != nil {
			line := c.Name + " " + c.Target
			for _, f := range c.Changed {
				line += " " + string(f.Change) + " " + f.Path
			}
			tools = append(tools, line)
		}
	}
	want := []string{"todowrite ", "edit /home/dev/work/app/greet.txt modified /home/dev/work/app/greet.txt", "bash cat greet.txt; ls", "todowrite "}
	if diff := cmp.Diff(want, tools); diff != "" {
		t.Error(diff)
	}
	if bash := got.Steps[2].Tool; bash.Exit == nil || *bash.Exit != 0 || bash.Title != "cat greet.txt; ls" || !strings.HasPrefix(bash.Output, "goodbye\n") {
		t.Errorf("bash %+v", bash)
	}
	created := turns(t, r, sesEdits)[0].Steps[0].Tool.Changed
	if diff := cmp.Diff([]codememory.FileChange{{Path: "/home/dev/work/app/greet.txt", Change: codememory.FileCreated}}, created); diff != "" {
		t.Error(diff)
	}
}

func TestRealToolsThatFailed(t *testing.T) {
	var got []string
	for _, s := range turns(t, realReader(t), sesErrors)[0].Steps {
		line := s.Tool.Name + " " + s.Tool.Target
		if s.Tool.Exit != nil && *s.Tool.Exit != 0 {
			line += " exit"
		}
		if s.Tool.Error != "" {
			line += " error"
		}
		if s.Tool.Running {
			line += " running"
		}
		got = append(got, line)
	}
	want := []string{
		"read /home/dev/work/app/missing.txt error", "bash echo oops >&2; exit 3 exit", "invalid nosuchtool",
		"edit /home/dev/work/app/src.txt error", "read  error", "read /etc/hostname error",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRealAttachmentIsNamed(t *testing.T) {
	got := turns(t, realReader(t), sesAttach)[0].Prompt
	if want := "Look at this file\n@@text Seen.\n[attached: src.txt]"; got != want {
		t.Errorf("prompt %q, want %q", got, want)
	}
}

func TestRealForkHasTheHashesOfItsOrigin(t *testing.T) {
	r := realReader(t)
	origin, fork := turns(t, r, sesManual), turns(t, r, sesFork)
	if len(origin) != 3 || len(fork) != 3 {
		t.Fatalf("%d and %d turns, want 3", len(origin), len(fork))
	}
	for i := range origin {
		if origin[i].Hash() != fork[i].Hash() || origin[i].ID == fork[i].ID || !origin[i].StartedAt.Equal(fork[i].StartedAt) {
			t.Errorf("turn %d: %v and %v", i, origin[i], fork[i])
		}
	}
}

func TestRealSubagent(t *testing.T) {
	r := realReader(t)
	if got := turns(t, r, sesParent)[0].Steps[0].Tool; got.Child != sesChild || got.Name != "task" || got.Target != "explore repo" {
		t.Errorf("task %+v", got)
	}
	child := turns(t, r, sesChild)[0]
	if child.Parent != sesParent || child.Answer() != "SUBAGENT-RESULT: two files" {
		t.Errorf("child %+v", child)
	}
	s, err := r.Session(t.Context(), sesChild)
	if err != nil || s.Parent != sesParent {
		t.Errorf("session %+v, %v", s, err)
	}
}

func TestRealSessions(t *testing.T) {
	r := realReader(t)
	titles := func(q codememory.SessionQuery) []string {
		t.Helper()
		found, err := r.Sessions(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range found {
			out = append(out, s.Title)
		}
		return out
	}
	if got := titles(codememory.SessionQuery{}); len(got) != 14 {
		t.Errorf("%d main sessions, want 14: %q", len(got), got)
	}
	if got := titles(codememory.SessionQuery{Children: true}); len(got) != 15 {
		t.Errorf("%d sessions, want 15", len(got))
	}
	for _, tt := range []struct {
		name string
		q    codememory.SessionQuery
		want []string
	}{
		{"by folder", codememory.SessionQuery{Dir: "/home/dev/work/nogit"}, []string{"Scripted title 27"}},
		{"not by the beginning of a folder's name", codememory.SessionQuery{Dir: "/home/dev/work/no"}, nil},
		{"children of one", codememory.SessionQuery{Parent: sesParent}, []string{"explore repo (@general subagent)"}},
		{"last active first", codememory.SessionQuery{Limit: 3}, []string{"Scripted title 27", "archived", "aborted"}},
		{"since a time", codememory.SessionQuery{Since: time.UnixMilli(1794706531900)}, []string{"Scripted title 27", "archived"}},
	} {
		if diff := cmp.Diff(tt.want, titles(tt.q)); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	s, err := r.Session(t.Context(), sesArchived)
	if err != nil || !s.Archived || s.Messages != 3 || s.Dir != "/home/dev/work/app" || s.Model != "scripted/m" {
		t.Errorf("session %+v, %v", s, err)
	}
	// The session's own time stands at the prompt; the abort came later.
	if s, err = r.Session(t.Context(), sesAborted); err != nil || s.ActiveAt.UnixMilli() < 1794706530313 {
		t.Errorf("active %v, %v", s.ActiveAt, err)
	}
}

// TestTurnsAgreeWithMemsearch compares with what memsearch finds in the same
// database.
func TestTurnsAgreeWithMemsearch(t *testing.T) {
	b, err := os.ReadFile("testdata/small-turns.json")
	if err != nil {
		t.Fatal(err)
	}
	var want []struct {
		ID     string `json:"turn_id"`
		Start  int64  `json:"start_time"`
		End    int64  `json:"end_time"`
		Render string `json:"render"`
		Done   bool   `json:"complete"`
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	r := reader(t, opencode.Options{Path: unpack(t, "small.db")})
	i := 0
	for _, turn := range turns(t, r, "ses_main") {
		if turn.Kind == codememory.CompactionTurn {
			continue // which memsearch leaves out
		}
		w := want[i]
		i++
		text := "[User]: " + turn.Prompt
		for _, s := range turn.Steps {
			if s.Text != "" {
				text += "\n\n[Assistant]: " + s.Text
			}
		}
		_, render, _ := strings.Cut(w.Render, "\n")
		if turn.ID != w.ID || turn.StartedAt.UnixMilli() != w.Start || turn.EndedAt.UnixMilli() != w.End || (turn.State == codememory.TurnDone) != w.Done || text != render {
			t.Errorf("turn %+v, want %+v", turn, w)
		}
	}
	if i != len(want) {
		t.Errorf("%d turns, want %d", i, len(want))
	}
}
