package codex

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// parser puts the rows of one rollout together to turns.
type parser struct {
	log   jsonl.Log
	strip func(string) string
	keep  int

	known  bool // whether the first row was seen
	named  bool // whether the user gave the thread a name
	tasks  bool // whether this release records where turns begin and end
	turn   *jsonl.Draft
	mirror bool // the prompt comes from what the model got: Codex may show it yet
	uses   map[string]*use
	said   map[string]bool // messages of the agent by id
	model  string
	last   time.Time
}

func newParser(strip func(string) string, keep int) *parser {
	return &parser{strip: strip, keep: keep, uses: map[string]*use{}, said: map[string]bool{}}
}

// Log returns what was read so far.
func (p *parser) Log() *jsonl.Log { return &p.log }

// Line takes in a row.
func (p *parser) Line(line []byte) bool {
	var r row
	if !jsonl.Decode(line, &r) {
		return false
	}
	if at := jsonl.Time(r.Timestamp); !at.IsZero() {
		p.last = at
		p.log.See(at)
	}
	switch r.Type {
	case "session_meta":
		return p.meta(r.Payload)
	case "turn_context":
		var c turnContext
		if !jsonl.Decode(r.Payload, &c) {
			return false
		}
		if c.Model != "" {
			p.model, p.log.Session.Model = c.Model, c.Model
			if p.working() {
				p.turn.Turn.Model = c.Model
			}
		}
	case "event_msg":
		var e event
		if !jsonl.Decode(r.Payload, &e) {
			return false
		}
		p.event(&e, &r)
	case "response_item":
		var i response
		if !jsonl.Decode(r.Payload, &i) {
			return false
		}
		p.response(&i, &r)
	case "compacted":
		var c struct {
			Message string `json:"message"`
			Window  string `json:"window_id"`
		}
		if !jsonl.Decode(r.Payload, &c) {
			return false
		}
		p.compacted(c.Window, c.Message, &r)
	}
	return true
}

// meta takes in the first row; those that follow are copies of another thread.
func (p *parser) meta(payload json.RawMessage) bool {
	var m sessionMeta
	if !jsonl.Decode(payload, &m) {
		return false
	}
	if p.known {
		return true
	}
	p.known = true
	p.log.Session.Dir, p.log.Session.Parent = jsonl.Valid(m.Cwd), m.parent()
	p.log.See(jsonl.Time(m.Timestamp))
	return true
}

// id names what has no id of its own by its place.
func (r *row) id(kind string) string {
	if r.Ordinal > 0 {
		return kind + "-" + strconv.Itoa(r.Ordinal)
	}
	return kind + "-" + r.Timestamp
}

// open begins a turn. It is not told until the user or the agent said something.
func (p *parser) open(id string) {
	p.turn = p.log.Open(codememory.PromptTurn, id, "", p.last)
	p.turn.Tentative, p.mirror = true, false
	p.turn.Turn.Model = p.model
}

// working reports whether the agent is in a turn.
func (p *parser) working() bool { return p.turn != nil && p.turn.Turn.State == "" }

// event takes in what Codex shows to the user.
func (p *parser) event(e *event, r *row) {
	switch e.Type {
	case "task_started", "turn_started":
		p.tasks = true
		if e.Turn == "" {
			e.Turn = r.id("turn")
		}
		p.open(e.Turn)
	case "user_message":
		p.prompt(e.Message, r)
	case "agent_message":
		p.say("", e.Message, r)
	case "item_completed":
		p.item(e, r)
	case "exec_command_end":
		p.shown(&e.item, "CommandExecution", e.CallID)
	case "patch_apply_end":
		p.shown(&e.item, "FileChange", e.CallID)
	case "mcp_tool_call_end":
		p.shown(&e.item, "McpToolCall", e.CallID)
	case "token_count":
		if e.Info != nil && e.Info.Last.Input+e.Info.Last.Output > 0 && p.turn != nil {
			p.turn.Turn.Tokens = e.Info.Last.tokens()
		}
	case "error":
		if p.working() {
			p.turn.Tentative = false
			p.turn.End(codememory.TurnFailed, e.Message, p.last)
		}
	case "turn_aborted":
		if p.working() {
			p.turn.End(codememory.TurnAborted, aborted(e.Reason), p.last)
		}
	case "task_complete", "turn_complete":
		p.complete(e)
	case "thread_rolled_back":
		p.undo(e.Undone)
	case "thread_name_updated":
		if name := jsonl.Title(jsonl.Valid(e.Name)); name != "" {
			p.log.Session.Title, p.named = name, true
		}
	}
}

func aborted(reason string) string {
	if reason == "" || reason == "interrupted" {
		return "interrupted by the user"
	}
	return reason
}

// complete ends a turn.
func (p *parser) complete(e *event) {
	if p.turn == nil || p.turn.Turn.State != "" && (e.Last == nil || *e.Last == "") {
		return // it failed before
	}
	var failed struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(e.Error, &failed) == nil && failed.Message != "" {
		p.turn.End(codememory.TurnFailed, failed.Message, p.last)
		return
	}
	p.turn.End(codememory.TurnDone, "", p.last)
}

// undo takes back the last turns of the user.
func (p *parser) undo(n int) {
	for i := len(p.log.Turns) - 1; i >= 0 && n > 0; i-- {
		d := p.log.Turns[i]
		if d.Hidden || d.Turn.Kind != codememory.PromptTurn || d.Turn.Prompt == "" {
			continue
		}
		d.Hidden = true
		n--
	}
	p.turn = nil
}

// item takes in a finished part of a turn.
func (p *parser) item(e *event, r *row) {
	if e.Item == nil {
		return
	}
	switch e.Item.Kind {
	case "UserMessage":
		text := e.Item.Content.text()
		if files := e.Item.Content.attached(); files != "" {
			text = strings.TrimSpace(text + "\n" + files)
		}
		p.prompt(text, r)
	case "AgentMessage", "Plan":
		p.say(e.Item.ID, e.Item.Content.text()+e.Item.Text, r)
	case "SubAgentActivity":
		if u := p.uses[e.Item.ID]; u != nil {
			u.Call.Child = e.Item.Agent + e.Item.AgentCamel
		}
	case "CommandExecution", "FileChange", "McpToolCall", "DynamicToolCall", "CollabAgentToolCall", "WebSearch", "ImageView":
		p.shown(e.Item, e.Item.Kind, e.Item.ID)
	}
}

// shown takes in a tool that is done.
func (p *parser) shown(it *item, kind, id string) {
	it.Kind, it.ID = kind, id
	if p.turn == nil || id == "" {
		return
	}
	if kind == "CommandExecution" && (it.Source == "user_shell" || it.Source == "userShell") && p.turn.Turn.Prompt == "" {
		p.turn.Turn.Kind, p.turn.Turn.Prompt = codememory.ShellTurn, line(it.Command)
		p.log.Session.Messages++
	}
	p.show(it)
}

// prompt takes in what the user typed.
func (p *parser) prompt(text string, r *row) {
	text = p.words(jsonl.Valid(text))
	if text == "" {
		return
	}
	switch {
	case p.working() && p.mirror:
		p.turn.Turn.Prompt, p.mirror = text, false
		return
	case p.working() && (p.tasks || p.turn.Turn.Prompt == ""):
		// Within a turn the user sends more while the agent works.
		p.turn.Turn.Prompt = strings.TrimSpace(p.turn.Turn.Prompt + "\n" + text)
	default:
		p.open(r.id("prompt"))
		p.turn.Turn.Prompt = text
	}
	p.turn.Tentative = false
	p.turn.Touch(p.last)
	p.log.Session.Messages++
	if !p.named && p.log.Session.Title == "" {
		p.log.Session.Title = jsonl.Title(text)
	}
}

// say takes in what the agent said, which comes twice: as Codex shows it and as
// the model gave it.
func (p *parser) say(id, text string, r *row) {
	text = strings.TrimSpace(p.strip(jsonl.Valid(text)))
	if text == "" || id != "" && p.said[id] {
		return
	}
	if p.turn == nil {
		p.open(r.id("turn"))
	}
	if last := p.turn.Turn.Answer(); id == "" || !p.tasks {
		if last == text {
			return
		}
	}
	if id == "" {
		id = r.id("message")
	}
	p.said[id] = true
	if p.turn.Turn.State == codememory.TurnFailed {
		p.turn.Reopen() // it was not the end
	}
	p.log.Session.Messages++
	p.turn.Say(id, text, p.last)
	p.turn.Finished = !p.tasks
}

// response takes in an item as the model gave or got it.
func (p *parser) response(i *response, r *row) {
	switch i.Type {
	case "message":
		switch {
		case i.Role == "assistant" && !r.Metadata.CompactionOutput:
			p.say(i.ID, i.Content.text(), r)
		case i.Role == "user":
			p.typedItem(i, r)
		}
	case "function_call", "custom_tool_call", "local_shell_call", "web_search_call":
		if p.turn == nil {
			p.open(r.id("turn"))
		}
		if i.ID == "" {
			i.ID = r.id("message")
		}
		p.turn.Finished = false
		p.begin(i)
	case "function_call_output", "custom_tool_call_output":
		p.output(i)
	}
}

// typedItem takes in a prompt as the model got it: Codex does not show all.
func (p *parser) typedItem(i *response, r *row) {
	text := p.typed(i)
	if text == "" || p.tasks && (!p.working() || p.turn.Turn.Prompt != "") {
		return
	}
	if !p.tasks && p.turn != nil && p.turn.Turn.Prompt != "" && len(p.turn.Turn.Steps) == 0 && p.working() {
		return
	}
	if !p.tasks && p.turn != nil {
		p.turn.Touch(p.last)
		p.turn = nil // no end is recorded
	}
	p.prompt(text, r)
	p.mirror = true
}

// compacted takes in a summary. It comes in a turn of its own when the user
// asked for it.
func (p *parser) compacted(id, message string, r *row) {
	reason := "auto"
	if p.turn == nil || p.turn.Turn.Prompt == "" {
		reason = "manual"
	}
	if id == "" {
		id = r.id("compaction")
	}
	p.log.Compacted(id, reason, p.strip(summary(jsonl.Valid(message))), p.last)
}
