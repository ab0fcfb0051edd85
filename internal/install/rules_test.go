package install

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/google/go-cmp/cmp"
)

func TestRulesGoWhereAgentsReadThem(t *testing.T) {
	tests := map[string]struct {
		there []string
		want  []string
	}{
		"nothing yet":             {nil, []string{"AGENTS.md"}},
		"AGENTS.md":               {[]string{"AGENTS.md"}, []string{"AGENTS.md"}},
		"CLAUDE.md hides AGENTS":  {[]string{"CLAUDE.md"}, []string{"CLAUDE.md"}},
		"both":                    {[]string{"AGENTS.md", "CLAUDE.md"}, []string{"AGENTS.md", "CLAUDE.md"}},
		"Cursor has its own file": {[]string{"AGENTS.md", ".cursor/mcp.json"}, []string{".cursor/rules/codememory.mdc", "AGENTS.md"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			for _, file := range append([]string{"shop/go.mod"}, prefixed("shop/", tt.there)...) {
				m.write(file, "mine\n")
			}
			before := m.tree()
			r := Rules(m.surroundings(), filepath.Join(m.home, "shop"))
			if _, err := r.Install(); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, name := range added(before, m.tree()) {
				rest, ok := strings.CutPrefix(name, "shop/")
				if info, err := os.Stat(filepath.Join(m.home, name)); ok && err == nil && !info.IsDir() {
					got = append(got, rest)
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if plan, err := r.Install(); err != nil || !plan.Empty() {
				t.Errorf("the second time: %+v, %v", plan, err)
			}
			if _, err := r.Uninstall(); err != nil {
				t.Fatal(err)
			}
			same(t, "not as before", before, m.tree())
		})
	}
}

func prefixed(prefix string, names []string) []string {
	var list []string
	for _, name := range names {
		list = append(list, prefix+name)
	}
	return list
}

func TestBlock(t *testing.T) {
	b := block{"new\ntext"}
	const ours = "<!-- codememory:begin v1 -->\nnew\ntext\n<!-- codememory:end -->\n"
	tests := map[string]struct{ before, after, without string }{
		"an empty file":        {"", ours, ""},
		"text":                 {"# Shop\n", "# Shop\n\n" + ours, "# Shop\n"},
		"text without an end":  {"# Shop", "# Shop\n\n" + ours, "# Shop\n"},
		"empty lines below":    {"# Shop\n\n\n", "# Shop\n\n\n\n" + ours, "# Shop\n\n\n"},
		"an older block":       {"a\n\n<!-- codememory:begin v0 extra -->\nold\n<!-- codememory:end -->\n\nb\n", "a\n\n" + ours + "\nb\n", "a\n\nb\n"},
		"a block at the end":   {"a\n\n<!-- codememory:begin v1 -->\nold\n<!-- codememory:end -->", "a\n\n" + strings.TrimSuffix(ours, "\n"), "a\n"},
		"two blocks":           {"a\n\n" + ours + "b\n\n" + ours, "a\n\n" + ours + "b\n", "a\n\nb\n"},
		"line ends of Windows": {"a\r\n", "a\r\n\r\n" + strings.ReplaceAll(ours, "\n", "\r\n"), "a\r\n"},
		"a block up to date":   {"a\n\n" + ours + "b\n", "a\n\n" + ours + "b\n", "a\n\nb\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := b.with([]byte(tt.before))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.after, string(got)); diff != "" {
				t.Errorf("with (-want +got):\n%s", diff)
			}
			again, err := b.with(got)
			if err != nil || string(again) != string(got) {
				t.Errorf("the second time %q, %v", again, err)
			}
			gone, err := b.without(got, []byte("x"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.without, string(gone)); diff != "" {
				t.Errorf("without (-want +got):\n%s", diff)
			}
		})
	}
}

// Agents choose a skill by its head.
func TestSkillsHaveAHead(t *testing.T) {
	for _, p := range skills("skills") {
		text := string(p.edit.(whole).text)
		parts := strings.SplitN(text, "---\n", 3)
		if len(parts) != 3 || parts[0] != "" {
			t.Fatalf("%s has no head", p.path)
		}
		var head struct{ Name, Description string }
		if err := yaml.Unmarshal([]byte(parts[1]), &head); err != nil {
			t.Fatalf("%s: %v", p.path, err)
		}
		if head.Name != filepath.Base(filepath.Dir(p.path)) || len(head.Description) < 50 || len(head.Description) > 1024 {
			t.Errorf("%s: %+v", p.path, head)
		}
		if !strings.Contains(parts[2], skillMark) {
			t.Errorf("%s could not be known again", p.path)
		}
	}
	if n := len(strings.Fields(rulesText)); n > 180 {
		t.Errorf("the rules have %d words: every call of a model pays for them", n)
	}
}
