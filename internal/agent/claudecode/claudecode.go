// Package claudecode reads the conversations of Claude Code from the files it
// appends to while it works: one for each session, and one for each subagent.
package claudecode

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codememory/internal/agent/jsonl"
)

// Agent is the name under which turns and conversations come.
const Agent = "claude-code"

// Options say where the transcripts are and how to read them. Dir overrides
// Claude Code's configuration folder.
type Options = jsonl.Options

// Reader reads Claude Code's transcripts.
type Reader = jsonl.Reader

// settle is how long a turn that looks finished must stay unchanged when the
// release does not record why the model stopped.
const settle = 10 * time.Second

// New returns a reader. The folder need not exist yet.
func New(o Options) *Reader {
	o = o.WithDefaults()
	var roots []string
	if dir := configDir(o); dir != "" {
		roots = []string{filepath.Join(dir, "projects")}
	}
	return jsonl.NewReader(jsonl.Format{
		Agent: Agent, Name: "Claude Code", Roots: roots, Enter: enter, Identify: identify, Settle: settle,
		Begin: func(p jsonl.Place, keep int) jsonl.Parser { return newParser(p, o.Strip, keep) },
	}, o)
}

// configDir is where Claude Code keeps everything.
func configDir(o Options) string {
	if o.Dir != "" {
		return o.Dir
	}
	if dir := o.Env("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	if home := o.Home(); home != "" {
		return filepath.Join(home, ".claude")
	}
	return ""
}

// enter knows the folders of projects, of sessions in them and of their
// subagents. What is in the others is not a conversation.
func enter(rel string) bool {
	parts := strings.Split(rel, "/")
	return len(parts) <= 2 || parts[2] == "subagents"
}

// identify tells sessions, <project>/<session>.jsonl, from subagents,
// <project>/<session>/subagents/…/agent-<id>.jsonl. The name of the project's
// folder is made from its path, but not so that the path could be had back.
func identify(root, rel string) (jsonl.Place, bool) {
	name, ok := strings.CutSuffix(filepath.Base(rel), ".jsonl")
	if !ok {
		return jsonl.Place{}, false
	}
	parts := strings.Split(rel, "/")
	if len(parts) == 2 {
		id, sub := strings.CutPrefix(name, "agent-")
		if !sub {
			return jsonl.Place{ID: name}, true
		}
		// Older releases put subagents beside the sessions.
		return jsonl.Place{ID: id, Parent: parentOf(filepath.Join(root, filepath.FromSlash(rel)))}, true
	}
	id, sub := strings.CutPrefix(name, "agent-")
	if !sub || len(parts) < 4 {
		return jsonl.Place{}, false
	}
	return jsonl.Place{ID: id, Parent: parts[1]}, true
}

// parentOf returns the session that the first row of a subagent names.
func parentOf(path string) string {
	var row struct {
		Session string `json:"sessionId"`
	}
	first, err := jsonl.FirstLine(path)
	if err != nil || json.Unmarshal(first, &row) != nil {
		return ""
	}
	return row.Session
}

// meta is what Claude Code notes beside the transcript of a subagent.
type meta struct {
	Description string `json:"description"`
	ToolUse     string `json:"toolUseId"`
}

// metaOf reads the notes about a subagent, which not every release makes.
func metaOf(path string) (m meta) {
	b, err := os.ReadFile(strings.TrimSuffix(path, ".jsonl") + ".meta.json")
	if err == nil {
		_ = json.Unmarshal(b, &m) // without them the title is the task
	}
	return m
}
