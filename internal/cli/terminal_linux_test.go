package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/cli/term"
)

func TestOnATerminal(t *testing.T) {
	h := prepared(t)
	t.Run("there is colour, unless it is unwanted", func(t *testing.T) {
		h.t = t
		for _, args := range [][]string{{"list"}, {"search", "integration tests"}, {"status"}, {"journal"}} {
			if got := h.onTerminal(80, map[string]string{"TERM": "xterm"}, args...); !strings.Contains(got, "\x1b[") {
				t.Errorf("%v has no colour: %q", args, got)
			}
			for _, env := range []map[string]string{{"NO_COLOR": "1", "TERM": "xterm"}, {"TERM": "dumb"}} {
				if got := h.onTerminal(80, env, args...); strings.ContainsRune(got, '\x1b') {
					t.Errorf("%v with %v has colour: %q", args, env, got)
				}
			}
			if got := h.onTerminal(80, nil, append(slices.Clone(args), "--no-color")...); strings.ContainsRune(got, '\x1b') {
				t.Errorf("%v --no-color has colour: %q", args, got)
			}
		}
	})
	t.Run("lines are as long as it is wide", func(t *testing.T) {
		h.t = t
		for _, columns := range []uint16{40, 80, 200} {
			for _, args := range [][]string{{"list", "--all"}, {"status"}} { // the others are measured by COLUMNS
				screen := newTerminal(t, columns)
				h.execute(t.Context(), strings.NewReader(""), screen.File, io.Discard, map[string]string{"NO_COLOR": "1"}, args...)
				for line := range strings.Lines(screen.shown()) {
					if w := term.Width(strings.TrimSuffix(line, "\n")); w > int(columns) {
						t.Errorf("%v: a line of %d columns on a terminal of %d: %q", args, w, columns, line)
					}
				}
			}
		}
	})
	t.Run("what others wrote cannot drive it", func(t *testing.T) {
		h.t = t
		for _, args := range [][]string{{"transcript", h.session}, {"journal"}, {"sessions", "show", h.session}, {"handoff", h.session}, {"sessions"}} {
			if got := h.onTerminal(80, map[string]string{"TERM": "xterm"}, args...); strings.Contains(got, "\x1b]") || strings.ContainsRune(got, '\a') {
				t.Errorf("%v: %q", args, got)
			}
		}
	})
}

// TestProgress calls what takes long on a terminal, beside one, and for programs.
func TestProgressIsForPeopleOnly(t *testing.T) {
	h := newHome(t)
	file := filepath.Join(h.dir, "many.jsonl")
	var rows strings.Builder
	for i := range 450 {
		fmt.Fprintf(&rows, "{\"text\": \"the service number %d listens on port %d\"}\n", i, 4000+i)
	}
	if err := os.WriteFile(file, []byte(rows.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	database := filepath.Join(h.dir, ".local", "share", "opencode", "opencode.db")
	if err := os.MkdirAll(filepath.Dir(database), 0o755); err != nil {
		t.Fatal(err)
	}
	db := opencodetest.Create(t, database)
	for i := range 20 {
		db.Session(h.project, fmt.Sprintf("task %d", i)).Turn(fmt.Sprintf("do task %d", i), "It is done.")
	}
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"import", file}, "import ["},
		{[]string{"rebuild"}, "rebuild ["},
		{[]string{"export", "-o", filepath.Join(h.dir, "out.jsonl")}, "export ["},
		{[]string{"backfill"}, "backfill ["},
	}
	for _, tt := range tests {
		t.Run(tt.args[0], func(t *testing.T) {
			h.t = t
			got := h.onTerminal(80, map[string]string{"TERM": "xterm"}, tt.args...)
			if !strings.Contains(got, "\r\x1b[K"+tt.want) {
				t.Errorf("no progress: %q", got)
			}
			if _, after, _ := strings.Cut(got, tt.want); !strings.Contains(after, "\r\x1b[K") {
				t.Errorf("the progress stays on the screen: %q", got)
			}
			if got := h.must(tt.args...); strings.ContainsAny(got.out+got.err, "\r\x1b") {
				t.Errorf("progress without a terminal: %q %q", got.out, got.err)
			}
			for _, flag := range []string{"--json", "--quiet"} {
				if got := h.onTerminal(80, map[string]string{"TERM": "xterm"}, append(slices.Clone(tt.args), flag)...); strings.Contains(got, tt.want) {
					t.Errorf("progress with %s: %q", flag, got)
				}
			}
		})
	}
}
