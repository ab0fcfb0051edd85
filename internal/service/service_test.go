package service_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/paths"
	"codememory/internal/service"
)

// world is one machine with a user, some projects and a service.
type world struct {
	*service.Service
	t    *testing.T
	data string
	now  time.Time
}

func newWorld(t *testing.T, flags map[string]string) *world {
	t.Helper()
	w := &world{t: t, data: t.TempDir(), now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	w.open(flags)
	return w
}

func (w *world) open(flags map[string]string) {
	w.t.Helper()
	loaded, err := config.Load(config.Sources{Flags: flags})
	if err != nil {
		w.t.Fatal(err)
	}
	svc, err := service.Open(w.t.Context(), service.Options{
		Layout: paths.Layout{Data: w.data, State: filepath.Join(w.data, "state"), ConfigFile: filepath.Join(w.data, "config.toml")},
		Config: loaded, Version: "test", Now: func() time.Time { return w.now },
	})
	if err != nil {
		w.t.Fatal(err)
	}
	w.Service = svc
	w.t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

// project makes a repository.
func (w *world) project(name string) string {
	w.t.Helper()
	dir := filepath.Join(w.t.TempDir(), name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if out, err := exec.CommandContext(w.t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		w.t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

func (w *world) add(r codememory.AddRequest) codememory.AddResult {
	w.t.Helper()
	res, err := w.Add(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.now = w.now.Add(time.Minute)
	return res
}

func (w *world) texts(r codememory.SearchRequest) []string {
	w.t.Helper()
	ans, err := w.Search(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for _, h := range ans.Hits {
		out = append(out, h.Memory.Text)
	}
	return out
}

func TestAParaphraseFindsAMemoryAndAnUnrelatedQuestionDoesNot(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	text := "We rotate refresh tokens because the gateway caches them"
	res := w.add(codememory.AddRequest{Project: dir, Text: text})
	if res.Event != codememory.Added || res.Memory.Type != codememory.LearnedPattern || res.Memory.Scope != codememory.ScopeProject {
		t.Errorf("%+v", res)
	}
	if got := w.texts(codememory.SearchRequest{Project: dir, Text: "why do we renew credentials"}); len(got) != 1 || got[0] != text {
		t.Errorf("found %q", got)
	}
	if got := w.texts(codememory.SearchRequest{Project: dir, Text: "favourite pizza"}); len(got) != 0 {
		t.Errorf("found %q", got)
	}
}

func TestAnAdditionIsComparedWithWhatIsKnown(t *testing.T) {
	for name, tt := range map[string]struct {
		first, second string
		event         codememory.AddEvent
	}{
		"the same words":              {"Tests need docker compose.", "tests need  Docker compose", codememory.Unchanged},
		"another value":               {"The database pool size is 20 connections", "The database pool size is 35 connections", codememory.Updated},
		"a negation":                  {"Retries are enabled in the payment client", "Retries are not enabled in the payment client", codememory.Updated},
		"another environment":         {"The staging database listens on port 5432", "The production database listens on port 5433", codememory.Added},
		"something else":              {"We use pnpm in this repository", "The API returns problem+json on errors", codememory.Added},
		"two facts in the same shape": {"Frontend deploys run on Monday", "Backend deploys run on Friday", codememory.Added},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			dir := w.project("app")
			a := w.add(codememory.AddRequest{Project: dir, Text: tt.first})
			b := w.add(codememory.AddRequest{Project: dir, Text: tt.second})
			if b.Event != tt.event {
				t.Errorf("got %s (%s), want %s", b.Event, b.Reason, tt.event)
			}
			if tt.event != codememory.Added && b.Memory.ID != a.Memory.ID {
				t.Errorf("another memory was changed")
			}
			if tt.event == codememory.Updated && (b.Memory.Text != tt.second || len(b.Memory.Revisions) != 1 || b.Memory.Revisions[0].Text != tt.first) {
				t.Errorf("%+v", b.Memory)
			}
		})
	}
}

func TestSecretsNeverReachTheDisk(t *testing.T) {
	w := newWorld(t, nil)
	dir := w.project("app")
	key := "AKIA" + "Q3EGRFLX7KDLNMQW" // put together so that no scanner trips over this file
	res := w.add(codememory.AddRequest{
		Project: dir, Text: "The bucket is read with " + key + " in CI", Source: codememory.Source{Excerpt: "export AWS_ACCESS_KEY_ID=" + key},
		Metadata: map[string]any{"note": key},
	})
	if len(res.Redacted) == 0 || strings.Contains(res.Memory.Text, key) {
		t.Errorf("%+v", res)
	}
	if _, err := w.Add(t.Context(), codememory.AddRequest{Project: dir, Text: "<private>all of it</private>"}); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("a private text gave %v", err)
	}
	id := res.Memory.ID
	edited := "Now it is " + key
	if _, err := w.Edit(t.Context(), codememory.Ref{ID: id}, codememory.Edit{Text: &edited}); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(w.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), key) {
			t.Errorf("the key is in %s", path)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestProjectsDoNotSeeEachOther(t *testing.T) {
	w := newWorld(t, nil)
	one, two := w.project("one"), w.project("two")
	w.add(codememory.AddRequest{Project: one, Text: "The scheduler retries failed jobs three times"})
	w.add(codememory.AddRequest{Project: two, Text: "The scheduler never retries failed jobs"})
	w.add(codememory.AddRequest{Scope: codememory.ScopeUser, Text: "I like scheduler logs in JSON"})
	got := w.texts(codememory.SearchRequest{Project: one, Text: "scheduler retries of failed jobs"})
	for _, g := range got {
		if strings.Contains(g, "never") {
			t.Errorf("project one sees %q", g)
		}
	}
	if len(got) == 0 || !strings.Contains(got[0], "three times") {
		t.Errorf("project one finds %q", got)
	}
	if all := w.texts(codememory.SearchRequest{Project: one, Reach: codememory.ReachAll, Text: "scheduler retries of failed jobs"}); len(all) < 2 {
		t.Errorf("all projects: %q", all)
	}
}

func TestForgetUndoHistoryAndPurge(t *testing.T) {
	w := newWorld(t, nil)
	ctx, dir := t.Context(), w.project("app")
	m := w.add(codememory.AddRequest{Project: dir, Text: "Deploys go through Jenkins"}).Memory
	ref := codememory.Ref{ID: codememory.ShownID(m.ID)}
	newText := "Deploys go through Jenkins on the build host"
	if _, err := w.Edit(ctx, ref, codememory.Edit{Text: &newText, Reason: "more precise"}); err != nil {
		t.Fatal(err)
	}
	w.now = w.now.Add(time.Hour)
	newer := w.add(codememory.AddRequest{Project: dir, Text: "We ship with Buildkite now", Supersedes: []codememory.Supersession{{ID: ref.ID, Reason: "migrated"}}}).Memory
	if got := w.texts(codememory.SearchRequest{Project: dir, Text: "Jenkins deploys"}); len(got) > 0 && strings.Contains(got[0], "Jenkins") {
		t.Errorf("a superseded memory is found: %q", got)
	}
	h, err := w.History(ctx, codememory.Ref{ID: newer.ID})
	if err != nil {
		t.Fatal(err)
	}
	var what []string
	for _, e := range h {
		what = append(what, e.What+": "+e.Text)
	}
	want := []string{"edited: Deploys go through Jenkins", "superseded: " + newText, "current: We ship with Buildkite now"}
	if strings.Join(what, "\n") != strings.Join(want, "\n") {
		t.Errorf("history:\n%s", strings.Join(what, "\n"))
	}
	if back, _, err := w.Undo(ctx, ref); err != nil || back.State() != codememory.Active {
		t.Errorf("undoing the supersession: %s %v", back.State(), err)
	}
	if _, err := w.Forget(ctx, ref, "wrong"); err != nil {
		t.Fatal(err)
	}
	again := w.add(codememory.AddRequest{Project: dir, Text: newText, Source: codememory.Source{Author: codememory.AuthorExtractor}})
	if again.Event != codememory.Unchanged {
		t.Errorf("a replay brought back what was forgotten: %+v", again)
	}
	if back, what, err := w.Undo(ctx, ref); err != nil || back.State() != codememory.Active || what == "" {
		t.Errorf("undoing the forget: %s %v", back.State(), err)
	}
	if back, _, err := w.Undo(ctx, ref); err != nil || back.Text != "Deploys go through Jenkins" {
		t.Errorf("undoing the edit: %q %v", back.Text, err)
	}
	if _, _, err := w.Undo(ctx, ref); codememory.CodeOf(err) != codememory.Conflict {
		t.Errorf("undoing nothing: %v", err)
	}
	if _, err := w.Purge(ctx, ref); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Get(ctx, ref); codememory.CodeOf(err) != codememory.NotFound {
		t.Errorf("after the purge: %v", err)
	}
	if res := w.add(codememory.AddRequest{Project: dir, Text: "Deploys go through Jenkins", Source: codememory.Source{Author: codememory.AuthorExtractor}}); res.Event != codememory.Unchanged {
		t.Errorf("a replay brought back what was purged: %+v", res)
	}
}

func TestInitMovesTheStoreAndKeepsPersonalThingsOutOfIt(t *testing.T) {
	w := newWorld(t, nil)
	ctx, dir := t.Context(), w.project("app")
	w.add(codememory.AddRequest{Project: dir, Text: "The API is versioned by header", Type: codememory.Architecture})
	w.add(codememory.AddRequest{Project: dir, Text: "I prefer tabs", Type: codememory.Preference})
	rep, err := w.InitProject(ctx, codememory.InitRequest{Dir: dir, Shared: true})
	if err != nil || rep.Moved != 2 || len(rep.Skipped) != 1 || !rep.Project.Shared {
		t.Fatalf("%+v %v", rep, err)
	}
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "status", "--porcelain", "-uall").Output()
	if err != nil {
		t.Fatal(err)
	}
	committed := 0
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		path := filepath.Join(dir, strings.TrimSpace(line[2:]))
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(b), "tabs") {
			t.Errorf("%s would be committed", path)
		}
		if strings.Contains(string(b), "versioned by header") {
			committed++
		}
		if strings.Contains(path, "memories.db") {
			t.Errorf("the database would be committed")
		}
	}
	if committed != 1 {
		t.Errorf("the architecture would not be committed:\n%s", out)
	}
	page, err := w.List(ctx, codememory.ListRequest{Project: dir})
	if err != nil || page.Total != 2 {
		t.Errorf("%d memories after init, %v", page.Total, err)
	}
	if again, err := w.InitProject(ctx, codememory.InitRequest{Dir: dir, Shared: true}); err != nil || len(again.Created) != 0 || again.Moved != 0 {
		t.Errorf("a second init: %+v %v", again, err)
	}
}

func TestRetrieveKeepsPinnedMemoriesWithinTheCap(t *testing.T) {
	w := newWorld(t, map[string]string{"lifecycle.dedupe": "false"})
	ctx, dir := t.Context(), w.project("app")
	var pinned []string
	for _, s := range []string{"alpha", "beta", "gamma"} {
		pinned = append(pinned, codememory.ShortID(w.add(codememory.AddRequest{Project: dir, Text: "Unrelated pinned rule " + s}).Memory.ID))
	}
	for _, s := range []string{
		"Payment webhooks are verified with an HMAC signature before parsing", "The webhook signature secret for payments rotates monthly",
		"A payment webhook without a signature is answered with 401", "Replayed payment webhooks are recognised by their signature timestamp",
		"The signature check of webhooks lives in internal/payment/verify.go", "Stripe sends the payment webhook signature in a header",
		"Tests sign payment webhooks with a fixed signature key",
	} {
		w.add(codememory.AddRequest{Project: dir, Text: s})
	}
	ans, err := w.Retrieve(ctx, codememory.RetrieveRequest{QueryExpansion: "payment webhook signature", PinnedMemoryIDs: pinned, ProjectRoot: dir})
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, h := range ans.Hits {
		if strings.Contains(h.Memory.Text, "pinned rule") {
			kept++
		}
	}
	if len(ans.Hits) > 8 || kept != 3 || len(ans.Hits) < 6 {
		t.Errorf("%d memories, %d of 3 pinned", len(ans.Hits), kept)
	}
	if _, err := w.Retrieve(ctx, codememory.RetrieveRequest{QueryExpansion: "x", ProjectRoot: "../etc"}); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("a relative root gave %v", err)
	}
}

func TestTheContextIsEmptyWithoutAnythingToSay(t *testing.T) {
	w := newWorld(t, nil)
	ctx, dir := t.Context(), w.project("app")
	ans, err := w.Context(ctx, codememory.ContextRequest{Project: dir, Goal: "fix the login"})
	if err != nil || ans.Stable != "" || ans.HUD != "" {
		t.Errorf("%+v %v", ans, err)
	}
	w.add(codememory.AddRequest{Project: dir, Text: "shop is an online store in Go", Type: codememory.ProjectBrief})
	w.add(codememory.AddRequest{Project: dir, Text: "Login sessions live in Redis, not in cookies", Category: codememory.DecisionRationale})
	ans, err = w.Context(ctx, codememory.ContextRequest{Project: dir, Goal: "fix the login session handling"})
	if err != nil || !strings.Contains(ans.Stable, "online store") || !strings.Contains(ans.HUD, "Login sessions live in Redis") {
		t.Errorf("%+v %v", ans, err)
	}
	again, err := w.Context(ctx, codememory.ContextRequest{Project: dir, Goal: "something else entirely"})
	if err != nil || again.Stable != ans.Stable {
		t.Errorf("the stable block changed with the goal")
	}
}

func TestWithoutAModelEverythingButMeaningWorks(t *testing.T) {
	w := newWorld(t, map[string]string{"embedding.provider": "none"})
	dir := w.project("app")
	w.add(codememory.AddRequest{Project: dir, Text: "Tokens are rotated hourly by the gateway"})
	if got := w.texts(codememory.SearchRequest{Project: dir, Text: "when are tokens rotated?"}); len(got) != 1 {
		t.Errorf("found %q", got)
	}
	h, err := w.Health(t.Context())
	if err != nil || len(h.Reasons) == 0 {
		t.Errorf("%+v %v", h, err)
	}
}

func TestABatchIsStoredAndEmbeddedLater(t *testing.T) {
	w := newWorld(t, nil)
	ctx, dir := t.Context(), w.project("app")
	rs := []codememory.AddRequest{
		{Project: dir, Text: "We rotate refresh tokens because the gateway caches them"},
		{Project: dir, Text: "we rotate refresh tokens because the gateway caches them."},
		{Project: dir, Text: "Builds run on two runners"},
	}
	res, err := w.AddMany(ctx, rs)
	if err != nil || res[0].Event != codememory.Added || res[1].Event != codememory.Unchanged || res[2].Event != codememory.Added {
		t.Fatalf("%+v %v", res, err)
	}
	rs[2].Text = ""
	if _, err := w.AddMany(ctx, append(rs, codememory.AddRequest{Project: dir, Text: "must not be stored"})); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("an invalid batch gave %v", err)
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(w.texts(codememory.SearchRequest{Project: dir, Text: "why do we renew credentials"})) == 0 {
		if time.Now().After(deadline) {
			t.Fatal("the vectors never came")
		}
		time.Sleep(20 * time.Millisecond)
	}
	page, err := w.List(ctx, codememory.ListRequest{Project: dir})
	if err != nil || page.Total != 2 {
		t.Errorf("%d memories, %v", page.Total, err)
	}
}

func TestMergedProjectsShareTheirMemories(t *testing.T) {
	w := newWorld(t, nil)
	ctx, a, b := t.Context(), w.project("a"), w.project("b")
	w.add(codememory.AddRequest{Project: a, Text: "from a"})
	w.add(codememory.AddRequest{Project: b, Text: "from b"})
	if _, err := w.MergeProjects(ctx, a, b); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{a, b} {
		if page, err := w.List(ctx, codememory.ListRequest{Project: dir}); err != nil || page.Total != 2 {
			t.Errorf("%s: %d memories, %v", dir, page.Total, err)
		}
	}
	if page, err := w.List(ctx, codememory.ListRequest{Project: b, Reach: codememory.ReachAll}); err != nil || page.Total != 2 {
		t.Errorf("everywhere: %d memories, %v", page.Total, err)
	}
}
