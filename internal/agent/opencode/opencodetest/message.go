package opencodetest

import "maps"

// Message is one row of the table message.
type Message struct {
	ID   string
	Data Data

	s *Session
}

// Part is one row of the table part.
type Part struct {
	ID   string
	Data Data

	m *Message
}

// ShellText is what OpenCode puts before a command that the user ran.
const ShellText = "The following tool was executed by the user"

// ContinueText is what OpenCode says for the user after a compaction.
const ContinueText = "Continue if you have next steps, or stop and ask for clarification if you are unsure how to proceed."

// Message adds a message with these data; role and time are filled in.
func (s *Session) Message(role string, data Data) *Message {
	s.db.t.Helper()
	m := &Message{ID: s.db.id("msg"), Data: Data{"role": role, "time": Data{"created": s.db.Now.UnixMilli()}}, s: s}
	maps.Copy(m.Data, data)
	at := s.db.tick()
	s.db.Exec("INSERT INTO message VALUES (?, ?, ?, ?, ?)", m.ID, s.ID, at, at, string(s.db.encode(m.Data)))
	s.db.bump(s.ID, "message.updated.1", []byte("{}"))
	return m
}

// Save writes the message's data again, in place.
func (m *Message) Save() {
	m.s.db.t.Helper()
	m.s.db.Exec("UPDATE message SET data = ?, time_updated = ? WHERE id = ?", string(m.s.db.encode(m.Data)), m.s.db.tick(), m.ID)
	m.s.db.bump(m.s.ID, "message.updated.1", []byte("{}"))
}

// Part adds a part with these data, which may be text that is no JSON.
func (m *Message) Part(data any) *Part {
	m.s.db.t.Helper()
	p := &Part{ID: m.s.db.id("prt"), m: m}
	p.Data, _ = data.(Data)
	at := m.s.db.tick()
	m.s.db.Exec("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", p.ID, m.ID, m.s.ID, at, at, string(m.s.db.encode(data)))
	m.s.db.bump(m.s.ID, "message.part.updated.1", []byte("{}"))
	return p
}

// Save writes the part's data again, in place, as happens while text streams.
func (p *Part) Save() {
	p.m.s.db.t.Helper()
	p.m.s.db.Exec("UPDATE part SET data = ?, time_updated = ? WHERE id = ?", string(p.m.s.db.encode(p.Data)), p.m.s.db.tick(), p.ID)
	p.m.s.db.bump(p.m.s.ID, "message.part.updated.1", []byte("{}"))
}

// User adds a message of the user.
func (s *Session) User(text string) *Message {
	s.db.t.Helper()
	m := s.Message("user", Data{"agent": "build", "model": Data{"providerID": "scripted", "modelID": "m"}})
	m.Part(Data{"type": "text", "text": text})
	return m
}

// Synthetic adds a message that OpenCode or a plugin sends for the user.
func (s *Session) Synthetic(text string) *Message {
	s.db.t.Helper()
	m := s.Message("user", Data{"agent": "build", "model": Data{"providerID": "scripted", "modelID": "m"}})
	m.Part(Data{"type": "text", "text": text, "synthetic": true})
	return m
}

// Assistant opens one step of the agent in answer to a message.
func (s *Session) Assistant(parent *Message) *Message {
	s.db.t.Helper()
	m := s.Message("assistant", Data{
		"parentID": parent.ID, "mode": "build", "agent": "build", "modelID": "m", "providerID": "scripted", "cost": 0,
		"tokens": Data{"input": 0, "output": 0, "reasoning": 0, "cache": Data{"read": 0, "write": 0}},
	})
	m.Part(Data{"type": "step-start"})
	return m
}

// Text adds text to the message.
func (m *Message) Text(text string) *Part {
	m.s.db.t.Helper()
	return m.Part(Data{"type": "text", "text": text, "time": Data{"start": m.s.db.Now.UnixMilli()}})
}

// File attaches a file to the message, as the prompt does it: what was read of
// it comes first, for the model only.
func (m *Message) File(name, url string) *Part {
	m.s.db.t.Helper()
	m.Part(Data{"type": "text", "synthetic": true, "text": "Called the Read tool with the following input: {\"filePath\":\"" + name + "\"}"})
	return m.Part(Data{"type": "file", "mime": "text/plain", "filename": name, "url": url})
}

// Finish ends the step with the provider's reason: stop, tool-calls, length.
func (m *Message) Finish(reason string) {
	m.s.db.t.Helper()
	m.Part(Data{"type": "step-finish", "reason": reason})
	m.Data["finish"] = reason
	m.Data["tokens"] = Data{"total": 1007, "input": 1000, "output": 7, "reasoning": 0, "cache": Data{"read": 0, "write": 0}}
	m.complete()
}

// Fail ends the step with an error.
func (m *Message) Fail(name, message string) {
	m.s.db.t.Helper()
	m.Data["error"] = Data{"name": name, "data": Data{"message": message}}
	m.complete()
}

// Abort ends the step as a user who presses escape does.
func (m *Message) Abort() {
	m.s.db.t.Helper()
	m.Fail("MessageAbortedError", "Aborted")
}

func (m *Message) complete() {
	m.s.db.t.Helper()
	m.Data["time"].(Data)["completed"] = m.s.db.Now.UnixMilli()
	m.Save()
}

// Compact writes a compaction (auto, manual or overflow) with its summary. What
// the agent goes on with afterwards is up to the test.
func (s *Session) Compact(kind, summary string) (user, assistant *Message) {
	s.db.t.Helper()
	user = s.Message("user", Data{"agent": "build", "model": Data{"providerID": "scripted", "modelID": "m"}})
	part := Data{"type": "compaction", "auto": kind != "manual"}
	if kind != "manual" {
		part["overflow"] = kind == "overflow"
	}
	user.Part(part)
	assistant = s.Message("assistant", Data{
		"parentID": user.ID, "mode": "compaction", "agent": "compaction", "summary": true,
		"modelID": "m", "providerID": "scripted",
	})
	assistant.Text(summary)
	assistant.Finish("stop")
	return user, assistant
}

// Shell writes a command that the user ran through the agent.
func (s *Session) Shell(command, output string) *Message {
	s.db.t.Helper()
	user := s.Synthetic(ShellText)
	m := s.Message("assistant", Data{"parentID": user.ID, "mode": "build", "agent": "build", "modelID": "m", "providerID": "scripted"})
	m.Tool("bash", Data{"command": command}).Complete(output, Data{"output": output})
	m.complete()
	return user
}
