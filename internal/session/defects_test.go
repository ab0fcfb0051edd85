package session

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// What openCodeMemory gets wrong and we must not, apart from what the tests of
// search, git and files show already.

func TestTheFolderAloneRebuildsEverything(t *testing.T) {
	s, dir := openStore(t)
	for _, r := range append(library(), full()) {
		mustSave(t, s, r)
	}
	copied := filepath.Join(t.TempDir(), Folder)
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	other := Open(copied, time.FixedZone("", -7*3600)) // on a machine elsewhere
	want, err := s.List(Filter{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := other.List(Filter{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		got[i].Path = strings.Replace(got[i].Path, copied, dir, 1)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-before +after\n%s", diff)
	}
	for _, query := range []string{"redis", "what did we do in january", "src/inference/embedding_server.py", "cursor sessions"} {
		before, err := s.Search(query, now, Filter{})
		if err != nil {
			t.Fatal(err)
		}
		after, err := other.Search(query, now, Filter{})
		if diff := cmp.Diff(idsOf(before), idsOf(after)); diff != "" || err != nil || len(after) == 0 {
			t.Errorf("%s: %v %s", query, err, diff)
		}
	}
}

func TestASessionThatWasClosedAfterAReplyGoesOn(t *testing.T) {
	var r Record
	r.Observe(turn(0, "first", "ok"), ObserveOptions{})
	stop := Checkpoint{Session: "ses_1", Status: StatusClosed, At: begin.Add(time.Minute)} // as a hook does after every reply
	if err := r.Apply(stop); err != nil || r.Status != StatusClosed || r.EndedAt.IsZero() || r.Trigger != TriggerEnd {
		t.Fatalf("%v %+v", err, r)
	}
	r.Observe(turn(2, "second", "ok"), ObserveOptions{})
	if r.Status != StatusOpen || !r.EndedAt.IsZero() {
		t.Errorf("after a turn it is %s, ended %s", r.Status, r.EndedAt)
	}
	r.Status, r.EndedAt = StatusClosed, begin.Add(time.Hour)
	r.Observe(turn(3, "read late", "ok"), ObserveOptions{})
	if r.Status != StatusClosed {
		t.Error("a turn from before the end does not open it again")
	}
	r.Status, r.EndedAt, r.UpdatedAt = StatusFrozen, time.Time{}, begin.Add(2*time.Hour)
	r.Observe(turn(180, "resumed", "ok"), ObserveOptions{})
	if r.Status != StatusOpen {
		t.Errorf("a frozen session that is resumed is %s", r.Status)
	}
}

func TestTheTriggerIsSetAndSurvives(t *testing.T) {
	s, _ := openStore(t)
	for trigger, c := range map[string]Checkpoint{
		TriggerManual: {}, TriggerEnd: {Status: StatusClosed}, TriggerCompaction: {Trigger: TriggerCompaction}, "context_limit_70pct": {Trigger: "context_limit_70pct"},
	} {
		c.Agent, c.At = "a", begin
		if _, err := s.Update(trigger, func(r *Record) error { return r.Apply(c) }); err != nil {
			t.Fatal(err)
		}
		if got, err := s.Get(trigger); err != nil || got.Trigger != trigger {
			t.Errorf("got %q, %v, want %q", got.Trigger, err, trigger)
		}
	}
}

func TestGitIsAskedAboutTheFolderOfTheSession(t *testing.T) {
	one, first := repository(t)
	two, _ := repository(t)
	write(t, two, "more.txt", "x")
	commitAll(t, two)
	t.Chdir(two)
	f, err := ReadGit(t.Context(), one, first)
	if err != nil || f.Head != first || f.Files != nil {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestParentsAreLinked(t *testing.T) {
	var r Record
	x := turn(0, "look around", "found")
	x.Parent = "ses_main"
	r.Observe(x, ObserveOptions{})
	if again, err := Parse(Render(r)); err != nil || again.Parent != "ses_main" {
		t.Errorf("got %+v, %v", again, err)
	}
}

func TestHandoffSaysWhatTheNextAgentNeeds(t *testing.T) {
	r := full()
	r.Goal = "Migrate to TEI."
	text := Handoff(r, "codex")
	for _, want := range []string{
		"## Goal\n- Migrate to TEI.\n", "- Session ses_full of claude-code in my-app, handed over to codex", "closed", "Commits: 1234567 to d8e2f04",
		"## Left to do\n- C\n", "## Decisions\n- **TEI over Infinity:**", "## Done\n", "src/a.py (modified)", "old.py (deleted)", "docs/a|b.md ## A | B",
		"codememory sessions show ses_full", "codememory transcript ses_full", "git diff 1234567",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q in\n%s", want, text)
		}
	}

	var auto Record
	last := turn(0, "Fix the flaky test", "Looked at it.", modified("a_test.go"))
	last.State, last.Error = codememory.TurnFailed, "rate limit"
	auto.Observe(last, ObserveOptions{})
	text = Handoff(auto, "")
	for _, want := range []string{"## Left to do\n- it failed: rate limit", "## Last turns\n- Fix the flaky test; done: Looked at it.", "a_test.go (modified)"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q in\n%s", want, text)
		}
	}
	long := Record{ID: "s", Status: StatusOpen, StartedAt: begin}
	for i := range 100 {
		long.Decisions = append(long.Decisions, strings.Repeat("x", i+1))
	}
	if text := Handoff(long, ""); !strings.Contains(text, "(88 earlier ones are in the record)\n- "+strings.Repeat("x", 89)+"\n") {
		t.Errorf("got\n%s", text)
	}
}

// TestMapReachesEveryText fills all there is in a record, so that a new field
// cannot be forgotten: what Map leaves out would reach a model as it is.
func TestMapReachesEveryText(t *testing.T) {
	var r Record
	store(reflect.ValueOf(&r).Elem())
	mapped := r.Map(func(string) string { return "mapped" })
	data, err := json.Marshal(mapped)
	if err != nil || strings.Contains(string(data), "stored") || !strings.Contains(string(data), "mapped") {
		t.Errorf("%s %v", data, err)
	}
	if data, err := json.Marshal(r); err != nil || strings.Contains(string(data), "mapped") {
		t.Errorf("the record itself changed: %s %v", data, err)
	}
}

// store puts a text into every field that holds one. Types of their own have
// fixed values.
func store(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString("stored")
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		store(v.Index(0))
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			store(v.Field(i))
		}
	default:
	}
}
