package gemini

import (
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// parser keeps the messages of one chat. They are put together to turns when
// asked for: each may be written again, or taken back.
type parser struct {
	log   jsonl.Log
	strip func(string) string
	keep  int

	home, path        string
	project           string
	said, directories []string // folders
	summary           string
	messages          []*message
	at                map[string]int // by id
	stale             bool
}

// message is a record with what is kept of it.
type message struct {
	id, kind   string
	at         time.Time
	text       string // of the agent, or what the user typed
	compaction bool
	result     bool // hands outcomes of tools to the model
	tools      []tool
	model      string
	tokens     *tokens
}

func newParser(home string, pl jsonl.Place, strip func(string) string, keep int) *parser {
	p := &parser{home: home, path: pl.Path, strip: strip, keep: keep, at: map[string]int{}}
	p.log.Session.Parent = pl.Parent
	return p
}

// Line takes in a row.
func (p *parser) Line(line []byte) bool {
	var r row
	if !jsonl.Decode(line, &r) {
		return false
	}
	p.stale = true
	switch {
	case r.Rewind != "":
		p.rewind(r.Rewind)
	case r.Set != nil:
		p.set(r.Set)
		p.replaced(r.Set.Messages)
	case r.ID != "":
		p.add(&r.record)
	case r.metadata.Session != "":
		p.set(&r.metadata)
		p.replaced(r.metadata.Messages)
	}
	return true
}

// set takes in metadata.
func (p *parser) set(m *metadata) {
	p.log.See(jsonl.Time(m.Start))
	p.log.See(jsonl.Time(m.Updated))
	if m.Project != "" {
		p.project = m.Project
	}
	if m.Summary != "" {
		p.summary = jsonl.Title(jsonl.Valid(m.Summary))
	}
	if len(m.Directories) > 0 {
		p.directories = m.Directories
	}
}

// add takes in a message, the last version of which counts.
func (p *parser) add(r *record) {
	m := p.message(r)
	if i, known := p.at[r.ID]; known {
		m.at = p.messages[i].at
		p.messages[i] = m
		return
	}
	p.at[r.ID] = len(p.messages)
	p.messages = append(p.messages, m)
}

func (p *parser) message(r *record) *message {
	m := &message{id: r.ID, kind: r.Type, at: jsonl.Time(r.Timestamp), model: r.Model, tokens: r.Tokens, result: r.Content.result()}
	p.log.See(m.at)
	all := r.Content.text()
	switch {
	case r.Type != "user":
		m.text = p.clean(all)
	case strings.HasPrefix(strings.TrimSpace(all), sessionContext):
		p.said = workspace(all)
		m.kind = "context"
	case strings.Contains(all, snapshot):
		inside, ok := jsonl.Tagged(all, "state_snapshot")
		if !ok {
			inside = all
		}
		m.text, m.compaction = p.clean(inside), true
	case !m.result:
		m.text = p.words(r)
	}
	for i := range r.Calls {
		m.tools = append(m.tools, p.tool(&r.Calls[i]))
	}
	return m
}

// replaced takes in the whole list of messages, as it is after a compression or
// when old outputs were cut. What happened before did happen: only what is new
// in the list counts.
func (p *parser) replaced(list []record) {
	compacted := false
	for i := range list {
		r := &list[i]
		if _, known := p.at[r.ID]; known || r.ID == "" {
			compacted = false
			continue
		}
		m := p.message(r)
		same := func(o *message) bool { return o.kind == m.kind && o.text == m.text && len(o.tools) == len(m.tools) }
		if compacted && m.kind == "gemini" || slices.ContainsFunc(p.messages, same) {
			continue // the model's thanks for the summary, or a copy
		}
		compacted = m.compaction
		if m.compaction && m.at.IsZero() {
			m.at = p.log.Session.ActiveAt
		}
		p.at[r.ID] = len(p.messages)
		p.messages = append(p.messages, m)
	}
}

// rewind takes back a message and all after it.
func (p *parser) rewind(id string) {
	i, known := p.at[id]
	if !known {
		return
	}
	for _, m := range p.messages[i:] {
		delete(p.at, m.id)
	}
	p.messages = p.messages[:i]
}

// Log returns what was read so far.
func (p *parser) Log() *jsonl.Log {
	if p.stale {
		p.stale = false
		p.build()
	}
	return &p.log
}

// build puts the messages together to turns.
func (p *parser) build() {
	s := &p.log.Session
	p.log.Turns, s.Messages, s.Title, s.Dir = nil, 0, p.summary, jsonl.Valid(p.place())
	var turn *jsonl.Draft
	for _, m := range p.messages {
		switch {
		case m.compaction:
			p.log.Compacted(m.id, "auto", m.text, m.at)
		case m.kind == "user":
			s.Messages++
			turn = p.user(turn, m)
		case m.kind == "gemini":
			s.Messages++
			if turn == nil {
				turn = p.log.Open(codememory.PromptTurn, m.id, "", m.at) // the question cannot be read
			}
			p.answer(turn, m)
		case turn == nil || turn.Turn.State != "":
		case m.kind == "error":
			turn.End(codememory.TurnFailed, m.text, m.at)
		case m.kind == "info" && strings.Contains(strings.ToLower(m.text), "cancelled"):
			turn.End(codememory.TurnAborted, "cancelled by the user", m.at)
		}
	}
}

// user opens a turn, or goes on with the one that there is.
func (p *parser) user(turn *jsonl.Draft, m *message) *jsonl.Draft {
	if m.result || m.text == "" || m.text == goOn && turn != nil {
		if turn != nil {
			turn.Finished = false
			turn.Touch(m.at)
		}
		return turn
	}
	if command, output, ok := shellTurn(m.text); ok {
		d := p.log.Open(codememory.ShellTurn, m.id, command, m.at)
		d.Use(m.id, codememory.ToolCall{ID: m.id, Name: "run_shell_command", Target: command}, m.at).Output(output, p.keep, m.at)
		d.End(codememory.TurnDone, "", m.at)
		return nil
	}
	if p.log.Session.Title == "" {
		p.log.Session.Title = jsonl.Title(m.text)
	}
	return p.log.Open(codememory.PromptTurn, m.id, m.text, m.at)
}

// answer adds what the agent said and did.
func (p *parser) answer(d *jsonl.Draft, m *message) {
	d.Reopen()
	d.Say(m.id, m.text, m.at)
	d.Finished = m.text != "" && len(m.tools) == 0
	for _, t := range m.tools {
		at := jsonl.Time(t.at)
		if at.IsZero() {
			at = m.at
		}
		u := d.Use(m.id, t.call, at)
		if !t.call.Running {
			u.OutputOf(t.output, t.size, at)
		}
		if t.status == "cancelled" {
			d.End(codememory.TurnAborted, "cancelled by the user", at)
		}
	}
	if m.model != "" {
		d.Turn.Model, p.log.Session.Model = m.model, m.model
	}
	if m.tokens != nil {
		d.Turn.Tokens = m.tokens.count()
	}
}
