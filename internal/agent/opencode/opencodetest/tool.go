package opencodetest

// Tool is a part that goes from pending over running to completed or error.
type Tool struct{ *Part }

// Tool adds a use of a tool that is running.
func (m *Message) Tool(name string, input Data) *Tool {
	m.s.db.t.Helper()
	p := m.Part(Data{"type": "tool", "tool": name, "callID": m.s.db.id("call"), "state": Data{"status": "pending", "input": Data{}, "raw": ""}})
	p.Data["state"] = Data{"status": "running", "input": input, "time": Data{"start": m.s.db.Now.UnixMilli()}}
	p.Save()
	return &Tool{p}
}

// State returns the tool's state, to change it before Save.
func (t *Tool) State() Data { return t.Data["state"].(Data) }

// Complete ends the tool with its output.
func (t *Tool) Complete(output string, metadata Data) {
	t.m.s.db.t.Helper()
	state := t.State()
	state["status"], state["output"], state["title"] = "completed", output, ""
	if metadata == nil {
		metadata = Data{}
	}
	state["metadata"] = metadata
	state["time"].(Data)["end"] = t.m.s.db.Now.UnixMilli()
	t.Save()
}

// Fail ends the tool with an error.
func (t *Tool) Fail(message string) {
	t.m.s.db.t.Helper()
	state := t.State()
	state["status"], state["error"] = "error", message
	state["time"].(Data)["end"] = t.m.s.db.Now.UnixMilli()
	t.Save()
}
