package session

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func TestApplyAddsReplacesAndKeeps(t *testing.T) {
	r := Record{Project: "my-app"}
	apply := func(c Checkpoint) {
		t.Helper()
		if err := r.Apply(c); err != nil {
			t.Fatal(err)
		}
	}
	apply(Checkpoint{
		Session: "s", Agent: "cursor", Goal: "first", Slug: "TEI Migration!", At: begin, Completed: []string{"a"}, Pending: []string{"b", "c"},
		Decisions: []string{"**X:** because"}, Plans: []PlanFile{{"./docs/p.md", "# Old"}}, References: []Reference{{"https://x", ""}},
	})
	apply(Checkpoint{
		Session: "s", Agent: "codex", Goal: "second", Slug: "other", At: begin.Add(time.Hour), Completed: []string{"A", "b\n  with detail", "- d\n- e"},
		Pending: []string{"c"}, Summary: []string{"did"}, Decisions: []string{"**X:** because."},
		Plans: []PlanFile{{"docs/p.md", "# New"}, {"q.md", ""}}, References: []Reference{{"https://x", "X"}}, Trigger: "context_limit_70pct",
	})
	apply(Checkpoint{Session: "s", At: begin.Add(2 * time.Hour), Status: StatusClosed})
	want := Record{
		ID: "s", Agent: "cursor", Project: "my-app", Slug: "tei-migration", Goal: "second", Status: StatusClosed, Trigger: TriggerEnd,
		StartedAt: begin, UpdatedAt: begin.Add(2 * time.Hour), EndedAt: begin.Add(2 * time.Hour),
		Completed: []string{"a", "b\nwith detail", "d", "e"}, Pending: []string{"c"}, Summary: []string{"did"}, Decisions: []string{"**X:** because"},
		Plans: []PlanFile{{"docs/p.md", "# New"}, {"q.md", ""}}, References: []Reference{{"https://x", "X"}},
	}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	apply(Checkpoint{Session: "s", At: begin.Add(3 * time.Hour), Pending: []string{}})
	if len(r.Pending) != 0 || r.Status != StatusOpen || !r.EndedAt.IsZero() {
		t.Errorf("an empty list should clear what is pending, and the session goes on: %+v", r)
	}
}

func TestApplyChangesNothingWhenItFails(t *testing.T) {
	tests := map[string]struct {
		c    Checkpoint
		want string
	}{
		"of another session":        {Checkpoint{Session: "other", Goal: "x"}, "other"},
		"an unknown status":         {Checkpoint{Session: "s", Goal: "x", Status: "paused"}, "open, frozen or closed"},
		"a plan outside of project": {Checkpoint{Session: "s", Goal: "x", Plans: []PlanFile{{"docs/../../../etc/passwd", ""}}}, "plan_files[0].path"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			r := Record{ID: "s", Goal: "kept"}
			err := r.Apply(tt.c)
			if codememory.CodeOf(err) != codememory.Invalid || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(Record{ID: "s", Goal: "kept"}, r); diff != "" {
				t.Error(diff)
			}
		})
	}
	var fresh Record
	if err := fresh.Apply(Checkpoint{Goal: "x"}); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("without an id: %v", err)
	}
}

func TestDecodeCheckpointNamesFieldsOfTheWrongType(t *testing.T) {
	tests := map[string]struct {
		json string
		want []string
	}{
		"a text for a list":   {`{"session_id":"s","work_pending":"x"}`, []string{"work_pending must be a list of strings, not a string"}},
		"a number in a list":  {`{"session_id":"s","decisions":["a",2]}`, []string{"decisions[1] must be a string, not a number"}},
		"null in a list":      {`{"session_id":"s","decisions":[null]}`, []string{"decisions[0] must be a string, not null"}},
		"all wrong ones":      {`{"session_id":1,"goal":[],"plan_files":{}}`, []string{"session_id must be a string", "goal must be a string, not a list", "plan_files must be a list"}},
		"texts for objects":   {`{"session_id":"s","plan_files":["a.md"]}`, []string{"plan_files[0] must be an object with path and header, not a string"}},
		"a type in an object": {`{"session_id":"s","references":[{"url":"u","title":true}]}`, []string{"references[0].title must be a string, not a boolean"}},
		"a missing url":       {`{"session_id":"s","references":[{"title":"t"}]}`, []string{"references[0].url is missing"}},
		"an unknown status":   {`{"session_id":"s","status":"done"}`, []string{"status", "open, frozen or closed"}},
		"not an object":       {`[1]`, []string{"must be an object, not a list"}},
		"not JSON":            {`{"session_id"`, []string{"not valid JSON"}},
		"a nested non-object": {`{"session_id":"s","checkpoint":3}`, []string{"checkpoint", "not a number"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, err := DecodeCheckpoint([]byte(tt.json))
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Fatalf("got %v", err)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
			if diff := cmp.Diff(Checkpoint{}, c); diff != "" {
				t.Errorf("half of it was taken: %s", diff)
			}
		})
	}
}

func TestDecodeCheckpointReadsToolAndHookInput(t *testing.T) {
	tests := map[string]struct {
		json string
		want Checkpoint
	}{
		"the tool": {
			`{"session_id":"s","tool":"codex","goal":" g ","work_pending":[],"plan_files":[{"path":"p","header":"h"}],"references":[{"url":"u"}],"status":"Closed","slug":null}`,
			Checkpoint{Session: "s", Agent: "codex", Goal: "g", Pending: []string{}, Plans: []PlanFile{{"p", "h"}}, References: []Reference{{"u", ""}}, Status: StatusClosed},
		},
		"a hook of cursor":        {`{"conversation_id":"c","hook_event_name":"stop","workspace_roots":["/x"]}`, Checkpoint{Session: "c", Agent: "cursor"}},
		"fields under checkpoint": {`{"session_id":"s","checkpoint":{"goal":"g","work_summary":["a"]}}`, Checkpoint{Session: "s", Goal: "g", Summary: []string{"a"}}},
		"active is open":          {`{"session_id":"s","status":"active"}`, Checkpoint{Session: "s", Status: StatusOpen}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := DecodeCheckpoint([]byte(tt.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestSemanticTellsStatementsFromSignsOfLife(t *testing.T) {
	if (Checkpoint{Session: "s", Status: StatusClosed, Slug: "x"}).Semantic() {
		t.Error("an end says nothing about the work")
	}
	if !(Checkpoint{Pending: []string{}}).Semantic() || !(Checkpoint{Goal: "g"}).Semantic() {
		t.Error("these say something")
	}
}

func TestMapReachesAllThatAModelWrote(t *testing.T) {
	c := goldenCheckpoint()
	c.Slug = "slug"
	mapped := c.Map(func(string) string { return "x" })
	want := Checkpoint{
		Session: "sess-gold", Agent: "cursor", At: begin, Slug: "x", Goal: "x", Completed: []string{"x", "x"}, Pending: []string{"x"}, Summary: []string{"x"},
		Decisions: []string{"x"}, Plans: []PlanFile{{"x", "x"}}, References: []Reference{{"x", "x"}},
	}
	if diff := cmp.Diff(want, mapped); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if c.Completed[0] != "A done" {
		t.Error("the original changed")
	}
	if got := (Checkpoint{}).Map(func(s string) string { return s }); got.Pending != nil {
		t.Error("nothing stated became an empty list")
	}
}

func FuzzDecodeCheckpoint(f *testing.F) {
	for _, seed := range []string{`{}`, `{"checkpoint":{"checkpoint":null}}`, `{"plan_files":[{}]}`, `null`, `"x"`, `{"session_id":"s","slug":"../../x"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := DecodeCheckpoint(data)
		if err != nil {
			if codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("%v", err)
			}
			return
		}
		r := Record{ID: "s"}
		if c.Session = ""; r.Apply(c) != nil {
			t.Errorf("decoded, but not applied: %+v", c)
		}
	})
}
