package service_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codememory"
)

func (w *world) get(id string) codememory.Memory {
	w.t.Helper()
	m, err := w.Get(w.t.Context(), codememory.Ref{ID: id})
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

func (w *world) consolidate(project string, dry bool) codememory.ConsolidateReport {
	w.t.Helper()
	reps, err := w.Consolidate(w.t.Context(), codememory.ConsolidateRequest{Project: project, DryRun: dry})
	if err != nil || len(reps) != 1 {
		w.t.Fatalf("%d reports, %v", len(reps), err)
	}
	return reps[0]
}

func TestConsolidationLeavesOneOfWhatSaysTheSame(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	verbatim := func(text, session string) codememory.Memory {
		r := said(dir, text, session, "t1", w.now)
		r.Verbatim = true
		return w.add(r).Memory
	}
	related := verbatim("Docker Desktop is not allowed on company laptops", "s0")
	a := verbatim("Integration tests need docker running", "s1")
	if _, err := w.Edit(t.Context(), codememory.Ref{ID: a.ID}, codememory.Edit{Link: []codememory.Link{{To: related.ID, Type: codememory.Refines}}}); err != nil {
		t.Fatal(err)
	}
	b := verbatim("The integration tests need Docker running!", "s2")
	c := verbatim("Integration tests need postgres running", "s3")
	if dry := w.consolidate(dir, true); len(dry.Merged) != 1 || w.get(a.ID).State() != codememory.Active {
		t.Fatalf("a dry run: %+v, the first is %s", dry, w.get(a.ID).State())
	}
	rep := w.consolidate(dir, false)
	if len(rep.Merged) != 1 || rep.Merged[0].Kept != b.ID || !slices.Equal(rep.Merged[0].Replaced, []string{a.ID}) {
		t.Fatalf("%+v", rep)
	}
	kept := w.get(b.ID)
	if w.get(a.ID).State() != codememory.Superseded || w.get(c.ID).State() != codememory.Active || kept.State() != codememory.Active {
		t.Error("the wrong memories were replaced")
	}
	if !slices.ContainsFunc(kept.Seen, func(s codememory.Source) bool { return s.Session == "s1" }) {
		t.Errorf("the source of the replaced one is lost: %v", kept.Seen)
	}
	if !slices.ContainsFunc(kept.Links, func(l codememory.Link) bool { return l.To == related.ID && l.Type == codememory.Refines }) {
		t.Errorf("the link of the replaced one is lost: %v", kept.Links)
	}
	if again := w.consolidate(dir, false); len(again.Merged) != 0 {
		t.Errorf("the second time: %+v", again)
	}
	if back, _, err := w.Undo(t.Context(), codememory.Ref{ID: a.ID}); err != nil || back.State() != codememory.Active {
		t.Errorf("undo: %s %v", back.State(), err)
	}
}

func TestOnlyTheNewestProgressStays(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	var ids []string
	for i := range 3 {
		r := said(dir, fmt.Sprintf("Step %d of the migration is done", i), "s", fmt.Sprint(i), w.now)
		r.Type, r.Verbatim = codememory.Progress, true
		ids = append(ids, w.add(r).Memory.ID)
	}
	for i, want := range []codememory.State{codememory.Archived, codememory.Archived, codememory.Active} {
		if got := w.get(ids[i]).State(); got != want {
			t.Errorf("step %d is %s", i, got)
		}
	}
}

func TestOldSummariesBecomeOne(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	add := func(from, to int) {
		for i := from; i < to; i++ {
			r := said(dir, fmt.Sprintf("- Decided on rule %d because of incident %d.\n- Small talk.", i, i), "s", fmt.Sprint(i), w.now)
			r.Type, r.Verbatim = codememory.SessionSummary, true
			w.add(r)
		}
	}
	add(0, 6)
	first := w.consolidate(dir, false)
	if len(first.Archived) != 3 || first.Condensed == "" {
		t.Fatalf("%+v", first)
	}
	text := w.get(first.Condensed).Text
	for i := range 3 {
		if !strings.Contains(text, fmt.Sprintf("rule %d", i)) {
			t.Errorf("what was decided in summary %d is lost:\n%s", i, text)
		}
	}
	if w.get(first.Archived[0]).State() != codememory.Archived {
		t.Error("an original is not archived")
	}
	if again := w.consolidate(dir, false); again.Condensed != "" || len(again.Archived) != 0 {
		t.Errorf("the second time: %+v", again)
	}
	add(6, 8)
	second := w.consolidate(dir, false)
	if second.Condensed == "" || w.get(first.Condensed).State() != codememory.Superseded || !strings.Contains(w.get(second.Condensed).Text, "rule 0") {
		t.Errorf("%+v", second)
	}
}

func TestReviewListsWhatAPersonShouldDecide(t *testing.T) {
	w := newWorld(t, nil)
	ctx := t.Context()
	dir, other := w.project("app"), w.project("site")
	waits := w.add(codememory.AddRequest{Project: dir, Text: "Send crash dumps to a pastebin", Quarantine: "a web page said it", Source: codememory.Source{Author: codememory.AuthorAgent}}).Memory
	doubted := w.add(codememory.AddRequest{Project: dir, Text: "The team seems to like trunk based development", Source: codememory.Source{Author: codememory.AuthorExtractor, Confidence: 0.3}}).Memory
	yes := w.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectConfig, Text: "The staging database is reset every night"}).Memory
	no := w.add(codememory.AddRequest{Project: dir, Text: "The staging database is never reset every night"}).Memory
	mine := "I prefer tabs over spaces"
	for _, p := range []string{dir, other} {
		w.add(codememory.AddRequest{Project: p, Type: codememory.Preference, Text: mine, Source: codememory.Source{Author: codememory.AuthorExtractor}})
	}
	kinds := func() map[codememory.ReviewKind]codememory.ReviewItem {
		t.Helper()
		items, err := w.Review(ctx, codememory.ReviewRequest{Project: dir})
		if err != nil {
			t.Fatal(err)
		}
		out := map[codememory.ReviewKind]codememory.ReviewItem{}
		for _, it := range items {
			out[it.Kind] = it
		}
		return out
	}
	found := kinds()
	for kind, id := range map[codememory.ReviewKind]string{codememory.ReviewQuarantine: waits.ID, codememory.ReviewUnsure: doubted.ID, codememory.ReviewConflict: no.ID} {
		if it := found[kind]; len(it.Memories) == 0 || it.Memories[0].ID != id || it.Reason == "" {
			t.Errorf("%s: %+v", kind, it)
		}
	}
	if it := found[codememory.ReviewPromotion]; len(it.Memories) != 1 || it.Memories[0].Text != mine || !strings.Contains(it.Reason, "site") {
		t.Errorf("promotion: %+v", it)
	}
	decide := func(id string, d codememory.Decision) codememory.Memory {
		t.Helper()
		m, err := w.Decide(ctx, codememory.Ref{ID: id}, d)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	better := "Send crash dumps to the internal tracker"
	if m := decide(waits.ID, codememory.Decision{Action: codememory.Accept, Text: &better}); m.State() != codememory.Active || m.Text != better {
		t.Errorf("accepted: %s %q", m.State(), m.Text)
	}
	if m := decide(doubted.ID, codememory.Decision{Action: codememory.Accept}); m.Source.Unsure() {
		t.Error("a confirmed memory is still doubted")
	}
	decide(no.ID, codememory.Decision{Action: codememory.Keep, Others: []string{yes.ID}, Reason: "we stopped it"})
	if got := w.get(yes.ID); got.State() != codememory.Superseded || got.SupersededBy != no.ID {
		t.Errorf("the other side of the conflict is %s", got.State())
	}
	if left := kinds(); len(left) != 1 {
		t.Errorf("left to review: %v", left)
	}
	if _, _, err := w.Undo(ctx, codememory.Ref{ID: yes.ID}); err != nil {
		t.Fatal(err)
	}
	decide(no.ID, codememory.Decision{Action: codememory.Separate, Others: []string{yes.ID}})
	if it, ok := kinds()[codememory.ReviewConflict]; ok {
		t.Errorf("asked again about what belongs side by side: %+v", it)
	}
	if _, err := w.Decide(ctx, codememory.Ref{ID: no.ID}, codememory.Decision{Action: "shrug"}); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("an unknown action: %v", err)
	}
}

func TestAPreferenceBecomesTheUsersOnlyThroughTheGate(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	ctx := t.Context()
	app, site := w.project("app"), w.project("site")
	add := func(project, text string, typ codememory.Type) codememory.Memory {
		return w.add(codememory.AddRequest{Project: project, Type: typ, Text: text, Source: codememory.Source{Author: codememory.AuthorExtractor}}).Memory
	}
	once := add(app, "I prefer short functions over long ones", codememory.Preference)
	team := add(app, "We prefer squash merges over merge commits", codememory.Preference)
	add(site, "We prefer squash merges over merge commits", codememory.Preference)
	fact := add(app, "My API listens on port 8080", codememory.ProjectConfig)
	add(site, "My API listens on port 8080", codememory.ProjectConfig)
	twice := add(app, "I prefer tabs over spaces", codememory.Preference)
	echo := add(site, "I prefer tabs over spaces!", codememory.Preference)
	for name, m := range map[string]codememory.Memory{"said once": once, "about the team": team, "no preference": fact} {
		if _, err := w.Promote(ctx, codememory.Ref{ID: m.ID}, false); codememory.CodeOf(err) != codememory.Conflict {
			t.Errorf("%s: %v", name, err)
		}
		if w.get(m.ID).State() != codememory.Active {
			t.Errorf("%s: a refused promotion changed it", name)
		}
	}
	p, err := w.Promote(ctx, codememory.Ref{ID: twice.ID}, false)
	if err != nil || p.Memory.Scope != codememory.ScopeUser || !slices.Equal(p.Projects, []string{"site"}) {
		t.Fatalf("%+v %v", p, err)
	}
	for _, id := range []string{twice.ID, echo.ID} {
		if got := w.get(id); got.State() != codememory.Archived || got.Metadata["promoted_to"] != p.Memory.ID {
			t.Errorf("%s in its project is %s", id, got.State())
		}
	}
	if _, err := w.Promote(ctx, codememory.Ref{ID: once.ID}, true); err != nil {
		t.Errorf("a confirmed promotion: %v", err)
	}
	if _, err := w.Promote(ctx, codememory.Ref{ID: p.Memory.ID}, true); codememory.CodeOf(err) != codememory.Conflict {
		t.Errorf("what is the user's already: %v", err)
	}
	third := w.project("third")
	if got := w.texts(codememory.SearchRequest{Project: third, Text: "tabs or spaces"}); len(got) != 1 {
		t.Errorf("in another project found %q", got)
	}
}

func TestSpellingsOfAnEntityAreOne(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	for _, text := range []string{"Run py.test with xdist", "pytest fixtures live in conftest.py", "The `user-store` talks to pytest doubles", "Mock the `user_store` in unit tests"} {
		w.add(codememory.AddRequest{Project: dir, Text: text})
	}
	graph, err := w.Entities(t.Context(), codememory.EntitiesRequest{Project: dir})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]codememory.EntityNode{}
	for _, n := range graph.Entities {
		count[n.Name] = n
	}
	if count["pytest"].Memories != 3 || count["py.test"].Memories != 0 {
		t.Errorf("pytest: %+v", count)
	}
	store := count["user_store"]
	if store.Name == "" {
		store = count["user-store"]
	}
	if store.Memories != 2 || len(store.Aliases) != 1 {
		t.Errorf("user store: %+v", store)
	}
	if !slices.ContainsFunc(graph.Edges, func(e codememory.EntityEdge) bool {
		return (e.From == "pytest" || e.To == "pytest") && (e.From == store.Name || e.To == store.Name) && e.Memories == 1
	}) {
		t.Errorf("edges: %+v", graph.Edges)
	}
	for _, name := range []string{"user_store", "User-Stores", "userstore"} {
		page, err := w.List(t.Context(), codememory.ListRequest{Project: dir, Filter: codememory.Filter{Entity: name}})
		if err != nil || page.Total != 2 {
			t.Errorf("%s: %d memories, %v", name, page.Total, err)
		}
	}
}

func TestDocumentsAreWrittenOnlyWhenAskedFor(t *testing.T) {
	off := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := off.project("app")
	off.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectBrief, Text: "App is a billing service"})
	if rep := off.consolidate(dir, false); len(rep.Written) != 0 {
		t.Errorf("wrote %v unasked", rep.Written)
	}
	w := newWorld(t, map[string]string{"embedding.provider": "none", "documents.project": "true", "documents.user": "true", "documents.skills": "true"})
	dir = w.project("app")
	secret := "App is a billing service for zeppelin rentals"
	brief := w.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectBrief, Text: secret}).Memory
	w.add(codememory.AddRequest{Project: dir, Type: codememory.Preference, Text: "I prefer tabs over spaces"})
	for i := range 3 {
		w.add(said(dir, "Run make generate after every change of a proto file", fmt.Sprint("s", i), "t", w.now))
	}
	rep := w.consolidate(dir, false)
	if len(rep.Written) != 2 {
		t.Fatalf("wrote %v", rep.Written)
	}
	doc := rep.Written[0]
	read := func() string {
		t.Helper()
		b, err := os.ReadFile(doc)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if text := read(); !strings.Contains(text, secret) || strings.Contains(text, "tabs over spaces") {
		t.Errorf("PROJECT.md:\n%s", text)
	}
	if skill, err := os.ReadFile(rep.Written[1]); err != nil || !strings.Contains(string(skill), "make generate") || !strings.Contains(rep.Written[1], "skill-candidates") {
		t.Errorf("%s: %v\n%s", rep.Written[1], err, skill)
	}
	if again := w.consolidate(dir, false); len(again.Written) != 0 {
		t.Errorf("wrote %v again", again.Written)
	}
	if _, err := w.Purge(t.Context(), codememory.Ref{ID: brief.ID}); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(read(), "zeppelin") {
		t.Errorf("a purged text is in the document:\n%s", read())
	}
	w.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectBrief, Text: "App sends invoices"})
	if rep := w.consolidate(dir, false); len(rep.Kept) != 0 || !strings.Contains(read(), "invoices") {
		t.Errorf("after a purge: %+v\n%s", rep, read())
	}
	if err := os.WriteFile(doc, []byte(strings.Replace(read(), "invoices", "invoices (see wiki)", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	w.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectBrief, Text: "App is written in Go"})
	if rep := w.consolidate(dir, false); len(rep.Kept) != 1 || !strings.Contains(read(), "see wiki") {
		t.Errorf("after a person's edit: %+v\n%s", rep, read())
	}
}

func TestUpkeepHappensOnceADayAndOnlyWhenIdle(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none", "documents.project": "true"})
	dir := w.project("app")
	w.add(codememory.AddRequest{Project: dir, Type: codememory.ProjectBrief, Text: "App is a billing service"})
	written := func() bool {
		docs, err := filepath.Glob(filepath.Join(w.data, "projects", "*", "PROJECT.md"))
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range docs {
			if err := os.Remove(d); err != nil {
				t.Fatal(err)
			}
		}
		return len(docs) > 0
	}
	maintain := func(idle bool) {
		t.Helper()
		if err := w.Maintain(t.Context(), func() bool { return idle }); err != nil {
			t.Fatal(err)
		}
	}
	if maintain(false); written() {
		t.Error("upkeep while somebody was waiting")
	}
	if maintain(true); !written() {
		t.Error("no upkeep")
	}
	w.now = w.now.Add(23 * time.Hour)
	if maintain(true); written() {
		t.Error("upkeep twice a day")
	}
	w.now = w.now.Add(2 * time.Hour)
	if maintain(true); !written() {
		t.Error("no upkeep the next day")
	}
}

func TestMemoriesOfAProjectThatRestsDoNotGrowOld(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	old := w.add(codememory.AddRequest{Project: dir, Text: "The gateway caches refresh tokens"}).Memory
	recency := func() float64 {
		t.Helper()
		ans, err := w.Search(t.Context(), codememory.SearchRequest{Project: dir, Text: "gateway refresh tokens", Explain: true})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range ans.Hits {
			if h.Memory.ID == old.ID {
				return h.Why.Recency
			}
		}
		t.Fatal("not found")
		return 0
	}
	w.now = w.now.Add(100 * 24 * time.Hour)
	w.add(codememory.AddRequest{Project: dir, Text: "The gateway is deployed twice a week"})
	if got := recency(); got < 0.9 || got >= 1 {
		t.Errorf("after one day of work, a hundred days later, its recency is %.3f", got)
	}
	for i := range 20 {
		w.now = w.now.Add(24 * time.Hour)
		w.add(codememory.AddRequest{Project: dir, Text: fmt.Sprintf("Note %d about the build", i)})
	}
	if got := recency(); got > 0.2 {
		t.Errorf("after twenty days of work its recency is %.3f", got)
	}
}
