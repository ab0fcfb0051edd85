package told

import (
	"path/filepath"
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// together is how far apart two reports of one use of a tool may be. Agents
// have an event for edits and commands, and another for tools of any kind.
const together = 3 * time.Second

// parser puts what hooks told together to turns.
type parser struct {
	log   jsonl.Log
	strip func(string) string
	keep  int

	turn *jsonl.Draft
	use  *jsonl.Use // the last one
	used time.Time
}

// Log returns what was read so far.
func (p *parser) Log() *jsonl.Log { return &p.log }

// Line takes in a row.
func (p *parser) Line(line []byte) bool {
	var r row
	if !jsonl.Decode(line, &r) {
		return false
	}
	at, s := jsonl.Time(r.At), &p.log.Session
	p.log.See(at)
	if s.Dir == "" {
		s.Dir = jsonl.Valid(r.Dir)
	}
	e := &r.Said
	if e.Model != "" {
		s.Model = e.Model
	}
	if prompt := strings.TrimSpace(p.strip(e.Prompt)); prompt != "" {
		p.prompt(e.Turn, prompt, at)
	}
	if e.Tool != nil {
		p.tool(*e.Tool, at)
	}
	if text := strings.TrimSpace(p.strip(e.Text)); text != "" {
		s.Messages++
		p.current(e.Turn, at).Say(e.Turn, text, at)
	}
	if r.Event == "idle" || r.Event == "ended" {
		p.end(r.Event, e, at)
	}
	if p.turn != nil && e.Model != "" {
		p.turn.Turn.Model = e.Model
	}
	return true
}

// prompt opens a turn, unless it was told twice.
func (p *parser) prompt(id, text string, at time.Time) {
	for _, d := range p.log.Turns {
		if id != "" && d.Turn.ID == id {
			return
		}
	}
	s := &p.log.Session
	s.Messages++
	if s.Title == "" {
		s.Title = jsonl.Title(text)
	}
	p.open(id, text, at)
}

func (p *parser) open(id, text string, at time.Time) {
	if id == "" {
		id = "told-" + at.UTC().Format("20060102T150405.000000000")
	}
	p.turn, p.use = p.log.Open(codememory.PromptTurn, id, text, at), nil
}

// current is the turn that an event belongs to. An event of a turn whose prompt
// was never told opens one without it.
func (p *parser) current(id string, at time.Time) *jsonl.Draft {
	if p.turn == nil || id != "" && p.turn.Turn.ID != id && p.turn.Turn.State != "" {
		p.open(id, "", at)
	}
	return p.turn
}

// tool takes in the use of a tool, or what another hook adds to the last one.
func (p *parser) tool(c codememory.ToolCall, at time.Time) {
	p.log.Session.Messages++
	text := jsonl.Valid(c.Output)
	if last := p.use; last != nil && at.Sub(p.used) <= together && same(last.Call, &c) {
		complete(last.Call, &c)
		if len(text) > len(last.Call.Output) {
			last.Output(text, p.keep, at)
		}
		return
	}
	c.Output, c.Running = "", false
	p.use, p.used = p.current("", at).Use("", c, at), at
	p.use.Output(text, p.keep, at)
}

// same reports whether two reports are about one use of a tool.
func same(a, b *codememory.ToolCall) bool {
	if a.ID != "" && b.ID != "" {
		return a.ID == b.ID
	}
	if a.Target == "" || b.Target == "" {
		return false
	}
	return a.Target == b.Target || filepath.Base(a.Target) == b.Target || filepath.Base(b.Target) == a.Target
}

// complete fills in what the first report of a use left out.
func complete(known, more *codememory.ToolCall) {
	if known.ID == "" {
		known.ID = more.ID
	}
	if known.Error == "" {
		known.Error = more.Error
	}
	if known.Exit == nil {
		known.Exit = more.Exit
	}
	if len(known.Changed) == 0 && known.Error == "" {
		known.Changed = more.Changed
	}
}

// end closes the turn. A session that ends takes its turn with it.
func (p *parser) end(event string, e *codememory.TurnEvent, at time.Time) {
	d := p.turn
	if d == nil || d.Turn.State != "" {
		return
	}
	switch state := stateOf(e.Ended); {
	case state != "":
		d.End(state, e.Error, at)
	case event == "idle" || d.Turn.Answer() != "":
		d.End(codememory.TurnDone, "", at)
	default:
		d.End(codememory.TurnAborted, "the session was ended", at)
	}
}

// stateOf reads how an agent says that a turn ended.
func stateOf(status string) codememory.TurnState {
	switch strings.ToLower(status) {
	case "completed", "complete", "success", "done":
		return codememory.TurnDone
	case "aborted", "cancelled", "canceled", "interrupted":
		return codememory.TurnAborted
	case "error", "failed", "failure":
		return codememory.TurnFailed
	}
	return ""
}
