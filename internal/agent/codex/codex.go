// Package codex reads the conversations of Codex CLI from its rollouts: files to
// which it appends everything that happens in a thread.
package codex

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"codememory/internal/agent/jsonl"
)

// Agent is the name under which turns and conversations come.
const Agent = "codex"

// Options say where the rollouts are and how to read them. Dir overrides Codex's
// home.
type Options = jsonl.Options

// Reader reads Codex's rollouts.
type Reader = jsonl.Reader

// The folders of rollouts in Codex's home.
const (
	sessions = "sessions"
	archived = "archived_sessions"
)

// New returns a reader. The folder need not exist yet.
func New(o Options) *Reader {
	o = o.WithDefaults()
	var roots []string
	if dir := home(o); dir != "" {
		roots = []string{filepath.Join(dir, sessions), filepath.Join(dir, archived)}
	}
	return jsonl.NewReader(jsonl.Format{
		Agent: Agent, Name: "Codex", Roots: roots, Enter: enter, Identify: identify, Settle: o.Quiet,
		Begin: func(_ jsonl.Place, keep int) jsonl.Parser { return newParser(o.Strip, keep) },
	}, o)
}

// home is where Codex keeps everything.
func home(o Options) string {
	if o.Dir != "" {
		return o.Dir
	}
	if dir := o.Env("CODEX_HOME"); dir != "" {
		return dir
	}
	if home := o.Home(); home != "" {
		return filepath.Join(home, ".codex")
	}
	return ""
}

// enter knows sessions/YYYY/MM/DD.
func enter(rel string) bool { return strings.Count(rel, "/") < 3 }

// threadID is how the name of a rollout ends.
var threadID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)
})

// identify knows the thread by the file's name, rollout-<time>-<thread>.jsonl,
// or by its first row.
func identify(root, rel string) (jsonl.Place, bool) {
	name, ok := strings.CutSuffix(filepath.Base(rel), ".jsonl")
	if !ok || !strings.HasPrefix(name, "rollout-") {
		return jsonl.Place{}, false
	}
	p := jsonl.Place{ID: threadID().FindString(name), Archived: filepath.Base(root) == archived}
	if p.ID == "" {
		var r row
		var m sessionMeta
		first, err := jsonl.FirstLine(filepath.Join(root, filepath.FromSlash(rel)))
		if err != nil || json.Unmarshal(first, &r) != nil || json.Unmarshal(r.Payload, &m) != nil {
			return jsonl.Place{}, false
		}
		p.ID = m.ID
	}
	return p, p.ID != ""
}
