package service_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// subjects are what generated statements are about; few, so that they meet.
var subjects = []string{
	"the billing gateway retries failed calls", "integration tests need docker", "the search index is rebuilt at night",
	"migrations run before the deploy", "the session cache lives in redis", "feature flags are read at startup",
}

var extras = []string{"", " in staging", " on the release branch", " for every tenant", " behind the proxy"}

// statement makes a sentence with a value that may change, and sometimes more
// words or a negation.
func statement(r *rand.Rand) string {
	s := subjects[r.IntN(len(subjects))] + extras[r.IntN(len(extras))]
	if r.IntN(2) == 0 {
		s += fmt.Sprintf(" %d times", 1+r.IntN(4))
	}
	if r.IntN(6) == 0 {
		s = "never say that " + s
	}
	return s
}

// marked is a memory that can be told by a word that no other one has.
type marked struct {
	id, word, project string
}

// TestOnlyActiveMemoriesOfTheProjectAreEverRetrieved changes memories of several
// projects at random and then asks for every one of them in every way.
func TestOnlyActiveMemoriesOfTheProjectAreEverRetrieved(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			w := newWorld(t, map[string]string{"embedding.provider": "none"})
			projects := []string{w.project("app"), w.project("site"), ""}
			var all []marked
			for range 50 {
				all = w.randomStep(r, projects, all)
			}
			for _, p := range projects[:2] {
				w.checkRetrieval(p, all)
			}
		})
	}
}

// randomStep does one thing that a user, an agent or the daemon may do.
func (w *world) randomStep(r *rand.Rand, projects []string, all []marked) []marked {
	w.t.Helper()
	ctx := w.t.Context()
	if len(all) == 0 || r.IntN(3) == 0 {
		p := projects[r.IntN(len(projects))]
		word := fmt.Sprintf("quokka%dx%d", len(all), r.IntN(1000))
		req := codememory.AddRequest{Project: p, Text: word + ": " + statement(r), Verbatim: r.IntN(2) == 0, Type: codememory.Types[r.IntN(len(codememory.Types))]}
		if p == "" {
			req.Scope = codememory.ScopeUser
		}
		if r.IntN(4) == 0 {
			req.Quarantine = "a tool said it"
		}
		for _, old := range all {
			if old.project == p && r.IntN(8) == 0 {
				req.Supersedes = append(req.Supersedes, codememory.Supersession{ID: old.id})
			}
		}
		res, err := w.Add(ctx, req)
		if err != nil {
			if codememory.CodeOf(err) == codememory.NotFound { // what it supersedes was purged
				return all
			}
			w.t.Fatal(err)
		}
		w.now = w.now.Add(time.Minute)
		if res.Event == codememory.Added {
			all = append(all, marked{res.Memory.ID, word, p})
		}
		return all
	}
	at := all[r.IntN(len(all))]
	ref := codememory.Ref{ID: at.id}
	yes, no, none, why := true, false, "", "looks odd"
	var err error
	switch r.IntN(10) {
	case 0:
		_, err = w.Forget(ctx, ref, "")
	case 1:
		_, err = w.Edit(ctx, ref, codememory.Edit{Archived: &yes})
	case 2:
		_, err = w.Edit(ctx, ref, codememory.Edit{Archived: &no})
	case 3:
		_, err = w.Edit(ctx, ref, codememory.Edit{Quarantine: &why})
	case 4:
		_, err = w.Edit(ctx, ref, codememory.Edit{Quarantine: &none, Pinned: &yes})
	case 5:
		_, _, err = w.Undo(ctx, ref)
	case 6:
		_, err = w.Promote(ctx, ref, true)
	case 7:
		_, err = w.Consolidate(ctx, codememory.ConsolidateRequest{})
	case 8:
		_, err = w.Rebuild(ctx, "")
	default:
		if _, err = w.Purge(ctx, ref); err == nil {
			// A promoted copy may still say it: the word is no longer unique to this id.
			all = slices.DeleteFunc(all, func(m marked) bool { return m.id == at.id })
		}
	}
	w.now = w.now.Add(time.Minute)
	if code := codememory.CodeOf(err); err != nil && code != codememory.Conflict && code != codememory.NotFound {
		w.t.Fatal(err)
	}
	return all
}

// checkRetrieval asks for every memory from a project, in every way there is.
func (w *world) checkRetrieval(project string, all []marked) {
	w.t.Helper()
	ctx := w.t.Context()
	proj, err := w.Project(ctx, project)
	if err != nil {
		w.t.Fatal(err)
	}
	check := func(how string, hits []codememory.Hit) {
		w.t.Helper()
		for _, h := range hits {
			now := w.get(h.Memory.ID)
			if now.State() != codememory.Active || now.Project != "" && now.Project != proj.ID {
				w.t.Errorf("%s gave a memory that is %s, of project %q", how, now.State(), now.Project)
			}
		}
	}
	shown := map[string]bool{} // words that may be shown: of active memories of the project or the user
	for _, reach := range []codememory.Reach{codememory.ReachProject, codememory.ReachUser} {
		page, err := w.List(ctx, codememory.ListRequest{Project: project, Reach: reach, PageRequest: codememory.PageRequest{Limit: 1000}})
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range page.Memories {
			word, _, _ := strings.Cut(m.Text, ":")
			shown[word] = true
		}
	}
	ids := make([]string, len(all))
	for i, m := range all {
		ids[i] = m.id
	}
	floor := 0.0
	for _, m := range all {
		ans, err := w.Search(ctx, codememory.SearchRequest{Project: project, Text: m.word, Floor: &floor, Limit: 50})
		if err != nil {
			w.t.Fatal(err)
		}
		check("search", ans.Hits)
		got, err := w.Retrieve(ctx, codememory.RetrieveRequest{ProjectRoot: project, QueryExpansion: m.word, PinnedMemoryIDs: ids, Entities: []string{"redis", "docker", m.word}})
		if err != nil {
			w.t.Fatal(err)
		}
		check("retrieve", got.Hits)
	}
	c, err := w.Context(ctx, codememory.ContextRequest{Project: project, Goal: "quokka docker redis gateway", Pinned: ids, StableTokens: 20000, HUDTokens: 20000})
	if err != nil {
		w.t.Fatal(err)
	}
	check("context", c.Memories)
	for _, m := range all {
		if strings.Contains(c.Stable+c.HUD, m.word+":") && !shown[m.word] {
			w.t.Errorf("a text that nobody may see is in front of the model: %s", m.word)
		}
	}
}

// TestReplayingEventsChangesNothing gives the same captured statements to a
// store twice, after every prefix, with what the user decided in between.
func TestReplayingEventsChangesNothing(t *testing.T) {
	for seed := range uint64(2) {
		for name, flags := range map[string]map[string]string{"words": {"embedding.provider": "none"}, "vectors": nil} {
			t.Run(fmt.Sprint(name, " seed ", seed), func(t *testing.T) {
				if name == "vectors" && seed > 0 {
					t.Skip("the model is slow")
				}
				r := rand.New(rand.NewPCG(seed, 3))
				w := newWorld(t, flags)
				dir := w.project("app")
				var events []codememory.AddRequest
				begin := w.now
				for i := range 25 {
					e := said(dir, statement(r), fmt.Sprint("s", r.IntN(5)), fmt.Sprint("t", i), begin.Add(time.Duration(i)*time.Minute))
					e.Type = []codememory.Type{codememory.LearnedPattern, codememory.ProjectConfig, codememory.Progress}[r.IntN(3)]
					events = append(events, e)
				}
				for n := range events {
					w.now = events[n].CreatedAt
					w.replay(events[n : n+1])
					if r.IntN(6) == 0 {
						w.randomDecision(r, dir)
					}
					if n%6 != 5 {
						continue
					}
					before := w.snapshot()
					w.now = w.now.Add(24 * time.Hour)
					w.replay(events[:n+1])
					if diff := cmp.Diff(before, w.snapshot()); diff != "" {
						t.Fatalf("replaying %d events changed the store:\n%s", n+1, diff)
					}
				}
			})
		}
	}
}

func (w *world) replay(events []codememory.AddRequest) {
	w.t.Helper()
	for _, e := range events {
		if _, err := w.Add(w.t.Context(), e); err != nil {
			w.t.Fatal(err)
		}
	}
}

// randomDecision forgets or archives some memory.
func (w *world) randomDecision(r *rand.Rand, project string) {
	w.t.Helper()
	page, err := w.List(w.t.Context(), codememory.ListRequest{Project: project})
	if err != nil {
		w.t.Fatal(err)
	}
	if len(page.Memories) == 0 {
		return
	}
	ref, yes := codememory.Ref{ID: page.Memories[r.IntN(len(page.Memories))].ID}, true
	if r.IntN(2) == 0 {
		_, err = w.Forget(w.t.Context(), ref, "wrong")
	} else {
		_, err = w.Edit(w.t.Context(), ref, codememory.Edit{Archived: &yes})
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// snapshot reads every memory file of this machine.
func (w *world) snapshot() map[string]string {
	w.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(w.data, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			b, readErr := os.ReadFile(path)
			files[path] = string(b)
			return readErr
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return files
}

// TestAPurgeLeavesNoByteOfTheText purges memories that went through everything a
// memory can go through, and then looks into every file of the store.
func TestAPurgeLeavesNoByteOfTheText(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 11))
			flags := map[string]string{"documents.project": "true", "documents.skills": "true"}
			if seed > 0 {
				flags["embedding.provider"] = "none"
			}
			w := newWorld(t, flags)
			dir := w.project("app")
			ctx := t.Context()
			secret := func() string {
				b := make([]byte, 14)
				for i := range b {
					b[i] = byte('a' + r.IntN(26))
				}
				return string(b)
			}
			words := map[string][]string{}
			var ids []string
			for i := range 12 {
				first, second := secret(), secret()
				req := said(dir, statement(r)+" says "+first, fmt.Sprint("s", i), "t", w.now)
				req.Verbatim, req.Source.Excerpt = true, "they said "+first
				req.Type = []codememory.Type{codememory.ProjectBrief, codememory.LearnedPattern, codememory.ErrorSolution, codememory.SessionSummary}[r.IntN(4)]
				if r.IntN(4) == 0 {
					req.Quarantine = "odd: " + first
				}
				m := w.add(req).Memory
				for k := range r.IntN(4) { // said again elsewhere
					again := req
					again.Verbatim, again.Source.Session = false, fmt.Sprint("other", k)
					w.add(again)
				}
				if r.IntN(2) == 0 {
					text := statement(r) + " and then " + second
					if _, err := w.Edit(ctx, codememory.Ref{ID: m.ID}, codememory.Edit{Text: &text}); err != nil {
						t.Fatal(err)
					}
				}
				words[m.ID] = []string{first, second}
				ids = append(ids, m.ID)
			}
			w.consolidate(dir, false)
			for _, id := range ids {
				if r.IntN(2) == 0 {
					continue
				}
				rep, err := w.Purge(ctx, codememory.Ref{ID: id})
				if err != nil {
					t.Fatal(err)
				}
				for _, warning := range rep.Warnings { // what quotes it is named, and purged too
					if i := strings.Index(warning, "mem_"); i >= 0 {
						if _, err := w.Purge(ctx, codememory.Ref{ID: warning[i : i+12]}); err != nil && codememory.CodeOf(err) != codememory.NotFound {
							t.Fatal(err)
						}
					}
				}
				w.lookFor(words[id])
			}
		})
	}
}

// lookFor fails when a file of this machine holds one of the words.
func (w *world) lookFor(words []string) {
	w.t.Helper()
	err := filepath.WalkDir(filepath.Join(w.data, "projects"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, word := range words {
			if bytes.Contains(bytes.ToLower(b), []byte(word)) {
				w.t.Errorf("%s holds %q after the purge", path, word)
			}
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
