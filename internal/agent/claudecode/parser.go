package claudecode

import (
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// parser puts the rows of one transcript together to turns.
type parser struct {
	log   jsonl.Log
	strip func(string) string
	keep  int

	subagent bool // then all rows are a sidechain
	chain    chain
	turn     *jsonl.Draft          // what the agent works on
	before   *jsonl.Draft          // what it worked on when the user gave a command
	uses     map[string]*jsonl.Use // by the id of the call
	messages map[string]bool
	trigger  string // of the compaction whose summary comes next
	last     time.Time
	titled   int // how good the title is
}

// How good a title is, in rising order.
const (
	fromPrompt = iota + 1
	fromSummary
	fromAgent
	fromUser
)

func newParser(p jsonl.Place, strip func(string) string, keep int) *parser {
	n := &parser{strip: strip, keep: keep, subagent: p.Parent != "", chain: newChain(), uses: map[string]*jsonl.Use{}, messages: map[string]bool{}}
	n.log.Session.Parent = p.Parent
	n.log.Undone = n.chain.tell
	if n.subagent {
		n.title(metaOf(p.Path).Description, fromAgent)
	}
	return n
}

// Log returns what was read so far.
func (p *parser) Log() *jsonl.Log { return &p.log }

// Line takes in a row.
func (p *parser) Line(line []byte) bool {
	var r row
	if !jsonl.Decode(line, &r) {
		return false
	}
	if r.Sidechain && !p.subagent {
		return true // older releases wrote subagents between the rows
	}
	prompt := r.Type == "user" && p.isPrompt(&r)
	if !p.chain.add(&r, prompt) {
		return true // copied history
	}
	if at := jsonl.Time(r.Timestamp); !at.IsZero() {
		p.last = at
		p.log.See(at)
	}
	if p.log.Session.Dir == "" {
		p.log.Session.Dir = jsonl.Valid(r.Cwd)
	}
	switch r.Type {
	case "user":
		p.user(&r, prompt)
	case "assistant":
		p.assistant(&r)
	case "system":
		p.system(&r)
	case "attachment":
		p.attachment(&r)
	case "summary":
		p.title(r.SummaryText, fromSummary)
	case "ai-title":
		p.title(r.AITitle, fromAgent)
	case "custom-title":
		p.title(r.CustomTitle, fromUser)
	}
	return true
}

func (p *parser) title(text string, quality int) {
	if text = jsonl.Title(jsonl.Valid(text)); text != "" && (quality > p.titled || quality == p.titled && quality > fromPrompt) {
		p.log.Session.Title, p.titled = text, quality
	}
}

// isPrompt reports whether a row opens a turn.
func (p *parser) isPrompt(r *row) bool {
	if r.Message == nil || r.Meta || r.Summary || r.Message.Content.has("tool_result") {
		return false
	}
	return words(r.Message.Content.text(), p.strip) != "" || r.Message.Content.has("image") || r.Message.Content.has("document")
}

// user takes in a row in the user's name: a prompt, the outcomes of tools, or
// what Claude Code has to tell.
func (p *parser) user(r *row, prompt bool) {
	if r.Message == nil {
		return
	}
	p.log.Session.Messages++
	text := r.Message.Content.text()
	switch {
	case r.Summary:
		p.log.Compacted(r.UUID, p.trigger, p.strip(summary(jsonl.Valid(text))), p.last)
		p.trigger = ""
	case prompt:
		p.open(r, text)
	case p.turn == nil:
	case strings.HasPrefix(strings.TrimSpace(text), interrupted):
		p.outcomes(r)
		p.turn.End(codememory.TurnAborted, "interrupted by the user", p.last)
	case strings.HasPrefix(strings.TrimSpace(text), "<bash-std"):
		p.shellOutput(text)
	case strings.HasPrefix(strings.TrimSpace(text), "<local-command-std"):
		p.localCommand()
	case strings.HasPrefix(strings.TrimSpace(text), stopFeedback):
		p.turn.Reopen()
		p.turn.Touch(p.last)
	default:
		p.outcomes(r)
	}
}

// open begins a turn.
func (p *parser) open(r *row, text string) {
	prompt := words(text, p.strip)
	if cmd, ok := jsonl.Tagged(prompt, "bash-input"); ok && strings.HasPrefix(prompt, "<bash-input>") {
		cmd = strings.TrimSpace(cmd)
		p.turn = p.log.Open(codememory.ShellTurn, r.UUID, cmd, p.last)
		p.uses[r.UUID] = p.turn.Use(r.UUID, codememory.ToolCall{ID: r.UUID, Name: "Bash", Target: cmd, Running: true}, p.last)
		if out := words(strings.TrimPrefix(prompt, "<bash-input>"+cmd+"</bash-input>"), p.strip); out != "" {
			p.shellOutput(out)
		}
		return
	}
	cmd, isCommand := command(prompt)
	if isCommand {
		prompt = cmd
	}
	if prompt == "" {
		prompt = "[attached: image]"
	}
	p.before = p.turn
	p.turn = p.log.Open(codememory.PromptTurn, r.UUID, prompt, p.last)
	p.turn.Tentative = isCommand // most commands never reach the agent
	if !isCommand {
		p.title(prompt, fromPrompt)
	}
}

// localCommand takes back the turn of a command that Claude Code ran itself.
func (p *parser) localCommand() {
	if p.turn.Tentative && len(p.turn.Turn.Steps) == 0 {
		p.turn.Hidden, p.turn = true, p.before
	}
}

// shellOutput ends the turn of a command that the user ran.
func (p *parser) shellOutput(text string) {
	u := p.uses[p.turn.Turn.ID]
	if u == nil {
		return
	}
	out, _ := jsonl.Tagged(text, "bash-stdout")
	if errs, ok := jsonl.Tagged(text, "bash-stderr"); ok && strings.TrimSpace(errs) != "" {
		out += errs
	}
	u.Output(out, p.keep, p.last)
	p.turn.End(codememory.TurnDone, "", p.last)
}

// outcomes gives results to the tools that wait for them.
func (p *parser) outcomes(r *row) {
	for _, b := range r.Message.Content {
		if u := p.uses[b.ToolUse]; b.Type == "tool_result" && u != nil {
			p.outcome(u, b, r.Result, p.last)
			delete(p.uses, b.ToolUse)
		}
	}
}

// assistant takes in a part of what the model answered: a message is written
// as several rows with the same id.
func (p *parser) assistant(r *row) {
	m := r.Message
	if m == nil {
		return
	}
	if m.ID == "" || !p.messages[m.ID] {
		p.messages[m.ID] = true
		p.log.Session.Messages++
	}
	if p.turn == nil {
		p.turn = p.log.Open(codememory.PromptTurn, r.UUID, "", p.last) // the question cannot be read
	}
	t := p.turn
	if r.APIError {
		t.End(codememory.TurnFailed, m.Content.text(), p.last)
		return
	}
	t.Reopen()
	t.Touch(p.last)
	id := m.ID
	if id == "" {
		id = r.UUID
	}
	for _, b := range m.Content {
		switch b.Type {
		case "text":
			t.Say(id, p.strip(b.Text), p.last)
			t.Finished = m.StopReason == ""
		case "tool_use":
			p.uses[b.ID] = t.Use(id, call(b), p.last)
			t.Finished = false
		}
	}
	if m.Model != "" && m.Model != "<synthetic>" {
		t.Turn.Model, p.log.Session.Model = m.Model, m.Model
	}
	if m.Usage != nil && m.Usage.tokens().Total > 0 {
		t.Turn.Tokens = m.Usage.tokens()
	}
	switch m.StopReason {
	case "", "tool_use", "pause_turn":
	case "refusal":
		t.End(codememory.TurnFailed, "the model refused", p.last)
	default:
		t.End(codememory.TurnDone, "", p.last)
	}
}

// system takes in what Claude Code notes about the conversation.
func (p *parser) system(r *row) {
	switch r.Subtype {
	case "compact_boundary":
		p.trigger = r.Compact.Trigger
	case "turn_duration", "stop_hook_summary":
		if p.turn != nil && p.turn.Turn.State == "" && p.turn.Finished {
			p.turn.End(codememory.TurnDone, "", p.last)
		}
	}
}

// attachment takes in what the user typed while the agent worked. All other
// attachments are Claude Code's own, hooks and with them our own text included.
func (p *parser) attachment(r *row) {
	if !r.Attachment.typed() || p.turn == nil {
		return
	}
	text := words(r.Attachment.Prompt.text(), p.strip)
	if text == "" {
		return
	}
	p.turn.Turn.Prompt = strings.TrimSpace(p.turn.Turn.Prompt + "\n" + text)
	p.turn.Touch(p.last)
}
