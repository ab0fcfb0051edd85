package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"codememory"
)

// What cannot be edited safely is refused with the place and what to do, and
// nothing at all is written.
func TestRefusals(t *testing.T) {
	tests := map[string]struct {
		agent string
		file  string
		text  string
		want  []string // in the message
		code  codememory.Code
	}{
		"broken JSON": {
			"claude-code", ".claude/settings.json", "{\n  \"a\": 1\n  \"b\": 2\n}", []string{".claude/settings.json", "line 3", "nothing was changed"}, codememory.Invalid,
		},
		"broken JSON in the second file": {
			"claude-code", ".claude.json", "{\"a\": ", []string{".claude.json", "line 1"}, codememory.Invalid,
		},
		"not an object": {
			"gemini", ".gemini/settings.json", "[]", []string{".gemini/settings.json", "object"}, codememory.Invalid,
		},
		"hooks that are no object": {
			"claude-code", ".claude/settings.json", `{"hooks": []}`, []string{"hooks"}, codememory.Invalid,
		},
		"an event that is no list": {
			"codex", ".codex/hooks.json", `{"hooks": {"Stop": {"command": "x"}}}`, []string{"hooks.Stop", "list"}, codememory.Invalid,
		},
		"permissions that are no list": {
			"claude-code", ".claude/settings.json", `{"permissions": {"allow": "all"}}`, []string{"permissions.allow"}, codememory.Invalid,
		},
		"broken TOML": {
			"codex", ".codex/config.toml", "model = \"x\"\n[mcp_servers\n", []string{".codex/config.toml", "line 2"}, codememory.Invalid,
		},
		"TOML with a table twice": {
			"codex", ".codex/config.toml", "[a]\nb = 1\n[a]\n", []string{".codex/config.toml", "line 3"}, codememory.Invalid,
		},
		"servers in a TOML table of one line": {
			"codex", ".codex/config.toml", "mcp_servers = { docs = { command = \"x\" } }\n", []string{"mcp_servers.codememory", "by hand"}, codememory.Conflict,
		},
		"a server of that name in TOML": {
			"codex", ".codex/config.toml", "[mcp_servers.codememory]\ncommand = \"other\"\n", []string{"mcp_servers.codememory", "another name"}, codememory.Conflict,
		},
		"a server of that name in JSON": {
			"cursor", ".cursor/mcp.json", `{"mcpServers": {"codememory": {"url": "http://example.com"}}}`, []string{"mcpServers.codememory", "another name"}, codememory.Conflict,
		},
		"a skill of that name": {
			"claude-code", ".claude/skills/memory-recall/SKILL.md", "mine", []string{"SKILL.md", "not CodeMemory's"}, codememory.Conflict,
		},
		"a block without an end": {
			"windsurf", ".codeium/windsurf/memories/global_rules.md", "a\n<!-- codememory:begin v1 -->\nb\n", []string{"global_rules.md", "line 2"}, codememory.Invalid,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(tt.file, tt.text)
			before := m.tree()
			_, err := m.connector(tt.agent, "").Install()
			if codememory.CodeOf(err) != tt.code {
				t.Errorf("got %v, want the code %v", err, tt.code)
			}
			for _, want := range tt.want {
				if err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in: %v", want, err)
				}
			}
			same(t, "something was written", before, m.tree())
		})
	}
}

func TestWriteProtectedFileIsRefused(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", "{}")
	file := filepath.Join(m.home, ".claude", "settings.json")
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	before := m.tree()
	if _, err := m.connector("claude-code", "").Install(); codememory.CodeOf(err) != codememory.ReadOnly || !strings.Contains(err.Error(), file) {
		t.Errorf("got %v", err)
	}
	same(t, "something was written", before, m.tree())

	if err := os.Chmod(file, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := m.connector("claude-code", "").Install(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	plan, err := m.connector("claude-code", "").Uninstall()
	if err != nil {
		t.Fatal(err)
	}
	kept := false
	for _, c := range plan.Changes {
		kept = kept || c.Action == Keep && c.Path == file && strings.Contains(c.Why, "write-protected")
	}
	if !kept {
		t.Errorf("it is not said that the file stays: %+v", plan.Changes)
	}
}

// meddler changes its file between planning and writing.
type meddler struct{ path string }

func (e meddler) with(text []byte) ([]byte, error) {
	return []byte("ours"), os.WriteFile(e.path, append(text, '!'), 0o600)
}
func (e meddler) without(text, _ []byte) ([]byte, error) { return text, nil }

func TestFailureTakesBackWhatWasDone(t *testing.T) {
	m := newMachine(t)
	m.write("a.json", "{ }")
	m.write("late.txt", "theirs")
	before := m.tree()
	late := filepath.Join(m.home, "late.txt")
	i := Integration{Agent: "test", data: m.surroundings().Layout.Data, wanted: func(manifest) ([]part, error) {
		return []part{
			{path: filepath.Join(m.home, "a.json"), edit: settings{servers: at(server{Command: "codememory", Args: []string{"mcp"}}, "mcpServers", "codememory")}},
			{path: filepath.Join(m.home, "new", "b.txt"), edit: whole{[]byte("ours"), []byte("ours")}},
			{path: late, edit: meddler{late}},
		}, nil
	}}
	if _, err := i.Install(); codememory.CodeOf(err) != codememory.Conflict || !strings.Contains(err.Error(), late) {
		t.Errorf("got %v", err)
	}
	after := m.tree()
	before["late.txt"] = after["late.txt"]
	same(t, "half an installation is left", before, after)
}

// Taking out what is not there changes nothing, whatever else is in the file.
func TestNothingToTakeOut(t *testing.T) {
	for name, e := range map[string]edit{
		"{}\n":           settings{scaffold: at(1, "version"), servers: at(1, "mcpServers", "codememory")},
		"{}":             claudeSettings(places{}),
		"\n":             table{path: []string{"a"}},
		" \n\n":          block{"x"},
		"mine":           whole{[]byte("x"), []byte("y")},
		"{\"hooks\":{}}": claudeSettings(places{}),
	} {
		if got, err := e.without([]byte(name), nil); err != nil || string(got) != name || got == nil {
			t.Errorf("%q became %q, %v", name, got, err)
		}
	}
}

func TestLinksAreWrittenThrough(t *testing.T) {
	m := newMachine(t)
	m.write("dotfiles/settings.json", "{\n  \"model\": \"opus\"\n}\n")
	m.write(".claude/CLAUDE.md", "x")
	link := filepath.Join(m.home, ".claude", "settings.json")
	if err := os.Symlink(filepath.Join("..", "dotfiles", "settings.json"), link); err != nil {
		t.Skip(err)
	}
	dangling := filepath.Join(m.home, ".claude.json")
	if err := os.Symlink(filepath.Join(m.home, "dotfiles", "claude.json"), dangling); err != nil {
		t.Fatal(err)
	}
	c := m.connector("claude-code", "")
	if _, err := c.Install(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dangling} {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", path)
		}
		if data, err := os.ReadFile(path); err != nil || !strings.Contains(string(data), "codememory") {
			t.Errorf("%s: %s, %v", path, data, err)
		}
	}
	if _, err := c.Uninstall(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(link); err != nil || string(data) != "{\n  \"model\": \"opus\"\n}\n" {
		t.Errorf("%s, %v", data, err)
	}
	if _, err := os.Lstat(dangling); err != nil || exists(filepath.Join(m.home, "dotfiles", "claude.json")) {
		t.Errorf("%v; the link should lead nowhere again", err)
	}

	if err := os.Symlink("b", filepath.Join(m.home, "a")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", filepath.Join(m.home, "b")); err != nil {
		t.Fatal(err)
	}
	if _, err := through(filepath.Join(m.home, "a")); err == nil {
		t.Error("followed a circle of links")
	}
}
