package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory/internal/agent/opencode/opencodetest"
)

// The session in the prepared home, as the real Claude Code recorded it.
const claudeSession = "e49cab28-41eb-4031-ae88-702be1db60cc"

// home is a machine of its own: a home directory with agents' records in it, and
// a project in which things were remembered. Commands run in this process on real
// stores.
type home struct {
	t       *testing.T
	dir     string
	project string
	now     time.Time
	ids     []string // of the memories, oldest first
	session string   // of OpenCode
}

// texts are what is remembered: scripts of double width, emoji, long words.
var texts = [][]string{
	{"integration tests need docker compose up db first, and scripts/seed.sh fills the schema"},
	{"--type", "architecture", "--pin", "支付服务通过 Kafka 与订单服务通信，消息格式是 protobuf，版本在 schema registry 里，不要直接改 topic"},
	{"--type", "preference", "--scope", "user", "answer in short sentences 🚀, 日本語のコメントは避ける, never a 👩‍👩‍👧 emoji"},
	{"--category", "rejected_alternative", "no Redis: one more thing to run"},
	{"--type", "error-solution", "AVeryLongIdentifierThatHasNoSpacesAtAllAndGoesOnAndOnUntilItIsWiderThanAnyTerminalThatAPersonWouldEverOpen fails when the clock is wrong"},
}

// newHome makes an empty home and a project in it.
func newHome(t *testing.T) *home {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	h := &home{t: t, dir: dir, project: filepath.Join(dir, "dev", "shop"), now: time.Date(2026, 11, 15, 18, 0, 0, 0, time.UTC)}
	for name, value := range map[string]string{
		"HOME": dir, "USERPROFILE": dir, "XDG_DATA_HOME": filepath.Join(dir, ".local", "share"), "XDG_CONFIG_HOME": filepath.Join(dir, ".config"),
		"XDG_STATE_HOME": filepath.Join(dir, ".local", "state"), "XDG_CACHE_HOME": filepath.Join(dir, ".cache"), "TZ": "UTC", "COLUMNS": "", "NO_COLOR": "",
		"CLAUDE_CONFIG_DIR": "", "CODEX_HOME": "", "CODEMEMORY_DATA_DIR": filepath.Join(dir, ".local", "share", "codememory"), "CODEMEMORY_PROJECT": "",
		"CODEMEMORY_CONFIG": "", "CODEMEMORY_STATE_DIR": "",
		"CODEMEMORY_EMBEDDING_PROVIDER": "none", "CODEMEMORY_DAEMON_AUTOSTART": "false", "GIT_CEILING_DIRECTORIES": dir,
	} {
		t.Setenv(name, value)
	}
	if err := os.MkdirAll(h.project, 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

// prepared is a home in which Claude Code and OpenCode worked and things were
// remembered, changed and forgotten.
func prepared(t *testing.T) *home {
	t.Helper()
	h := newHome(t)
	h.claude()
	h.opencode()
	for _, args := range texts {
		var added struct{ Memory struct{ ID string } }
		h.json(&added, append([]string{"remember"}, args...)...)
		h.ids = append(h.ids, added.Memory.ID)
	}
	h.must("edit", h.ids[0], "integration tests need docker compose up db and redis first, and scripts/seed.sh fills the schema")
	h.must("forget", h.ids[3], "--reason", "we run Redis now")
	h.must("backfill")
	return h
}

// claude puts a real transcript where Claude Code keeps it.
func (h *home) claude() {
	h.t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "agent", "claudecode", "testdata", "claude-code-session.jsonl"))
	if err != nil {
		h.t.Fatal(err)
	}
	data = bytes.ReplaceAll(data, []byte("/home/dev/work/proj"), []byte(filepath.ToSlash(h.project)))
	folder := filepath.Join(h.dir, ".claude", "projects", "shop")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, claudeSession+".jsonl"), data, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

// opencode makes the database of an OpenCode that was asked something.
func (h *home) opencode() {
	h.t.Helper()
	file := filepath.Join(h.dir, ".local", "share", "opencode", "opencode.db")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	const ask = "修复登录测试 🚀 and say why it failed in the first place"
	s := opencodetest.Create(h.t, file).Session(h.project, ask)
	s.Turn(ask, "The clock was not frozen; \x1b]0;owned\x07 it is now.")
	h.session = s.ID
}

// run executes a command line in the project; stdin is empty.
func (h *home) run(args ...string) outcome { return h.runWith("", nil, args...) }

// runWith executes a command line with this standard input and these variables.
func (h *home) runWith(stdin string, env map[string]string, args ...string) outcome {
	h.t.Helper()
	var out, errs bytes.Buffer
	o := outcome{code: h.execute(h.t.Context(), strings.NewReader(stdin), &out, &errs, env, args...)}
	o.out, o.err = out.String(), errs.String()
	return o
}

// execute runs a command line on any streams.
func (h *home) execute(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer, env map[string]string, args ...string) int {
	p := newProgram(stdin, stdout, stderr)
	p.now = func() time.Time { return h.now }
	p.workdir = func() (string, error) { return h.project, nil }
	p.getenv = func(name string) string {
		if value, ok := env[name]; ok {
			return value
		}
		return os.Getenv(name)
	}
	return p.execute(ctx, args)
}

// must is run for what has to work.
func (h *home) must(args ...string) outcome {
	h.t.Helper()
	o := h.run(args...)
	if o.code != exitOK {
		h.t.Fatalf("codememory %s: exit code %d: %s", strings.Join(args, " "), o.code, o.err)
	}
	return o
}

// json is must with --json, decoded.
func (h *home) json(into any, args ...string) {
	h.t.Helper()
	o := h.must(append(args, "--json")...)
	if err := json.Unmarshal([]byte(o.out), into); err != nil {
		h.t.Fatalf("codememory %s: %v in %s", strings.Join(args, " "), err, o.out)
	}
}
