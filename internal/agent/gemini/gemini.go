// Package gemini reads the conversations of Gemini CLI from the files in which
// it records its chats.
package gemini

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"codememory/internal/agent/jsonl"
)

// Agent is the name under which turns and conversations come.
const Agent = "gemini"

// Options say where the chats are and how to read them. Dir overrides the folder
// .gemini.
type Options = jsonl.Options

// Reader reads Gemini CLI's chats.
type Reader = jsonl.Reader

// settle is how long an answer must stand until it counts as the last: Gemini
// CLI records neither the end of a turn nor the calls of tools before they are
// done.
const settle = 2 * time.Minute

// New returns a reader. The folder need not exist yet.
func New(o Options) *Reader {
	o = o.WithDefaults()
	var roots []string
	dir := home(o)
	if dir != "" {
		roots = []string{filepath.Join(dir, "tmp")}
	}
	return jsonl.NewReader(jsonl.Format{
		Agent: Agent, Name: "Gemini CLI", Roots: roots, Enter: enter, Identify: identify, Settle: settle,
		Begin: func(p jsonl.Place, keep int) jsonl.Parser { return newParser(dir, p, o.Strip, keep) },
	}, o)
}

// home is where Gemini CLI keeps everything.
func home(o Options) string {
	if o.Dir != "" {
		return o.Dir
	}
	home := o.Env("GEMINI_CLI_HOME")
	if home == "" {
		home = o.Home()
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, ".gemini")
}

// enter knows <project>/chats/<session>.
func enter(rel string) bool {
	parts := strings.Split(rel, "/")
	return len(parts) == 1 || parts[1] == "chats" && len(parts) <= 3
}

// identify tells sessions, <project>/chats/session-….jsonl, from subagents,
// <project>/chats/<session>/<id>.jsonl. The id is in the first row only.
func identify(root, rel string) (jsonl.Place, bool) {
	parts := strings.Split(rel, "/")
	if len(parts) < 3 || len(parts) == 3 && !strings.HasPrefix(parts[2], "session-") {
		return jsonl.Place{}, false
	}
	var m metadata
	first, err := jsonl.FirstLine(filepath.Join(root, filepath.FromSlash(rel)))
	if err != nil || json.Unmarshal(first, &m) != nil || m.Session == "" {
		return jsonl.Place{}, false
	}
	p := jsonl.Place{ID: m.Session}
	if len(parts) == 4 {
		p.Parent = parts[2]
	}
	return p, true
}
