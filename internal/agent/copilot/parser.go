package copilot

import (
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// parser puts the events of one session together to turns.
type parser struct {
	log   jsonl.Log
	strip func(string) string
	keep  int

	named  bool
	turn   *jsonl.Draft
	final  bool // the last message asks for no tool
	uses   map[string]*jsonl.Use
	events map[string]int // how many turns there were before an event
	model  string
	last   time.Time
}

func newParser(strip func(string) string, keep int) *parser {
	return &parser{strip: strip, keep: keep, uses: map[string]*jsonl.Use{}, events: map[string]int{}}
}

// Log returns what was read so far.
func (p *parser) Log() *jsonl.Log { return &p.log }

// Line takes in an event.
func (p *parser) Line(line []byte) bool {
	var e event
	if !jsonl.Decode(line, &e) {
		return false
	}
	if at := jsonl.Time(e.Timestamp); !at.IsZero() {
		p.last = at
		p.log.See(at)
	}
	if e.ID != "" {
		if _, again := p.events[e.ID]; again {
			return true // copied history
		}
		p.events[e.ID] = len(p.log.Turns)
	}
	if e.Agent != "" || e.Data.Parent != "" {
		if p.turn != nil {
			p.turn.Touch(p.last) // a subagent works for the turn; its answer comes with its tool
		}
		return true
	}
	p.event(&e)
	return true
}

func (p *parser) event(e *event) {
	b := &e.Data
	switch e.Type {
	case "session.start", "session.resume":
		p.start(b)
	case "session.model_change":
		p.model = b.NewModel
	case "session.title_changed":
		if title := jsonl.Title(jsonl.Valid(b.Title)); title != "" {
			p.log.Session.Title, p.named = title, true
		}
	case "user.message":
		p.user(e)
	case "assistant.message":
		p.assistant(e)
	case "assistant.turn_end":
		if p.working() && p.final {
			p.turn.End(codememory.TurnDone, "", p.last)
		}
	case "tool.user_requested":
		p.userCommand(e)
	case "tool.execution_start":
		if u := p.uses[b.Call]; u == nil && p.turn != nil && b.Call != "" {
			p.uses[b.Call] = p.turn.Use(e.ID, call(request{Call: b.Call, Name: b.Tool, Arguments: b.Arguments}), p.last)
		}
	case "tool.execution_complete":
		p.complete(b)
	case "session.usage_record", "assistant.usage":
		if p.turn != nil && b.Usage != nil {
			p.turn.Turn.Tokens = b.Usage.count()
		}
	case "session.error":
		if p.working() {
			p.turn.End(codememory.TurnFailed, failure(b), p.last)
		}
	case "abort":
		if p.working() {
			p.turn.End(codememory.TurnAborted, "interrupted by the user", p.last)
		}
	case "session.shutdown":
		if p.working() && !p.turn.Finished {
			p.turn.End(codememory.TurnAborted, "the session was ended", p.last)
		}
	case "session.compaction_complete":
		p.log.Compacted(e.ID, "auto", p.strip(jsonl.Valid(b.Summary)), p.last)
	case "session.snapshot_rewind":
		p.rewind(b.Rewind)
	}
}

func failure(b *body) string {
	if b.Text != "" {
		return b.Text
	}
	return "failed"
}

// start takes in where a session works. A session stays where it began.
func (p *parser) start(b *body) {
	p.log.See(jsonl.Time(b.Start))
	if p.log.Session.Dir == "" {
		p.log.Session.Dir = jsonl.Valid(b.Context.Cwd)
	}
	if b.Model != "" {
		p.model, p.log.Session.Model = b.Model, b.Model
	}
}

// working reports whether the agent is in a turn.
func (p *parser) working() bool { return p.turn != nil && p.turn.Turn.State == "" }

// user opens a turn. What skills and the like say in the user's name does not.
func (p *parser) user(e *event) {
	b := &e.Data
	text := strings.TrimSpace(p.strip(jsonl.RemoveTag(jsonl.Valid(b.Content), "system_reminder")))
	if files := b.attached(); files != "" {
		text = strings.TrimSpace(text + "\n" + files)
	}
	if b.Source != "" && b.Source != "user" || text == "" {
		if p.turn != nil {
			p.turn.Touch(p.last)
		}
		return
	}
	p.log.Session.Messages++
	if p.working() && (b.Delivery == "steering" || b.Delivery == "immediate") {
		p.turn.Turn.Prompt = strings.TrimSpace(p.turn.Turn.Prompt + "\n" + text)
		p.turn.Touch(p.last)
		return
	}
	if !p.named && p.log.Session.Title == "" {
		p.log.Session.Title = jsonl.Title(text)
	}
	p.open(codememory.PromptTurn, e.ID, text)
}

func (p *parser) open(kind codememory.TurnKind, id, prompt string) {
	p.turn = p.log.Open(kind, id, prompt, p.last)
	p.turn.Turn.Model, p.final = p.model, false
}

// assistant takes in an answer of the model.
func (p *parser) assistant(e *event) {
	b := &e.Data
	if p.turn == nil {
		p.open(codememory.PromptTurn, e.ID, "") // the question cannot be read
	}
	id := b.Message
	if id == "" {
		id = e.ID
	}
	p.log.Session.Messages++
	p.turn.Reopen()
	p.turn.Say(id, p.strip(b.Content), p.last)
	for _, r := range b.Requests {
		if r.Call != "" && p.uses[r.Call] == nil {
			p.uses[r.Call] = p.turn.Use(id, call(r), p.last)
		}
	}
	p.final = len(b.Requests) == 0
	p.turn.Finished = p.final && strings.TrimSpace(b.Content) != ""
	if b.Asked != "" {
		p.turn.Turn.Model, p.log.Session.Model = b.Asked, b.Asked
	}
}

// userCommand opens the turn of a command that the user ran.
func (p *parser) userCommand(e *event) {
	c := call(request{Call: e.Data.Call, Name: e.Data.Tool, Arguments: e.Data.Arguments})
	p.log.Session.Messages++
	p.open(codememory.ShellTurn, e.ID, c.Target)
	p.uses[c.ID] = p.turn.Use(e.ID, c, p.last)
}

// complete takes in the outcome of a tool.
func (p *parser) complete(b *body) {
	u := p.uses[b.Call]
	if u == nil {
		return
	}
	p.outcome(u, b)
	delete(p.uses, b.Call)
	if d := u.Draft(); d.Turn.Kind == codememory.ShellTurn {
		d.End(codememory.TurnDone, "", p.last)
	}
}

// rewind takes back an event and all after it.
func (p *parser) rewind(id string) {
	n, known := p.events[id]
	if !known {
		return
	}
	for _, d := range p.log.Turns[n:] {
		d.Hidden = true
	}
	p.turn = nil
}
