package week_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"codememory"
)

// told describes the memories of a project, one a line, sorted: what a colleague
// would have written down, and by which rule it came about.
func (w *world) told(project string) []string {
	w.t.Helper()
	all := w.memories(project, codememory.AnyState...)
	byID := map[string]codememory.Memory{}
	for _, m := range all {
		byID[m.ID] = m
	}
	out := []string{}
	for _, m := range all {
		kind := string(m.Type)
		if m.Category != "" {
			kind += "/" + string(m.Category)
		}
		line := fmt.Sprintf("%s: %s [%s; %s; %s; %s]", m.State(), m.Text, kind, m.Scope, m.Source.Class, m.Source.Rule)
		if n := len(m.Seen); n > 0 {
			line += fmt.Sprintf(" said %d times more", n)
		}
		if m.Quarantine != "" {
			line += " waits: " + m.Quarantine
		}
		if newer, ok := byID[m.SupersededBy]; ok {
			for _, s := range newer.Supersedes {
				if s.ID == m.ID {
					line += fmt.Sprintf(" replaced by %q: %s", newer.Text, s.Reason)
				}
			}
		}
		out = append(out, line)
	}
	slices.Sort(out)
	return out
}

// question is a message of the following week.
type question struct{ project, text string }

var questions = []question{
	{"ledger", "which port does the API listen on?"},
	{"ledger", "the storage tests fail with connection refused, what now?"},
	{"shopfront", "can you deploy the new checkout to production now?"},
}

var shownID = regexp.MustCompile(`mem_[0-9a-f]{8}`)

// nextWeek is the Monday after.
func (w *world) nextWeek() { w.clock.set(monday.AddDate(0, 0, 7).Add(time.Hour)) }

// hud is what a model sees with a message, without the ids.
func (w *world) hud(q question) string {
	w.nextWeek()
	ans := w.context(codememory.ContextRequest{Project: w.dirs[q.project], Agent: "opencode", Session: "next", Goal: q.text, Parts: []codememory.Part{codememory.HUDPart}})
	return shownID.ReplaceAllString(ans.HUD, "mem_…")
}

// stable is what a model sees at the start of a session.
func (w *world) stable(project string) string {
	w.nextWeek()
	ans := w.context(codememory.ContextRequest{Project: w.dirs[project], Agent: "opencode", Session: "next-" + project, Parts: []codememory.Part{codememory.StablePart}})
	return shownID.ReplaceAllString(ans.Stable, "mem_…")
}

// bytes returns the text of the stores: memories, journals, records of sessions.
func (w *world) bytes() map[string]string {
	w.t.Helper()
	out := map[string]string{}
	w.must(filepath.WalkDir(w.layout.Data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".md") && !strings.HasSuffix(path, ".log") {
			return err
		}
		b, err := os.ReadFile(path)
		rel, _ := filepath.Rel(w.layout.Data, path)
		out[rel] = string(b)
		return err
	}))
	return out
}

// replay has everything that was captured read again, as on a machine that lost
// track of it.
func (w *world) replay() {
	w.t.Helper()
	w.close()
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(w.layout.HistoryDB() + suffix); err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
	}
	settings, err := os.ReadFile(w.layout.ConfigFile)
	w.must(err)
	w.open(string(settings))
	want := map[string]int{}
	for _, s := range w.sessions {
		want[s.agent]++
	}
	w.await("everything read again", func() bool {
		agents, err := w.svc.Agents(w.t.Context())
		w.must(err)
		for _, a := range agents {
			if a.Sessions < want[a.Agent] {
				return false
			}
		}
		return true
	})
}

// noSecret fails if the key that the user pasted is in any file of CodeMemory's.
func (w *world) noSecret() {
	w.t.Helper()
	w.close() // so that everything is on disk
	for _, root := range []string{w.layout.Data, w.layout.State} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if os.IsNotExist(err) && path == root {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			b, err := os.ReadFile(path)
			if strings.Contains(string(b), secret) {
				w.t.Errorf("the key stands in %s", path)
			}
			return err
		})
		w.must(err)
	}
}
