package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/journal"
)

// Locator is what an agent's records offer beyond codememory.Transcripts when
// they know the session of a message without a search.
type Locator interface {
	// SessionOf returns the session that a message belongs to; it fails with NotFound.
	SessionOf(ctx context.Context, message string) (string, error)
}

// message is one message of a conversation. Only what the user typed is the
// user's; what the agent or a plugin put in his name is not shown.
type message struct {
	id    string
	turn  string
	role  string
	at    time.Time
	text  string
	tools []codememory.ToolCall
	dir   string
	mark  bool // of a compaction: it has no text
}

const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// messagesOf takes turns apart again.
func messagesOf(turns []codememory.Turn) []message {
	var out []message
	for _, t := range turns {
		user := message{id: t.ID, turn: t.ID, role: roleUser, at: t.StartedAt, text: t.Prompt, dir: t.Dir}
		if t.Kind == codememory.CompactionTurn {
			user.text, user.mark = "", true
		}
		if user.mark || user.text != "" {
			out = append(out, user)
		}
		for i, s := range t.Steps {
			if i == 0 || s.Message != t.Steps[i-1].Message {
				out = append(out, message{id: s.Message, turn: t.ID, role: roleAssistant, at: s.At, dir: t.Dir})
			}
			m := &out[len(out)-1]
			switch {
			case s.Tool != nil:
				m.tools = append(m.tools, *s.Tool)
			case m.text == "":
				m.text = s.Text
			default:
				m.text += "\n" + s.Text
			}
		}
	}
	return out
}

// conversation renders the last messages of a session, oldest first.
func (r *Router) conversation(ctx context.Context, c call) (string, error) {
	f, err := r.asked(ctx, c, `memory({tool: "messages", args: {sessionId: "ses_..."}})`)
	if err != nil {
		return "", err
	}
	turns, err := f.turns(ctx, 4096)
	if err != nil {
		return "", err
	}
	all := messagesOf(turns)
	if before := c.args.word("before"); before != "" {
		i := slices.IndexFunc(all, func(m message) bool { return m.id == before })
		if i < 0 {
			return "", codememory.Errorf(codememory.NotFound, "session %s has no message %s.", f.session.ID, inline(before, 80))
		}
		all = all[:i]
	}
	role, tools := strings.ToLower(c.args.word("role")), c.args.yes("showTools", "tools")
	hidden := 0
	shown := slices.DeleteFunc(all, func(m message) bool {
		if role != "" && m.role != role {
			return true
		}
		if m.text == "" && !m.mark && !tools {
			hidden++
			return true
		}
		return false
	})
	if len(shown) == 0 {
		return "No messages found.", nil
	}
	earlier := max(0, len(shown)-c.args.number(50, 500, "limit"))
	shown = shown[earlier:]
	maxLength := c.args.number(2000, maxAnswer, "maxLength")
	blocks := make([]string, len(shown))
	for i, m := range shown {
		blocks[i] = r.head(m) + "\n" + r.body(m, tools, maxLength, "use maxLength or message tool for full content") + "\n---"
	}
	kept, left, _ := fit(blocks, len(blocks)-1, maxAnswer-1024)
	text := "# Conversation\n\n" + strings.Join(kept, "\n")
	if left > 0 {
		text += fmt.Sprintf("\n\n%d of the %d messages asked for do not fit: read them with before: %q.", left, len(blocks), shown[left].id)
	} else if earlier > 0 {
		text += fmt.Sprintf("\n\n%d earlier messages: read them with before: %q.", earlier, shown[0].id)
	}
	if hidden > 0 {
		text += fmt.Sprintf("\n\n%d %s only tool calls: showTools: true shows them.", hidden, plural(hidden, "message holds", "messages hold"))
	}
	return text, nil
}

// oneMessage renders a message found by its id.
func (r *Router) oneMessage(ctx context.Context, c call) (string, error) {
	id := c.args.word("messageId", "message", "id")
	if id == "" {
		return "", missing("messageId", `memory({tool: "message", args: {messageId: "msg_..."}})`)
	}
	m, err := r.findMessage(ctx, c, id)
	if err != nil {
		return "", err
	}
	maxLength := c.args.number(8000, maxAnswer, "maxLength")
	text := r.head(m) + "\n\n" + r.body(m, false, maxLength, "increase maxLength for full content")
	if !c.args.yes("showTools", "tools") {
		if m.text == "" && len(m.tools) > 0 {
			text += fmt.Sprintf("(no text, only %d tool %s: showTools: true shows them)", len(m.tools), plural(len(m.tools), "call", "calls"))
		}
		return text, nil
	}
	for _, t := range m.tools {
		text += "\n\n" + r.toolBlock(t, m.dir, maxLength)
	}
	return text, nil
}

// searchedSessions is how many of the newest sessions are looked through for a
// message whose session nobody knows.
const searchedSessions = 50

func (r *Router) findMessage(ctx context.Context, c call, id string) (message, error) {
	in := func(f found) (message, bool) {
		turns, err := f.turns(ctx, 0)
		if err != nil {
			return message{}, false
		}
		all := messagesOf(turns)
		i := slices.IndexFunc(all, func(m message) bool { return m.id == id })
		if i < 0 {
			return message{}, false
		}
		return all[i], true
	}
	if session := c.args.word("sessionId", "session"); session != "" || c.Session != "" {
		if f, err := r.asked(ctx, c, ""); err == nil {
			if m, ok := in(f); ok {
				return m, nil
			}
		}
	}
	for _, source := range r.agents(c.Agent) {
		if l, ok := source.(Locator); ok {
			session, err := l.SessionOf(ctx, id)
			if err != nil {
				continue
			}
			if m, ok := in(found{source, codememory.AgentSession{ID: session}}); ok {
				return m, nil
			}
			continue
		}
		ss, err := source.Sessions(ctx, codememory.SessionQuery{Children: true, Limit: searchedSessions})
		if err != nil {
			continue
		}
		for _, s := range ss {
			if m, ok := in(found{source, s}); ok {
				return m, nil
			}
			if ctx.Err() != nil {
				return message{}, ctx.Err()
			}
		}
	}
	return message{}, codememory.Errorf(codememory.NotFound, "no message %s was found. Give its sessionId too if it is old.", inline(id, 80))
}

func (r *Router) head(m message) string {
	icon := "🤖"
	if m.role == roleUser {
		icon = "👤"
	}
	return fmt.Sprintf("%s **%s** _%s_", icon, m.role, r.clock(m.at))
}

// body renders the text of a message and, if asked for, one line for each tool.
func (r *Router) body(m message, tools bool, maxLength int, hint string) string {
	var parts []string
	if m.text != "" || !tools || len(m.tools) == 0 {
		parts = append(parts, r.cutText(m.text, maxLength, hint))
	}
	if tools {
		for _, t := range m.tools {
			parts = append(parts, "🔧 "+r.toolLine(t, m.dir))
		}
	}
	return strings.Join(parts, "\n")
}

// cutText shows the beginning of a long text and how long it is.
func (r *Router) cutText(s string, maxLength int, hint string) string {
	n := chars(s)
	if n <= maxLength {
		return r.shown(s)
	}
	// A secret is only recognised whole, so the cut comes after.
	begin := first(r.opts.Redact(first(s, maxLength+secretChars)), maxLength)
	return fmt.Sprintf("%s\n... (%d chars total, %s)", harmless(begin), n, hint)
}

// secretChars is longer than nearly all secrets.
const secretChars = 4096

func (r *Router) toolLine(t codememory.ToolCall, dir string) string {
	return inline(r.opts.Redact(journal.ToolLine(t, dir)), 400)
}

// toolBlock renders a tool with its output.
func (r *Router) toolBlock(t codememory.ToolCall, dir string, maxLength int) string {
	text := "🔧 " + r.toolLine(t, dir)
	if out := strings.TrimRight(t.Output, "\n"); out != "" {
		text += "\n" + fenced(r.cutText(out, maxLength, "increase maxLength for full content"))
	}
	return text
}
