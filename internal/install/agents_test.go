package install

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"codememory/internal/hook"

	"github.com/google/go-cmp/cmp"
)

// lines are all hook commands that we would write for an agent.
func lines(t *testing.T, parts []part) []string {
	t.Helper()
	var found []string
	for _, p := range parts {
		s, ok := p.edit.(settings)
		if !ok {
			continue
		}
		for _, h := range s.hooks {
			data, err := json.Marshal(h.to)
			if err != nil {
				t.Fatal(err)
			}
			var nestedOrFlat struct {
				Hooks         []command
				Command, Bash string
			}
			if err := json.Unmarshal(data, &nestedOrFlat); err != nil {
				t.Fatal(err)
			}
			line := nestedOrFlat.Command + nestedOrFlat.Bash
			for _, c := range nestedOrFlat.Hooks {
				line += c.Command
			}
			if !isCall(map[string]any{"command": line}) {
				t.Errorf("%q is not known again as ours", line)
			}
			found = append(found, line)
		}
	}
	return found
}

// Every hook that is installed means something to the command that it calls.
func TestHooksAreAnswered(t *testing.T) {
	m := newMachine(t)
	for _, a := range Agents() {
		if a.Name == "opencode" {
			continue
		}
		for _, project := range []string{"", m.home} {
			p, err := m.surroundings().places(project)
			if err != nil {
				t.Fatal(err)
			}
			parts := a.user
			if project != "" {
				parts = a.project
			}
			found := lines(t, parts(p))
			if a.HasHooks() != (len(found) > 0) && a.Name != "vscode" {
				t.Errorf("%s: %d hooks, and it says %v", a.Name, len(found), a.HasHooks())
			}
			for _, line := range found {
				words := strings.Fields(line)
				e, err := hook.Parse(words[2], words[3:], []byte(`{"session_id": "s1", "cwd": "/x", "tool_name": "Edit", "tool_input": {"file_path": "/x/a.go"}}`), func(string) string { return "" })
				if err != nil || e.Kind == hook.Other || e.Kind == "" {
					t.Errorf("%s: %q gives %v, %v", a.Name, line, e.Kind, err)
				}
			}
		}
	}
}

// The command lines work in a shell, wherever the program lies.
func TestCommandLinesRunInAShell(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	for _, folder := range []string{"bin", "my programs", `it's "quoted" $HOME & more;`, "ünïcödé"} {
		t.Run(folder, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), folder)
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			binary := filepath.Join(dir, "codememory")
			if err := os.WriteFile(binary, []byte("#!/bin/sh\nprintf '%s|' \"$0\" \"$@\"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
			line := Program{binary, runtime.GOOS}.hook("claude-code", "Stop")
			if !ourCall.MatchString(line + " ") {
				t.Errorf("%q is not known again as ours", line)
			}
			out, err := exec.CommandContext(t.Context(), "sh", "-c", line).CombinedOutput()
			if want := binary + "|hook|claude-code|Stop|"; err != nil || string(out) != want {
				t.Errorf("%q printed %q, %v; want %q", line, out, err, want)
			}
		})
	}
}

func TestCommandLinesOfWindows(t *testing.T) {
	tests := map[string]struct{ path, shell, powershell, toml string }{
		"on the path": {"codememory", "codememory hook codex Stop", "codememory hook codex Stop", `"codememory"`},
		"a folder":    {`C:\tools\codememory.exe`, `"C:\tools\codememory.exe" hook codex Stop`, `& 'C:\tools\codememory.exe' hook codex Stop`, `'C:\tools\codememory.exe'`},
		"with spaces": {`C:\Program Files\codememory.exe`, `"C:\Program Files\codememory.exe" hook codex Stop`, `& 'C:\Program Files\codememory.exe' hook codex Stop`, `'C:\Program Files\codememory.exe'`},
		"an apostrophe": {
			`C:\O'Hara\codememory.exe`, `"C:\O'Hara\codememory.exe" hook codex Stop`, `& 'C:\O''Hara\codememory.exe' hook codex Stop`, `"C:\\O'Hara\\codememory.exe"`,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			p := Program{tt.path, "windows"}
			if got := p.hook("codex", "Stop"); got != tt.shell || !ourCall.MatchString(got+" ") {
				t.Errorf("shell: got %s, want %s", got, tt.shell)
			}
			if got := p.powershell("hook", "codex", "Stop"); got != tt.powershell || !ourCall.MatchString(got+" ") {
				t.Errorf("powershell: got %s, want %s", got, tt.powershell)
			}
			if got := tomlString(tt.path); got != tt.toml {
				t.Errorf("toml: got %s, want %s", got, tt.toml)
			}
			if !isProgram(tt.path) {
				t.Error("not known again as our program")
			}
		})
	}
}

func TestPlacesOfOtherSystems(t *testing.T) {
	home := t.TempDir()
	env := map[string]string{"HOME": home, "USERPROFILE": home, "APPDATA": filepath.Join(home, "roaming")}
	tests := map[string][2]string{ // VS Code, Zed
		"linux":   {".config/Code/User", ".config/zed"},
		"darwin":  {"Library/Application Support/Code/User", ".config/zed"},
		"windows": {"roaming/Code/User", "roaming/Zed"},
	}
	for goos, want := range tests {
		p, err := Machine{Getenv: func(name string) string { return env[name] }, LookPath: nowhere, GOOS: goos, Binary: "/b/codememory"}.places("")
		if err != nil {
			t.Fatal(err)
		}
		for i, dir := range []string{vscodeHome(p), zedHome(p)} {
			if rel, _ := filepath.Rel(home, dir); filepath.ToSlash(rel) != want[i] {
				t.Errorf("%s: got %s, want %s", goos, rel, want[i])
			}
		}
	}
	if _, err := (Machine{Getenv: func(string) string { return "" }}).places(""); err == nil {
		t.Error("found places without a home")
	}
}

// A package manager's link on the PATH stays when the version behind it changes.
func TestProgramIsCalledByItsStableName(t *testing.T) {
	dir := t.TempDir()
	binary, link := filepath.Join(dir, "Cellar-1.2", "codememory"), filepath.Join(dir, "codememory")
	if err := os.MkdirAll(filepath.Dir(binary), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{binary, filepath.Join(dir, "other")} {
		if err := os.WriteFile(file, []byte(file), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(binary, link); err != nil {
		t.Skip(err)
	}
	finds := func(path string) func(string) (string, error) {
		return func(string) (string, error) { return path, nil }
	}
	if got := StableProgram(binary, "linux", finds(link)); got.Path != link {
		t.Errorf("got %s, want the link", got.Path)
	}
	if got := StableProgram(binary, "linux", finds(filepath.Join(dir, "other"))); got.Path != binary {
		t.Errorf("got %s, want the binary: the PATH has another", got.Path)
	}
	if got := StableProgram(binary, "linux", nowhere); got.Path != binary {
		t.Errorf("got %s", got.Path)
	}
}

// What is written is known again by the name of the program, so that doing it
// twice does not write it twice.
func TestNameOfTheProgram(t *testing.T) {
	for _, name := range []string{"codememory-1.2_linux", "codememory.exe", "my-memory", "opencodememory"} {
		m := newMachine(t)
		s := m.surroundings()
		s.Binary = "/opt/" + name
		c, err := claudeCode.Connect(s, "")
		if !strings.HasPrefix(name, "codememory") {
			if err == nil {
				t.Errorf("%s was accepted", name)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		before := m.tree()
		if _, err := c.Install(); err != nil {
			t.Fatal(err)
		}
		if plan, err := c.Plan(); err != nil || !plan.Empty() {
			t.Errorf("%s: a second time it would do %+v, %v", name, plan, err)
		}
		if err := os.Remove(c.(Integration).manifest()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Uninstall(); err != nil {
			t.Fatal(err)
		}
		for file, text := range m.tree() {
			if strings.Contains(text, "codememory") && before[file] != text {
				t.Errorf("%s: %s still has our part: %s", name, file, text)
			}
		}
	}
}

func TestAgentsAreFound(t *testing.T) {
	m := newMachine(t)
	for _, a := range Agents() {
		if where := a.Found(m.surroundings()); where != "" {
			t.Errorf("%s was found in an empty home at %s", a.Name, where)
		}
	}
	m.write(".codex/config.toml", "")
	s := m.surroundings()
	s.LookPath = func(name string) (string, error) {
		if name == "claude" {
			return "/bin/claude", nil
		}
		return "", os.ErrNotExist
	}
	var found []string
	for _, a := range Agents() {
		if a.Found(s) != "" {
			found = append(found, a.Name)
		}
	}
	if !slices.Equal(found, []string{"claude-code", "codex"}) {
		t.Errorf("found %v", found)
	}
	if a, err := FindAgent("claude"); err != nil || a.Name != "claude-code" {
		t.Errorf("claude is %v, %v", a.Name, err)
	}
	if _, err := FindAgent("emacs"); err == nil || !strings.Contains(err.Error(), "windsurf") {
		t.Errorf("got %v, want the names of all", err)
	}
}

func TestManyAtOnce(t *testing.T) {
	m := newMachine(t)
	m.write(".gemini/settings.json", "{}\n")
	before := m.tree()
	atOnce := func(do func(Connector) (Plan, error)) {
		var wg sync.WaitGroup
		for _, a := range Agents() {
			for range 2 {
				c := m.connector(a.Name, "")
				wg.Go(func() {
					if _, err := do(c); err != nil {
						t.Errorf("%s: %v", a.Name, err)
					}
				})
			}
		}
		wg.Wait()
	}
	for range 2 {
		atOnce(Connector.Install)
		for _, a := range Agents() {
			if plan, err := m.connector(a.Name, "").Plan(); err != nil || !plan.Empty() {
				t.Errorf("%s is not connected: %+v, %v", a.Name, plan, err)
			}
		}
		atOnce(Connector.Uninstall)
		same(t, "not as before", before, m.tree())
	}
}

func TestWhatTheUserEnteredStays(t *testing.T) {
	tests := map[string]struct{ agent, file, text string }{
		"in JSON": {"cursor", ".cursor/mcp.json", `{"mcpServers": {"codememory": {"command": "/usr/local/bin/codememory", "args": ["mcp", "--all-tools"], "env": {"A": "b"}}}}`},
		"in TOML": {"codex", ".codex/config.toml", "[mcp_servers.codememory]\ncommand = \"codememory\"\nargs = [\"mcp\"]\nstartup_timeout_sec = 20\n"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			m := newMachine(t)
			m.write(tt.file, tt.text)
			before := m.tree()
			c := m.connector(tt.agent, "")
			if _, err := c.Install(); err != nil {
				t.Fatal(err)
			}
			if got := m.tree()[tt.file]; got != before[tt.file] {
				t.Errorf("changed to %s", got)
			}
			if _, err := c.Uninstall(); err != nil {
				t.Fatal(err)
			}
			same(t, "not as before", before, m.tree())
		})
	}
}

// The program moved, and the user gave the server more than we would.
func TestOnlyTheProgramOfAnEnteredServerIsChanged(t *testing.T) {
	m := newMachine(t)
	m.write(".cursor/mcp.json", `{"mcpServers": {"codememory": {"command": "/old/codememory", "args": ["mcp", "--all-tools"]}}}`)
	before := m.tree()
	c := m.connector("cursor", "")
	if _, err := c.Install(); err != nil {
		t.Fatal(err)
	}
	want := `{"mcpServers": {"codememory": {"command": "/usr/local/bin/codememory", "args": ["mcp", "--all-tools"]}}}`
	if got := m.tree()[".cursor/mcp.json"]; !strings.HasSuffix(got, " "+want) {
		t.Errorf("got %s", got)
	}
	if _, err := c.Uninstall(); err != nil {
		t.Fatal(err)
	}
	same(t, "not as before", before, m.tree())
}

func TestNewVersionReplacesOldHooks(t *testing.T) {
	m := newMachine(t)
	old := m.surroundings()
	old.Binary = "/old place/codememory"
	a, err := FindAgent("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	c, err := a.Connect(old, "")
	if err != nil {
		t.Fatal(err)
	}
	before := m.tree()
	if _, err := c.Install(); err != nil {
		t.Fatal(err)
	}
	if status, err := a.Status(m.surroundings()); err != nil || status.State != Outdated {
		t.Errorf("got %+v, %v", status, err)
	}
	if _, err := m.connector("claude-code", "").Install(); err != nil {
		t.Fatal(err)
	}
	for name, text := range m.tree() {
		if strings.Contains(text, "old place") && !strings.Contains(name, "install/") {
			t.Errorf("%s still has the old program:\n%s", name, text)
		}
	}
	if _, err := m.connector("claude-code", "").Uninstall(); err != nil {
		t.Fatal(err)
	}
	same(t, "not as before", before, m.tree())
}

// People keep one configuration for work and another for themselves.
func TestTwoConfigurationsOfOneAgent(t *testing.T) {
	m := newMachine(t)
	m.write("work/.claude.json", "{\n  \"a\": 1\n}\n")
	before := m.tree()
	install := func() {
		t.Helper()
		if _, err := m.connector("claude-code", "").Install(); err != nil {
			t.Fatal(err)
		}
	}
	install()
	m.env["CLAUDE_CONFIG_DIR"] = filepath.Join(m.home, "work")
	install()
	after := m.tree()
	for _, file := range []string{".claude/settings.json", ".claude.json", "work/settings.json", "work/.claude.json"} {
		if !strings.Contains(after[file], "codememory") {
			t.Errorf("%s is not connected: %s", file, after[file])
		}
	}
	// It is taken back wherever it is, whatever the variable says then.
	delete(m.env, "CLAUDE_CONFIG_DIR")
	m.write("work/.claude.json", strings.Replace(strings.SplitN(after["work/.claude.json"], " ", 2)[1], "1", "2", 1))
	if _, err := m.connector("claude-code", "").Uninstall(); err != nil {
		t.Fatal(err)
	}
	before["work/.claude.json"] = strings.Replace(before["work/.claude.json"], "1", "2", 1)
	same(t, "not as before", before, m.tree())
}

// A hook that the user put beside others in one entry is taken out alone.
func TestHookAmongOthersIsTakenOutAlone(t *testing.T) {
	s := settings{hooks: []value{{[]string{"hooks", "Stop"}, nested{Hooks: []command{{Type: "command", Command: "codememory hook claude-code Stop"}}}}}}
	got, err := s.without([]byte(`{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "/x/codememory hook claude-code Stop"}, {"command": "codememory hookah"}]}], "Old": [{"command": "codememory hook x"}]}}`), []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"hooks": {"Stop": [{"hooks": [{"command": "a"}, {"command": "codememory hookah"}]}]}}`, string(got)); diff != "" {
		t.Error(diff)
	}
}

func TestUninstallWithoutTheManifest(t *testing.T) {
	m := newMachine(t)
	m.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")
	before := m.tree()
	c := m.connector("claude-code", "").(Integration)
	if _, err := c.Install(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(c.manifest()); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Uninstall(); err != nil {
		t.Fatal(err)
	}
	after := m.tree()
	for name, text := range after {
		if strings.Contains(text, "codememory") {
			t.Errorf("%s still has our part: %s", name, text)
		}
	}
	if after[".claude/settings.json"] != before[".claude/settings.json"] {
		t.Errorf("got %s", after[".claude/settings.json"])
	}
}

func TestCodexHooksWaitForConsent(t *testing.T) {
	m := newMachine(t)
	m.write(".codex/hooks.json", `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}`)
	if _, err := m.connector("codex", "").Install(); err != nil {
		t.Fatal(err)
	}
	status := func() Status {
		s, err := codex.Status(m.surroundings())
		if err != nil || s.State != Connected {
			t.Fatalf("%+v, %v", s, err)
		}
		return s
	}
	if !status().Untrusted {
		t.Error("trusted from the start")
	}
	file := filepath.Join(m.home, ".codex", "hooks.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	keys := ourHookKeys(data)
	if len(keys) != len(codexEvents) || !slices.Contains(keys, "post_tool_use:0:0") || !slices.Contains(keys, "stop:1:0") {
		t.Errorf("keys %v", keys)
	}
	config, err := os.ReadFile(filepath.Join(m.home, ".codex", "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	text := string(config)
	for i, key := range keys {
		if !status().Untrusted {
			t.Errorf("trusted after %d of %d", i, len(keys))
		}
		text += "\n[hooks.state.\"" + file + ":" + key + "\"]\ntrusted_hash = \"sha256:1\"\n"
		m.write(".codex/config.toml", text)
	}
	if status().Untrusted {
		t.Error("not trusted after all were accepted")
	}
}

func TestNotes(t *testing.T) {
	m := newMachine(t)
	if notes := cursor.Notes(m.surroundings(), ""); len(notes) > 0 {
		t.Errorf("got %v", notes)
	}
	if _, err := m.connector("claude-code", "").Install(); err != nil {
		t.Fatal(err)
	}
	if notes := cursor.Notes(m.surroundings(), ""); len(notes) != 1 || !strings.Contains(notes[0], "Claude Code") {
		t.Errorf("got %v, want that it runs Claude Code's hooks too", notes)
	}
	if notes := codex.Notes(m.surroundings(), m.home); len(notes) != 1 || !strings.Contains(notes[0], "PATH") {
		t.Errorf("got %v, want that the program is not on the PATH", notes)
	}
}
