package codex

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// begin notes a tool that the model asks for.
func (p *parser) begin(r *response) {
	name := r.Name
	if r.Namespace != "" {
		name = strings.TrimSuffix(r.Namespace, "__") + "__" + name
	}
	call := codememory.ToolCall{ID: r.CallID, Name: name, Running: true}
	switch r.Type {
	case "function_call":
		in := jsonl.FieldsOf([]byte(r.Arguments))
		call.Input, call.Target = jsonl.Input([]byte(r.Arguments)), in.Target()
		if call.Target == "" {
			call.Target = commandLine(in["command"])
		}
	case "custom_tool_call":
		call.Input, _ = json.Marshal(map[string]string{"input": jsonl.Cut(r.Input, 0, 16<<10)})
		call.Target = patched(r.Input)
	case "local_shell_call":
		call.Name, call.Target = "shell", line(r.Action.Command)
	case "web_search_call":
		call.Name, call.Target, call.Running = "web_search", r.Action.Query, false
	}
	u := p.turn.Use(r.ID, call, p.last)
	if r.CallID != "" {
		p.uses[r.CallID] = &use{Use: u, patch: r.Input}
	}
}

// use is a tool whose outcome may come twice: as Codex shows it and as the model
// got it.
type use struct {
	*jsonl.Use
	patch string
	shown bool // as Codex shows it, which has less around it
}

// output notes what the model got from a tool.
func (p *parser) output(r *response) {
	u := p.uses[r.CallID]
	if u == nil {
		return
	}
	text, ok := textOf(r.Output)
	if child := spawned(u.Call.Name, text); child != "" {
		u.Call.Child = child
	}
	if u.shown {
		u.Draft().Touch(p.last)
		return
	}
	body, exit := unwrap(text)
	u.Call.Exit = exit
	u.Output(body, p.keep, p.last)
	switch {
	case exit != nil && *exit != 0:
		u.Call.Error = "exit code " + strconv.Itoa(*exit)
	case !ok:
		u.Call.Error = jsonl.Cut(body, 0, 2000)
	case u.Call.Name == "apply_patch" && !strings.Contains(body, "verification failed"):
		u.Call.Changed = patchText(u.patch, p.log.Session.Dir)
	}
}

// textOf reads an output, which is text, a list of parts, or an older form with
// a flag for success.
func textOf(raw json.RawMessage) (text string, ok bool) {
	var old struct {
		Content content `json:"content"`
		Success *bool   `json:"success"`
	}
	if json.Unmarshal(raw, &old) == nil && len(old.Content) > 0 {
		return old.Content.text(), old.Success == nil || *old.Success
	}
	var c content
	_ = c.UnmarshalJSON(raw) // never fails
	return c.text(), true
}

// unwrap takes off what Codex puts before the output of a tool for the model.
func unwrap(text string) (body string, exit *int) {
	var old struct {
		Output   *string `json:"output"`
		Metadata struct {
			Exit *int `json:"exit_code"`
		} `json:"metadata"`
	}
	if strings.HasPrefix(text, `{"output":`) && json.Unmarshal([]byte(text), &old) == nil && old.Output != nil {
		return *old.Output, old.Metadata.Exit
	}
	head, body, ok := strings.Cut(text, "Output:\n")
	if !ok || len(head) > 300 || !strings.Contains(head, "Wall time") {
		return text, nil
	}
	for l := range strings.Lines(head) {
		for _, prefix := range []string{"Exit code: ", "Process exited with code "} {
			if rest, found := strings.CutPrefix(strings.TrimSpace(l), prefix); found {
				if n, err := strconv.Atoi(rest); err == nil {
					exit = &n
				}
			}
		}
	}
	return body, exit
}

// spawned returns the thread that a tool started.
func spawned(tool, output string) string {
	if !strings.HasSuffix(tool, "spawn_agent") {
		return ""
	}
	return jsonl.FieldsOf([]byte(output)).First("agent_id", "thread_id")
}

// show notes a tool as Codex shows it when it is done.
func (p *parser) show(it *item) {
	id, known := it.ID, p.uses[it.ID] != nil
	if !known {
		p.uses[id] = &use{Use: p.turn.Use(id, shownCall(it), p.last)}
	}
	u := p.uses[id]
	u.shown = true
	c := u.Call
	switch it.Kind {
	case "CommandExecution":
		c.Exit = it.Exit
		if l := line(it.Command); l != "" {
			c.Target = l
		}
		u.Output(it.shell(), p.keep, p.last)
	case "FileChange":
		u.Output(it.Stdout+it.Stderr, p.keep, p.last)
		if it.worked() {
			c.Changed = it.files(p.log.Session.Dir)
		}
	case "McpToolCall", "DynamicToolCall":
		text, _ := textOf(it.Result)
		u.Output(text, p.keep, p.last)
	case "CollabAgentToolCall":
		if all := slices.Concat(it.Receivers, it.ReceiversCamel); len(all) > 0 && strings.HasPrefix(strings.ToLower(it.Tool), "spawn") {
			c.Child = all[0]
		}
		u.shown = false // what the subagent said comes with the output
		if !known {
			c.Running = false
		}
	default:
		u.Output("", p.keep, p.last)
	}
	if !it.worked() {
		c.Error = it.reason()
	}
}

// shownCall is a tool that the model did not ask for by itself: the user did, or
// a program that the model wrote.
func shownCall(it *item) codememory.ToolCall {
	c := codememory.ToolCall{ID: it.ID, Name: it.Tool, Running: true, Input: jsonl.Input(it.Arguments), Target: jsonl.FieldsOf(it.Arguments).Target()}
	switch it.Kind {
	case "CommandExecution":
		c.Name = "exec_command"
	case "FileChange":
		c.Name = "apply_patch"
	case "McpToolCall":
		c.Name = "mcp__" + it.Server + "__" + it.Tool
	case "WebSearch":
		c.Name, c.Target = "web_search", it.Query
	case "ImageView":
		c.Name, c.Target = "view_image", it.Path
	}
	return c
}

func (it *item) shell() string {
	if it.Output != nil {
		return *it.Output
	}
	return it.Stdout + it.Stderr
}

func (it *item) worked() bool {
	return it.Status != "failed" && it.Status != "declined" && (it.Success == nil || *it.Success)
}

func (it *item) reason() string {
	switch {
	case it.Exit != nil:
		return "exit code " + strconv.Itoa(*it.Exit)
	case it.Stderr != "":
		return jsonl.Cut(strings.TrimSpace(it.Stderr), 0, 2000)
	case it.Status != "":
		return it.Status
	}
	return "failed"
}

// files says what a patch did.
func (it *item) files(dir string) (out []codememory.FileChange) {
	for _, file := range slices.Sorted(maps.Keys(it.Changes)) {
		switch c := it.Changes[file]; {
		case c.Type == "add":
			out = jsonl.Change(out, dir, file, codememory.FileCreated)
		case c.Type == "delete":
			out = jsonl.Change(out, dir, file, codememory.FileDeleted)
		case c.Move != "":
			out = jsonl.Change(out, dir, file, codememory.FileDeleted)
			out = jsonl.Change(out, dir, c.Move, codememory.FileCreated)
		default:
			out = jsonl.Change(out, dir, file, codememory.FileModified)
		}
	}
	return out
}

// patchText reads the headings of a patch in the form that models write.
func patchText(text, dir string) (out []codememory.FileChange) {
	for l := range strings.Lines(text) {
		kind, file, _ := strings.Cut(strings.TrimSpace(l), ": ")
		switch kind {
		case "*** Add File":
			out = jsonl.Change(out, dir, file, codememory.FileCreated)
		case "*** Update File":
			out = jsonl.Change(out, dir, file, codememory.FileModified)
		case "*** Delete File":
			out = jsonl.Change(out, dir, file, codememory.FileDeleted)
		}
	}
	return out
}

// patched names the first file of a patch.
func patched(text string) string {
	if files := patchText(text, ""); len(files) > 0 {
		return files[0].Path
	}
	return jsonl.Title(text)
}

// line returns a command as it was meant, without the shell that runs it.
func line(command []string) string {
	if n := len(command); n == 3 && strings.HasPrefix(command[1], "-") && strings.HasSuffix(command[1], "c") {
		return jsonl.Valid(command[2])
	}
	return jsonl.Valid(strings.Join(command, " "))
}

// commandLine reads a command that is given as a list of words.
func commandLine(raw json.RawMessage) string {
	var words []string
	if json.Unmarshal(raw, &words) != nil {
		return ""
	}
	return line(words)
}
