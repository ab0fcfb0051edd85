//go:build e2e

package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// inspector is the official command-line client, talking to one server.
type inspector struct {
	*world
	dir    string
	target []string
}

// ask calls a method and returns the result.
func (i inspector) ask(method string, args ...string) map[string]any {
	i.Helper()
	args = append(append([]string{"--cli"}, i.target...), append([]string{"--method", method}, args...)...)
	out, errs, code := i.node(i.dir, "@modelcontextprotocol/inspector", inspectorVersion, "clients/launcher/build/index.js", args...)
	if code != 0 {
		i.Fatalf("%v ended with %d\n%s\n%s", args, code, out, errs)
	}
	var result map[string]any
	if err := json.Unmarshal([]byte(out), &result); err != nil {
		i.Fatalf("%v: %v\n%s", args, err, out)
	}
	return result
}

// call calls a tool and checks what it answers.
func (i inspector) call(tool, want string, args ...string) {
	i.Helper()
	list := []string{"--tool-name", tool}
	for _, a := range args {
		list = append(list, "--tool-arg", a)
	}
	i.contains(i.ask("tools/call", list...), want)
}

func (i inspector) contains(result map[string]any, want string) {
	i.Helper()
	text, err := json.Marshal(result)
	if err != nil || !strings.Contains(string(text), want) || result["isError"] == true {
		i.Errorf("lacks %q: %s", want, text)
	}
}

// names returns what a list of the server names, in its order.
func names(result map[string]any, list, key string) string {
	var found []string
	items, _ := result[list].([]any)
	for _, item := range items {
		name, _ := item.(map[string]any)[key].(string)
		found = append(found, name)
	}
	return strings.Join(found, " ")
}

// TestMCPInspector asks all there is through both transports and in both eras
// of the protocol.
func TestMCPInspector(t *testing.T) {
	for _, transport := range []string{"stdio", "http"} {
		for _, era := range []string{"legacy", "modern"} {
			t.Run(transport+" "+era, func(t *testing.T) {
				w := newWorld(t)
				dir := w.project("shop")
				i := inspector{w, dir, []string{program, "mcp", "--protocol-era", era, "-e", "CODEMEMORY_HTTP_PORT=0"}} // it hands on only some variables
				if transport == "http" {
					daemon, token := w.endpoint(dir)
					i.target = []string{daemon.String() + "/mcp", "--protocol-era", era, "--header", "Authorization: Bearer " + token, "Codememory-Project: " + dir}
				}
				inspect(i)
			})
		}
	}
}

func inspect(i inspector) {
	i.Helper()
	if got := names(i.ask("tools/list", "--strict"), "tools", "name"); got != "memory memory_checkpoint memory_get memory_search memory_sessions memory_transcript" {
		i.Errorf("tools %s", got)
	}
	const fact = "Invoices are numbered per year because the tax office wants no gaps."
	i.call("memory", "success", "mode=add", "type=architecture", "content="+fact)
	i.call("memory_search", "no gaps", "query=how are invoices numbered")
	id := i.memory(fact)
	i.call("memory_get", "no gaps", "chunk_hash="+id)
	i.call("memory_checkpoint", "Checkpoint of session ses_e2e saved (open)", "session_id=ses_e2e", "goal=Number the invoices", `work_pending=["migrate the old ones"]`)
	i.call("memory_sessions", "Number the invoices", "query=which session was about invoices?")
	i.call("memory_sessions", "## Left to do\\n- migrate the old ones", "session_id=ses_e2e")
	i.call("memory_sessions", "No sessions found matching your query.", "query=zebra")
	i.call("memory_transcript", "[User]: ", "session_id="+i.transcript())

	if got := names(i.ask("resources/list"), "resources", "uri"); got != "memory://journal memory://project memory://user" {
		i.Errorf("resources %s", got)
	}
	i.contains(i.ask("resources/read", "--uri", "memory://project"), "no gaps")
	i.contains(i.ask("resources/read", "--uri", "memory://memories/"+id), "no gaps")
	if got := names(i.ask("prompts/list"), "prompts", "name"); got != "handoff recall remember" {
		i.Errorf("prompts %s", got)
	}
	i.contains(i.ask("prompts/get", "--prompt-name", "recall", "--prompt-args", "query=invoices"), "no gaps")
	i.contains(i.ask("prompts/get", "--prompt-name", "handoff"), "memory_checkpoint")
}

// transcript puts a recorded session of Claude Code where its records are and
// returns its id.
func (i inspector) transcript() string {
	i.Helper()
	data, err := os.ReadFile(filepath.FromSlash("../internal/agent/claudecode/testdata/claude-code-session.jsonl"))
	if err != nil {
		i.Fatal(err)
	}
	const id = "e49cab28-41eb-4031-ae88-702be1db60cc"
	if err := os.WriteFile(filepath.Join(i.folder(".claude/projects/-home-dev-work-proj"), id+".jsonl"), data, 0o600); err != nil {
		i.Fatal(err)
	}
	return id
}

// memory returns the id of the memory with this text.
func (i inspector) memory(text string) string {
	i.Helper()
	out, err := i.codememory(i.dir, "list", "--json")
	if err != nil {
		i.Fatal(err)
	}
	var list struct {
		Memories []struct{ ID, Text string }
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		i.Fatal(err)
	}
	for _, m := range list.Memories {
		if m.Text == text {
			return m.ID
		}
	}
	i.Fatalf("%q is not among %s", text, out)
	return ""
}
