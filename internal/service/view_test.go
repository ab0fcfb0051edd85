package service_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/config"
	"codememory/internal/paths"
	"codememory/internal/render"
	"codememory/internal/service"
)

func hudIDs(t *testing.T, svc *service.Service, r codememory.ContextRequest) []string {
	t.Helper()
	ans, err := svc.Context(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, h := range ans.Memories {
		ids = append(ids, h.Memory.ID)
	}
	return ids
}

func TestASuppressedMemoryStaysAwayFromSuchPrompts(t *testing.T) {
	for _, provider := range []string{"none", "builtin"} {
		t.Run(provider, func(t *testing.T) {
			w := newWorld(t, map[string]string{"embedding.provider": provider})
			dir := w.project("shop")
			bad := w.add(codememory.AddRequest{Project: dir, Text: "The login test needs the fake clock of package tick"}).Memory.ID
			good := w.add(codememory.AddRequest{Project: dir, Text: "The login form posts to /session and sets a cookie", Verbatim: true}).Memory.ID
			ask := func(goal string) []string {
				return hudIDs(t, w.Service, codememory.ContextRequest{Project: dir, Goal: goal, Parts: []codememory.Part{codememory.HUDPart}, Pinned: []string{bad}})
			}
			if got := ask("fix the login form of the shop"); !slices.Contains(got, bad) {
				t.Fatalf("it was never shown: %v", got)
			}
			made, err := w.Suppress(t.Context(), codememory.SuppressRequest{Project: dir, Memory: bad[:12], Prompt: "fix the login form of the shop"})
			if err != nil || made.Memory != bad {
				t.Fatalf("%+v %v", made, err)
			}
			if got := ask("please fix the login form of the shop"); slices.Contains(got, bad) || !slices.Contains(got, good) {
				t.Errorf("with such a prompt the HUD holds %v; %s is unwanted, %s is not", got, bad, good)
			}
			if got := ask("why does the login test need a fake clock of package tick"); !slices.Contains(got, bad) {
				t.Errorf("it is gone from other prompts too: %v", got)
			}
			ans, err := w.Retrieve(t.Context(), codememory.RetrieveRequest{ProjectRoot: dir, QueryExpansion: "fix the login form of the shop"})
			if err != nil || slices.ContainsFunc(ans.Hits, func(h codememory.Hit) bool { return h.Memory.ID == bad }) {
				t.Errorf("a plugin's own block still holds it: %+v %v", ans.Hits, err)
			}

			w.open(map[string]string{"embedding.provider": provider}) // the next process knows it too
			if got := ask("fix the login form of the shop"); slices.Contains(got, bad) {
				t.Errorf("a restart brought it back: %v", got)
			}
			list, err := w.Suppressions(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatalf("%+v %v", list, err)
			}
			if err := w.Unsuppress(t.Context(), list[0].ID); err != nil {
				t.Fatal(err)
			}
			if got := ask("fix the login form of the shop"); !slices.Contains(got, bad) {
				t.Errorf("taking it back did nothing: %v", got)
			}
			if err := w.Unsuppress(t.Context(), list[0].ID); codememory.CodeOf(err) != codememory.NotFound {
				t.Errorf("twice: %v", err)
			}
		})
	}
}

func TestASuppressionKeepsNoSecretAndNeedsAPrompt(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("shop")
	id := w.add(codememory.AddRequest{Project: dir, Text: "Deploys go through the gateway"}).Memory.ID
	secret := "ghp_" + "J8kLmN2pQ4rS6tU8vW0xY1zA3bC5dE7fG9hI"
	if _, err := w.Suppress(t.Context(), codememory.SuppressRequest{Project: dir, Memory: id, Prompt: "deploy with " + secret}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(w.data, "suppressions.json"))
	if err != nil || strings.Contains(string(data), secret) {
		t.Errorf("the file says %s %v", data, err)
	}
	_, err = w.Suppress(t.Context(), codememory.SuppressRequest{Project: dir, Memory: id, Prompt: "  "})
	if codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("without a prompt: %v", err)
	}
}

func TestAPreviewCountsNothingAndExplainsEveryLine(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("shop")
	id := w.add(codememory.AddRequest{Project: dir, Text: "Use NATS for events", Type: codememory.Architecture}).Memory.ID
	r := codememory.ContextRequest{Project: dir, Goal: "publish NATS events", Agent: "opencode", Preview: true}
	ans, err := w.Context(t.Context(), r)
	if err != nil || len(ans.Memories) != 1 || ans.Memories[0].Why == nil {
		t.Fatalf("%+v %v", ans, err)
	}
	if len(ans.StableLines) != 1 || ans.StableLines[0].Section != "Architecture" || ans.StableLines[0].Memory != codememory.ShownID(id) || !strings.Contains(ans.Stable, ans.StableLines[0].Line) {
		t.Errorf("the stable block is explained as %+v", ans.StableLines)
	}
	shown := func() int {
		page, err := w.List(t.Context(), codememory.ListRequest{Project: dir})
		if err != nil {
			t.Fatal(err)
		}
		return page.Memories[0].Usage.Shown
	}
	if rep, err := w.Injections(t.Context(), 10); err != nil || shown() != 0 || len(rep.Recent) != 0 {
		t.Errorf("looking counted: shown %d, %+v %v", shown(), rep, err)
	}
	r.Preview = false
	if _, err := w.Context(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	w.open(map[string]string{"embedding.provider": "none"}) // the log is on disk
	rep, err := w.Injections(t.Context(), 10)
	if err != nil || len(rep.Recent) != 1 || rep.Today.Calls != 1 || rep.Week.HUDTokens != ans.HUDTokens || !slices.Equal(rep.Recent[0].Memories, []string{id}) {
		t.Errorf("%+v %v", rep, err)
	}
	w.now = w.now.AddDate(0, 0, 8)
	if rep, err := w.Injections(t.Context(), 10); err != nil || rep.Week.Calls != 0 || len(rep.Recent) != 1 {
		t.Errorf("a week later: %+v %v", rep, err)
	}
}

func TestAJumpIntoAListFindsThePageThatScrollingFinds(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	shop, mill := w.project("shop"), w.project("mill")
	for i := range 30 {
		dir := []string{shop, mill, ""}[i%3]
		w.add(codememory.AddRequest{Project: dir, Text: "Fact number " + strings.Repeat("x", i+1), Verbatim: true})
	}
	for name, r := range map[string]codememory.ListRequest{
		"one store": {Project: shop}, "all stores": {Reach: codememory.ReachAll}, "both": {Project: mill, Reach: codememory.ReachBoth},
	} {
		r.Limit = 100
		all, err := w.List(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		for _, offset := range []int{1, 4, 7, all.Total - 2, all.Total, all.Total + 5} {
			r.Limit, r.Offset = 4, offset
			got, err := w.List(t.Context(), r)
			if err != nil || got.Total != all.Total {
				t.Fatalf("%s: %d of %d, %v", name, got.Total, all.Total, err)
			}
			want := all.Memories[min(offset, all.Total):min(offset+4, all.Total)]
			if !slices.EqualFunc(got.Memories, want, func(a, b codememory.Memory) bool { return a.ID == b.ID }) {
				t.Errorf("%s from %d: %d memories, want %d", name, offset, len(got.Memories), len(want))
			}
		}
	}
}

func TestTheGraphShowsWhatConnects(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("shop")
	nats := codememory.Entity{Name: "nats", Type: codememory.EntityTool}
	a := w.add(codememory.AddRequest{Project: dir, Text: "Orders are events", Entities: []codememory.Entity{nats, {Name: "lonely", Type: codememory.EntityOther}}, Verbatim: true}).Memory.ID
	b := w.add(codememory.AddRequest{Project: dir, Text: "The broker has one replica", Entities: []codememory.Entity{nats}, Links: []codememory.Link{{To: a, Type: codememory.Refines}}, Verbatim: true}).Memory.ID
	g, err := w.Graph(t.Context(), codememory.GraphRequest{Project: dir})
	if err != nil {
		t.Fatal(err)
	}
	has := func(from, to, kind string) bool {
		return slices.Contains(g.Edges, codememory.GraphEdge{From: from, To: to, Type: kind})
	}
	if len(g.Nodes) != 3 || !has(a, "entity:nats", "mentions") || !has(b, "entity:nats", "mentions") || !has(b, a, "refines") {
		t.Errorf("%+v", g)
	}
	for range 20 {
		w.add(codememory.AddRequest{Project: dir, Text: "NATS fact " + w.now.String(), Verbatim: true})
	}
	g, err = w.Graph(t.Context(), codememory.GraphRequest{Project: dir, Limit: 10})
	if err != nil || len(g.Nodes) != 10 || g.Left != 22-9 {
		t.Errorf("%d nodes, %d left, %v", len(g.Nodes), g.Left, err)
	}
}

func TestSettingsAreListedWithoutSecrets(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none", "embedding.api_key": "sk-very-secret"})
	got, err := w.Settings(t.Context())
	if err != nil || len(got.Settings) < 20 || len(got.Outbound) != 0 {
		t.Fatalf("%+v %v", got, err)
	}
	for _, s := range got.Settings {
		if strings.Contains(s.Value, "very-secret") {
			t.Errorf("%s shows a secret", s.Name)
		}
		if s.Name == "embedding.provider" && (s.Value != "none" || s.From != string(config.LayerFlag) || s.Doc == "") {
			t.Errorf("%+v", s)
		}
	}
}

// paused is a service over an OpenCode database that looks when it is told to.
func paused(t *testing.T) (*service.Service, *opencodetest.DB, string) {
	t.Helper()
	data := t.TempDir()
	path := filepath.Join(data, "opencode.db")
	db := opencodetest.Create(t, path)
	db.Now = time.Now().Add(time.Minute)
	svc, err := service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: filepath.Join(data, "cm"), State: data}, Now: func() time.Time { return db.Now },
		Transcripts: []codememory.Transcripts{opencode.New(opencode.Options{Path: path, Strip: render.Strip})}, AgentData: data,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { svc.Close() })
	return svc, db, t.TempDir()
}

func TestTurnsOfAPauseAreNotCapturedLaterEither(t *testing.T) {
	for name, project := range map[string]func(dir string) string{"everywhere": func(string) string { return "" }, "in the project": func(dir string) string { return dir }} {
		t.Run(name, func(t *testing.T) {
			svc, db, dir := paused(t)
			ctx := t.Context()
			s := db.Session(dir, "Work")
			pause := func(on bool) {
				t.Helper()
				db.Now = db.Now.Add(time.Minute)
				state, err := svc.PauseCapture(ctx, codememory.PauseRequest{Project: project(dir), Paused: on})
				if err != nil || (state.Paused || len(state.Pauses) == 1) != on {
					t.Fatalf("%+v %v", state, err)
				}
				db.Now = db.Now.Add(time.Minute)
			}
			s.Turn("We decided to use alpha because it is first.", "Fine.")
			pause(true)
			s.Turn("We decided to use bravo because nobody may know.", "Fine.")
			if _, err := svc.Backfill(ctx, codememory.BackfillRequest{}); err != nil {
				t.Fatal(err)
			}
			pause(false)
			s.Turn("We decided to use charlie because it is last.", "Fine.")
			if _, err := svc.Backfill(ctx, codememory.BackfillRequest{}); err != nil {
				t.Fatal(err)
			}
			day, err := svc.Journal(ctx, dir, "")
			if err != nil || !strings.Contains(day.Text, "alpha") || !strings.Contains(day.Text, "charlie") || strings.Contains(day.Text, "bravo") {
				t.Errorf("the journal says\n%s %v", day.Text, err)
			}
			for _, word := range []string{"alpha", "bravo"} {
				hits, err := svc.SearchTurns(ctx, codememory.TurnQuery{Text: word})
				if err != nil || (len(hits) == 1) != (word == "alpha") {
					t.Errorf("searching for %s found %+v %v", word, hits, err)
				}
			}
			page, err := svc.List(ctx, codememory.ListRequest{Project: dir, Filter: codememory.Filter{States: codememory.AnyState}})
			if err != nil || slices.ContainsFunc(page.Memories, func(m codememory.Memory) bool { return strings.Contains(m.Text, "bravo") }) {
				t.Errorf("a turn of the pause became a memory: %+v %v", page.Memories, err)
			}
		})
	}
}

func TestAConversationCanBeReadWithoutItsSecrets(t *testing.T) {
	svc, db, dir := paused(t)
	s := db.Session(dir, "Keys")
	secret := "ghp_" + "J8kLmN2pQ4rS6tU8vW0xY1zA3bC5dE7fG9hI"
	s.Turn("Use the key "+secret+" to deploy", "Deployed to Frankfurt.")
	s.Turn("Thanks", "Any time.")
	if _, err := svc.Backfill(t.Context(), codememory.BackfillRequest{}); err != nil {
		t.Fatal(err)
	}
	all, err := svc.Transcript(t.Context(), codememory.TranscriptRequest{Session: s.ID})
	if err != nil || all.Total != 2 || len(all.Turns) != 2 || all.Session.Agent != "opencode" {
		t.Fatalf("%+v %v", all, err)
	}
	if p := all.Turns[0].Prompt; strings.Contains(p, secret) || !strings.Contains(p, "to deploy") {
		t.Errorf("the prompt reads %q", p)
	}
	one, err := svc.Transcript(t.Context(), codememory.TranscriptRequest{Agent: "opencode", Session: s.ID, Turns: []string{all.Turns[1].ID}})
	if err != nil || len(one.Turns) != 1 || one.Turns[0].Prompt != "Thanks" {
		t.Errorf("%+v %v", one, err)
	}
	hits, err := svc.SearchTurns(t.Context(), codememory.TurnQuery{Text: "Frankfurt", Project: dir})
	if err != nil || len(hits) != 1 || !strings.Contains(hits[0].Excerpt, "Frankfurt") || strings.Contains(hits[0].Prompt, secret) {
		t.Errorf("%+v %v", hits, err)
	}
	rec, err := svc.SessionRecord(t.Context(), dir, s.ID)
	if err != nil || rec.ID != s.ID || len(rec.Turns) != 2 {
		t.Errorf("%+v %v", rec, err)
	}
	if _, err := svc.Transcript(t.Context(), codememory.TranscriptRequest{Session: "ses_none"}); codememory.CodeOf(err) != codememory.NotFound {
		t.Errorf("an unknown session: %v", err)
	}
}

func TestNothingIsKeptOfWhatHooksTellDuringAPause(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir, other := w.project("shop"), w.project("mill")
	if _, err := w.PauseCapture(t.Context(), codememory.PauseRequest{Project: dir, Paused: true}); err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{dir, other} {
		if err := w.Poke(t.Context(), codememory.Poke{Agent: "cursor", Session: filepath.Base(where), Dir: where, Event: "prompt", Said: &codememory.TurnEvent{Prompt: "go"}}); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := filepath.Glob(filepath.Join(w.data, "told", "cursor", "*.jsonl"))
	if err != nil || len(kept) != 1 || !strings.Contains(kept[0], "mill") {
		t.Errorf("kept %q, %v; want those of the other project only", kept, err)
	}
}
