package opencode

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
)

// Summary counts what the database holds.
type Summary struct {
	Projects     int `json:"projects"`
	MainSessions int `json:"main_sessions"`
	Sessions     int `json:"sessions"` // with those of subagents
	Messages     int `json:"messages"`
	Todos        int `json:"todos"`
}

// Todo is one line of a session's todo list.
type Todo struct {
	Content  string `json:"content"`
	Status   string `json:"status"`
	Priority string `json:"priority"`
}

// Compaction is one time that OpenCode replaced the beginning of a session by a
// summary.
type Compaction struct {
	ID       string    `json:"id"`
	At       time.Time `json:"at"`
	Auto     bool      `json:"auto"`
	Overflow bool      `json:"overflow"`
	Summary  string    `json:"summary"`
}

// Message is one message as a flat list shows it.
type Message struct {
	ID      string    `json:"id"`
	Session string    `json:"session"`
	Role    string    `json:"role"` // user or assistant
	At      time.Time `json:"at"`
	Text    string    `json:"text"`
	Tools   []string  `json:"tools,omitempty"` // one line for each tool that it used
}

// Usage is how full the context window was at the last call of a model.
type Usage struct {
	Message  string                `json:"message"`
	At       time.Time             `json:"at"`
	Tokens   codememory.TokenCount `json:"tokens"`
	Model    string                `json:"model"`
	Provider string                `json:"provider"`
}

// Summary counts projects, sessions, messages and todos.
func (r *Reader) Summary(ctx context.Context) (Summary, error) {
	var s Summary
	err := r.view(ctx, func(v *view) error {
		main := "1"
		if v.schema.has("session", "parent_id") {
			main = "COALESCE(parent_id, '') = ''"
		}
		for _, c := range []struct {
			n            *int
			table, where string
		}{{&s.Projects, "project", "1"}, {&s.MainSessions, "session", main}, {&s.Sessions, "session", "1"}, {&s.Todos, "todo", "1"}} {
			if v.schema.tables[c.table] == nil {
				continue
			}
			if err := v.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+c.table+" WHERE "+c.where).Scan(c.n); err != nil {
				return err
			}
		}
		return v.allMessages(ctx, &s.Messages)
	})
	return s, err
}

// allMessages counts the messages of both stores.
func (v *view) allMessages(ctx context.Context, total *int) error {
	*total = 0
	for table, there := range map[string]bool{"message": v.schema.v1, "session_message": v.schema.v2} {
		if !there {
			continue
		}
		var n int
		if err := v.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table).Scan(&n); err != nil {
			return err
		}
		*total += n
	}
	return nil
}

// Todos returns the todo list of a session in its order.
func (r *Reader) Todos(ctx context.Context, session string) ([]Todo, error) {
	var out []Todo
	err := r.view(ctx, func(v *view) error {
		out = nil
		if _, err := v.session(ctx, session); err != nil || !v.schema.has("todo", "session_id") {
			return err
		}
		s := v.schema
		order := "t.rowid"
		if s.has("todo", "position") {
			order = "t.position"
		}
		rows, err := v.tx.QueryContext(ctx, "SELECT "+s.text("todo", "t", "content")+", "+s.text("todo", "t", "status")+", "+s.text("todo", "t", "priority")+
			" FROM todo t WHERE t.session_id = ? ORDER BY "+order, session)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var t Todo
			if err := rows.Scan(&t.Content, &t.Status, &t.Priority); err != nil {
				return err
			}
			t.Content = strings.ToValidUTF8(t.Content, "\uFFFD")
			out = append(out, t)
		}
		return rows.Err()
	})
	return out, err
}

// Compactions returns the compactions of a session, oldest first. The summary
// of one that did not get that far is empty.
func (r *Reader) Compactions(ctx context.Context, session string) ([]Compaction, error) {
	var out []Compaction
	err := r.read(ctx, session, func(messages []message) {
		byID := map[string]int{}
		for i := range messages {
			m := &messages[i]
			if c := m.compaction(); m.role == "user" && c != nil {
				byID[m.id] = len(out)
				out = append(out, Compaction{ID: m.id, At: instant(m.created), Auto: c.auto, Overflow: c.overflow})
			}
			if at, ok := byID[m.parent]; ok && m.role == "assistant" {
				out[at].Summary = m.text(r.opts.Strip)
			}
		}
	})
	return out, err
}

// Messages returns the last limit messages of a session, oldest first. Limit 0
// means all, an empty role both.
func (r *Reader) Messages(ctx context.Context, session string, limit int, role string) ([]Message, error) {
	var out []Message
	err := r.read(ctx, session, func(messages []message) {
		for i := range messages {
			if role == "" || messages[i].role == role {
				out = append(out, messages[i].flat(session, r.opts.Strip))
			}
		}
		if limit > 0 && len(out) > limit {
			out = out[len(out)-limit:]
		}
	})
	return out, err
}

// Message returns one message, or fails with NotFound.
func (r *Reader) Message(ctx context.Context, id string) (Message, error) {
	var out Message
	err := r.view(ctx, func(v *view) error {
		var session string
		for _, table := range []string{"message", "session_message"} {
			if session != "" || !v.schema.has(table, "session_id") {
				continue
			}
			query := "SELECT COALESCE((SELECT session_id FROM " + table + " WHERE id = ?), '')"
			if err := v.tx.QueryRowContext(ctx, query, id).Scan(&session); err != nil {
				return err
			}
		}
		if session != "" {
			messages, err := v.one(ctx, id, session)
			if err != nil {
				return err
			}
			for i := range messages {
				if messages[i].id == id {
					out = messages[i].flat(session, r.opts.Strip)
					return nil
				}
			}
		}
		return codememory.Errorf(codememory.NotFound, "OpenCode has no message %s that can be read", id)
	})
	return out, err
}

// one reads a message without the rest of its session where the store allows.
func (v *view) one(ctx context.Context, id, session string) ([]message, error) {
	if v.schema.v1 {
		found, err := v.v1Where(ctx, "t.id = ?", id, shownOutput)
		if err != nil || len(found) > 0 {
			return found, err
		}
	}
	return v.messages(ctx, session, shownOutput)
}

// Usage returns what the last call of a model in a session took. It fails with
// NotFound when the session has none yet.
func (r *Reader) Usage(ctx context.Context, session string) (Usage, error) {
	var out Usage
	err := r.view(ctx, func(v *view) error {
		s, err := v.session(ctx, session)
		if err != nil {
			return err
		}
		messages, err := v.heads(ctx, session)
		if err != nil {
			return err
		}
		for _, m := range slices.Backward(s.revert.hide(messages)) {
			if m.role == "assistant" && m.tokens.Total > 0 {
				out = Usage{Message: m.id, At: instant(m.created), Tokens: m.tokens, Model: m.model, Provider: m.provider}
				return nil
			}
		}
		return codememory.Errorf(codememory.NotFound, "session %s has no answer of a model yet", session)
	})
	return out, err
}

// heads reads the messages of a session without what they say, where that is
// stored apart.
func (v *view) heads(ctx context.Context, session string) ([]message, error) {
	second, err := v.inSecond(ctx, session)
	if err != nil {
		return nil, err
	}
	if second {
		return v.v2(ctx, session, shownOutput)
	}
	return v.v1Heads(ctx, ofSession, session)
}

// shownOutput is how much of a tool's output these lists read: none of it is
// shown.
const shownOutput = 64

// read hands the messages of a session to do, without what was undone.
func (r *Reader) read(ctx context.Context, id string, do func([]message)) error {
	var messages []message
	err := r.view(ctx, func(v *view) error {
		s, err := v.session(ctx, id)
		if err != nil {
			return err
		}
		messages, err = v.messages(ctx, id, shownOutput)
		messages = s.revert.hide(messages)
		return err
	})
	if err == nil {
		do(messages)
	}
	return err
}

// text joins what the message says, without what OpenCode or a plugin added.
func (m *message) text(strip func(string) string) string {
	text := m.words(strip)
	return text + m.attachments(text)
}

func (m *message) flat(session string, strip func(string) string) Message {
	out := Message{ID: m.id, Session: session, Role: m.role, At: instant(m.created), Text: m.text(strip)}
	for i := range m.parts {
		if t := m.parts[i].tool; t != nil {
			out.Tools = append(out.Tools, t.line())
		}
	}
	return out
}

// line describes the use of a tool in one line.
func (t *tool) line() string {
	target, _, more := strings.Cut(t.fields().target(t.name), "\n")
	if more {
		target += " …"
	}
	line := t.name
	if target = cmp.Or(target, t.title); target != "" {
		line += ": " + target
	}
	switch {
	case t.err != "":
		reason, _, _ := strings.Cut(t.err, "\n")
		line += " (failed: " + reason + ")"
	case t.running():
		line += " (running)"
	case t.meta.Exit != nil && *t.meta.Exit != 0:
		line += fmt.Sprintf(" (exit %d)", int(*t.meta.Exit))
	}
	return line
}
