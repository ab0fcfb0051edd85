// Package copilot reads the conversations of GitHub Copilot CLI from the events
// that it records of each session.
package copilot

import (
	"path/filepath"
	"strings"
	"time"

	"codememory/internal/agent/jsonl"
)

// Agent is the name under which turns and conversations come.
const Agent = "copilot"

// Options say where the events are and how to read them. Dir overrides the
// folder .copilot.
type Options = jsonl.Options

// Reader reads Copilot CLI's events.
type Reader = jsonl.Reader

// settle is how long an answer must stand until it counts as the last, when no
// end of its step was recorded.
const settle = 30 * time.Second

// New returns a reader. The folder need not exist yet.
func New(o Options) *Reader {
	o = o.WithDefaults()
	var roots []string
	if dir := home(o); dir != "" {
		roots = []string{filepath.Join(dir, "session-state")}
	}
	return jsonl.NewReader(jsonl.Format{
		Agent: Agent, Name: "Copilot CLI", Roots: roots, Enter: enter, Identify: identify, Settle: settle,
		Begin: func(_ jsonl.Place, keep int) jsonl.Parser { return newParser(o.Strip, keep) },
	}, o)
}

// home is where Copilot CLI keeps everything.
func home(o Options) string {
	if o.Dir != "" {
		return o.Dir
	}
	if dir := strings.TrimSpace(o.Env("COPILOT_HOME")); dir != "" {
		return dir
	}
	if home := o.Home(); home != "" {
		return filepath.Join(home, ".copilot")
	}
	return ""
}

// enter knows the folders of sessions: what is below them is no conversation.
func enter(rel string) bool { return !strings.Contains(rel, "/") }

// identify knows <session>/events.jsonl and, of older releases, <session>.jsonl.
func identify(_, rel string) (jsonl.Place, bool) {
	if id, ok := strings.CutSuffix(rel, "/events.jsonl"); ok {
		return jsonl.Place{ID: id}, true
	}
	id, ok := strings.CutSuffix(rel, ".jsonl")
	return jsonl.Place{ID: id}, ok && !strings.Contains(id, "/")
}
