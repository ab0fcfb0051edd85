package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"codememory/internal/cli/term"
)

// read is a command that only looks.
type read struct {
	args []string
	// document marks output that is printed as it is: lines are not fitted to
	// the terminal.
	document bool
}

// reads calls every command that only looks, on a prepared home.
func reads(h *home) []read {
	id := h.ids[0]
	return []read{
		{args: []string{"search", "how", "do", "I", "run", "the", "integration", "tests"}},
		{args: []string{"search", "--why", "--floor", "0", "支付服务"}},
		{args: []string{"list"}},
		{args: []string{"list", "--scope", "both", "--all"}},
		{args: []string{"list", "--all-projects", "--all"}},
		{args: []string{"show", id}},
		{args: []string{"show", h.ids[4]}},
		{args: []string{"history", id}},
		{args: []string{"context", "--goal", "run the integration tests"}, document: true},
		{args: []string{"why", "run", "the", "integration", "tests"}},
		{args: []string{"journal"}, document: true},
		{args: []string{"journal", "--days"}},
		{args: []string{"sessions"}},
		{args: []string{"sessions", "notes"}},
		{args: []string{"sessions", "show", claudeSession}, document: true},
		{args: []string{"sessions", "path", claudeSession}, document: true},
		{args: []string{"sessions", "export"}, document: true},
		{args: []string{"handoff", h.session, "--to", "codex"}, document: true},
		{args: []string{"transcript", h.session}, document: true},
		{args: []string{"expand", id}, document: true},
		{args: []string{"entities"}},
		{args: []string{"review"}},
		{args: []string{"projects"}},
		{args: []string{"projects", "list"}},
		{args: []string{"export"}, document: true},
		{args: []string{"status"}},
		{args: []string{"doctor"}},
		{args: []string{"stats"}},
		{args: []string{"verify"}},
		{args: []string{"config"}},
		{args: []string{"config", "list", "--changed"}},
		{args: []string{"config", "get", "http.port"}},
		{args: []string{"config", "explain", "http.port"}},
		{args: []string{"config", "path"}, document: true},
		{args: []string{"backfill", "--dry-run"}},
		{args: []string{"consolidate", "--dry-run"}},
		{args: []string{"config", "prompt", "extract"}, document: true},
		{args: []string{"costs"}},
		{args: []string{"extract", "--dry-run"}},
		{args: []string{"version"}},
	}
}

// changes are the commands that do something, and those whose output is a
// format of its own.
var changes = []string{
	"archive", "backup", "checkpoint", "completion", "config set", "config unset", "daemon", "dashboard", "edit", "eval", "forget", "hook", "import",
	"init", "install", "mcp", "pin", "projects forget", "projects merge", "projects rename", "promote", "purge", "rebuild", "reference", "remember",
	"restore", "review accept", "review reject", "stop", "unarchive", "undo", "uninstall", "unpin",
}

func TestEveryCommandIsKnownToReadOrToChange(t *testing.T) {
	known := slices.Clone(changes)
	for _, r := range reads(&home{ids: make([]string, len(texts))}) {
		cmd, _, err := tree().Find(r.args)
		if err != nil {
			t.Fatal(err)
		}
		known = append(known, strings.TrimPrefix(cmd.CommandPath(), "codememory "))
	}
	everyCommand(tree(), func(cmd *cobra.Command) {
		path := strings.TrimPrefix(cmd.CommandPath(), "codememory ")
		if cmd.Runnable() && cmd.HasParent() && !slices.Contains(known, path) {
			t.Errorf("%q is in neither list: add it to reads, or to changes and a script of its own", path)
		}
	})
}

func TestTheHelpOnJSONNamesEveryCommand(t *testing.T) {
	without := []string{"completion", "daemon", "hook", "mcp", "reference"} // what they print has a form of its own
	words := func(text string) []string {
		return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" ,;\n", r) })
	}
	var heads []string // what stands in the first column
	for line := range strings.Lines(jsonTopic) {
		if head, ok := strings.CutPrefix(line, "  "); ok && !strings.HasPrefix(head, " ") {
			head, _, _ = strings.Cut(head, "{")
			heads = append(heads, words(head)...)
		}
	}
	everyCommand(tree(), func(cmd *cobra.Command) {
		named := heads
		if cmd.HasParent() && cmd.Parent().HasParent() {
			named = words(jsonTopic)
		}
		if cmd.Runnable() && cmd.HasParent() && !slices.Contains(without, cmd.Name()) && !slices.Contains(named, cmd.Name()) {
			t.Errorf("\"codememory help json\" says nothing about %s", cmd.CommandPath())
		}
	})
}

func TestReads(t *testing.T) {
	h := prepared(t)
	for _, r := range reads(h) {
		name := strings.Join(r.args, " ")
		t.Run(name, func(t *testing.T) {
			h.t = t
			t.Run("has JSON", func(t *testing.T) {
				got := h.run(append(slices.Clone(r.args), "--json")...)
				var document any
				if err := json.Unmarshal([]byte(got.out), &document); err != nil || got.code != exitOK {
					t.Fatalf("exit code %d, %v: stdout %s, stderr %s", got.code, err, got.out, got.err)
				}
				switch document := document.(type) {
				case []any: // the memories of an export
					if len(document) == 0 {
						t.Error("an empty list")
					}
				case map[string]any:
					for field, value := range document {
						if value == nil {
							t.Errorf("field %q is null", field)
						}
					}
				default:
					t.Errorf("neither an object nor a list: %v", document)
				}
			})
			t.Run("has no colour beside a terminal", func(t *testing.T) {
				got := h.run(r.args...)
				if got.code != exitOK || strings.ContainsRune(got.out+got.err, '\x1b') {
					t.Errorf("exit code %d, %q %q", got.code, got.out, got.err)
				}
			})
			if r.document {
				return
			}
			for columns, setting := range map[int]string{40: "40", 80: "80", 200: "200"} {
				t.Run("fits into "+setting+" columns", func(t *testing.T) {
					got := h.runWith("", map[string]string{"COLUMNS": setting}, r.args...)
					for line := range strings.Lines(got.out) {
						if w := term.Width(strings.TrimSuffix(line, "\n")); w > columns {
							t.Errorf("a line of %d columns: %q", w, line)
						}
					}
				})
			}
		})
	}
}
