package install

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codememory/internal/jsonc"
	"codememory/internal/paths"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// house is a home from testdata with the agents to connect in it.
type house struct {
	machine
	agents  []string
	project string
	golden  bool
}

// enter makes a home from an archive. The lines before its first file say which
// agents are connected, for which project, and what is special.
func enter(t *testing.T, file string) house {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the places in this home are those of other systems")
	}
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	h := house{machine: newMachine(t), golden: true}
	for _, f := range a.Files {
		h.write(f.Name, string(f.Data))
	}
	for line := range strings.Lines(string(a.Comment)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch key {
		case "agent":
			h.agents = strings.Fields(value)
		case "golden":
			h.golden = value != "no"
		case "project":
			h.project = filepath.Join(h.home, value)
		case "env":
			name, text, _ := strings.Cut(value, "=")
			h.env[name] = strings.ReplaceAll(text, "$HOME", h.home)
		case "mode":
			name, mode, _ := strings.Cut(value, " ")
			bits, err := strconv.ParseUint(mode, 8, 32)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(filepath.Join(h.home, name), os.FileMode(bits)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

// nowhere is a machine on which no program is found.
func nowhere(string) (string, error) { return "", os.ErrNotExist }

func (m machine) surroundings() Machine {
	m.Helper()
	layout, err := paths.Resolve(m.getenv)
	if err != nil {
		m.Fatal(err)
	}
	return Machine{Getenv: m.getenv, LookPath: nowhere, GOOS: "linux", Layout: layout, Binary: "/usr/local/bin/codememory", Version: "v1"}
}

func (m machine) connector(agent, project string) Connector {
	m.Helper()
	a, err := FindAgent(agent)
	if err != nil {
		m.Fatal(err)
	}
	c, err := a.Connect(m.surroundings(), project)
	if err != nil {
		m.Fatal(err)
	}
	return c
}

func (h house) each(do func(Connector) (Plan, error)) []Plan {
	h.Helper()
	var plans []Plan
	for _, name := range h.agents {
		plan, err := do(h.connector(name, h.project))
		if err != nil {
			h.Fatalf("%s: %v", name, err)
		}
		plans = append(plans, plan)
	}
	return plans
}

// shown are the plans as a dry run prints them, with ~ for the home.
func (h house) shown(plans []Plan) string {
	var b strings.Builder
	for _, p := range plans {
		for _, c := range p.Changes {
			if c.Action != Keep {
				fmt.Fprintf(&b, "%s: %s %s (%s)\n", p.Agent, c.Action, c.Path, c.Why)
				if c.Why != "a skill" { // their texts are in files of their own
					b.WriteString(c.Diff())
				}
			}
			if c.Warning != "" {
				fmt.Fprintf(&b, "warning: %s\n", c.Warning)
			}
		}
	}
	return strings.ReplaceAll(b.String(), h.home, "~")
}

func everyHome(t *testing.T, test func(*testing.T, string)) {
	files, err := filepath.Glob(filepath.Join("testdata", "homes", "*.txtar"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d homes, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { test(t, file) })
	}
}

func same(t *testing.T, what string, want, got map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// The golden files are what a user is shown before anything is written.
func TestHomes(t *testing.T) {
	everyHome(t, func(t *testing.T, file string) {
		h := enter(t, file)
		before := h.tree()
		dry := h.shown(h.each(Connector.Plan))
		same(t, "a dry run changed something", before, h.tree())

		done := h.shown(h.each(Connector.Install))
		if len(h.agents) == 1 && dry != done {
			t.Errorf("shown (-) and done (+) differ:\n%s", cmp.Diff(dry, done))
		}
		golden := strings.TrimSuffix(file, ".txtar") + ".diff"
		if *update && h.golden {
			if err := os.WriteFile(golden, []byte(done), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(golden); h.golden {
			if diff := cmp.Diff(string(want), done); err != nil || diff != "" {
				t.Errorf("%v; -want +got (refresh with -update):\n%s", err, diff)
			}
		}

		installed := h.tree()
		for _, plan := range h.each(Connector.Install) {
			if !plan.Empty() {
				t.Errorf("%s: the second time it still does %s", plan.Agent, h.shown([]Plan{plan}))
			}
		}
		same(t, "the second time changed something", installed, h.tree())
		h.each(Connector.PlanUninstall)
		same(t, "the plan to uninstall changed something", installed, h.tree())

		h.each(Connector.Uninstall)
		same(t, "not as before", before, h.tree())
	})
}

// meddle changes a configuration file as its owner might, and returns what it
// did not touch alone.
func meddle(t *testing.T, path string, text []byte) []byte {
	t.Helper()
	switch filepath.Ext(path) {
	case ".json", ".jsonc":
		d, err := jsonc.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Set(map[string]any{"yes": []int{1, 2}}, "foreign"); err != nil {
			t.Fatal(err)
		}
		return d.Bytes()
	case ".toml":
		return append(bytes.Clone(text), "\n[foreign]\nyes = 1\n"...)
	default:
		return append(bytes.Clone(text), "\nForeign.\n"...)
	}
}

func TestUninstallLeavesWhatOthersChanged(t *testing.T) {
	everyHome(t, func(t *testing.T, file string) {
		h := enter(t, file)
		before := h.tree()
		h.each(Connector.Install)
		want := maps.Clone(before)
		for name, was := range before {
			path := filepath.Join(h.home, name)
			now, err := os.ReadFile(path)
			mode, text, _ := strings.Cut(was, " ")
			if err != nil || strings.HasSuffix(was, string(now)) {
				continue // a folder, or not ours to change
			}
			if err := os.WriteFile(path, meddle(t, name, now), 0o600); err != nil {
				t.Fatal(err)
			}
			if filepath.Ext(name) == ".md" || filepath.Ext(name) == ".toml" {
				text = strings.TrimSuffix(text, "\n") + "\n" // a block begins a line of its own
			}
			want[name] = mode + " " + string(meddle(t, name, []byte(text)))
		}
		h.each(Connector.Uninstall)
		same(t, "what others changed", want, h.tree())
	})
}

// Claude Code and others read, change and write their files as a whole.
func TestUninstallAfterTheAgentRewroteItsFiles(t *testing.T) {
	everyHome(t, func(t *testing.T, file string) {
		h := enter(t, file)
		read := func() map[string]any {
			all := map[string]any{}
			for name := range h.tree() {
				data, err := os.ReadFile(filepath.Join(h.home, name))
				if err != nil || filepath.Ext(name) != ".json" || len(bytes.TrimSpace(data)) == 0 {
					continue
				}
				var v any
				if err := readJSON(data, &v); err != nil {
					t.Fatal(err)
				}
				all[name] = v
			}
			return all
		}
		before := read()
		h.each(Connector.Install)
		for name, v := range read() {
			path := filepath.Join(h.home, name)
			if strings.Contains(path, "codememory") || strings.Contains(path, "package-lock") {
				continue // ours
			}
			data, err := json.MarshalIndent(v, "", "    ")
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, data, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		h.each(Connector.Uninstall)
		if diff := cmp.Diff(before, read()); diff != "" {
			t.Errorf("-before +after:\n%s", diff)
		}
	})
}

// Whoever installs anew after others changed a file gets the same removal.
func TestInstallAgainAfterOthersChangedAFile(t *testing.T) {
	h := enter(t, filepath.Join("testdata", "homes", "claude-foreign.txtar"))
	path := filepath.Join(h.home, ".claude", "settings.json")
	original, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.each(Connector.Install)
	installed, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := bytes.Replace(meddle(t, path, installed), []byte("hook claude-code Stop"), []byte("hook claude-code Stopped"), 1)
	if err := os.WriteFile(path, changed, 0o644); err != nil {
		t.Fatal(err)
	}
	if plan := h.each(Connector.Install)[0]; plan.Empty() {
		t.Error("the changed hook was not mended")
	}
	h.each(Connector.Uninstall)
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(meddle(t, path, original)), string(got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAgentsShareFilesUntilTheLastGoes(t *testing.T) {
	h := enter(t, filepath.Join("testdata", "homes", "project-all.txtar"))
	before := h.tree()
	shared := map[string][]string{ // the agents that need a file
		".agents/skills/memory-recall/SKILL.md": {"codex", "antigravity"},
		".github/hooks/codememory.json":         {"copilot", "vscode"},
	}
	for _, order := range [][]string{h.agents, slices.Sorted(slices.Values(h.agents))} {
		h.each(Connector.Install)
		for i, name := range order {
			if _, err := h.connector(name, h.project).Uninstall(); err != nil {
				t.Fatal(err)
			}
			for file, users := range shared {
				needed := slices.ContainsFunc(order[i+1:], func(other string) bool { return slices.Contains(users, other) })
				if got := exists(filepath.Join(h.project, file)); got != needed {
					t.Errorf("after %s went, %s is there: %v", name, file, got)
				}
			}
		}
		same(t, "not as before", before, h.tree())
	}
}
