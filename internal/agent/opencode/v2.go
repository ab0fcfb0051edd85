package opencode

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"

	"codememory/internal/agent/jsonl"
)

// dataV2 is the JSON of a row of session_message, of whatever type.
type dataV2 struct {
	Text    string        `json:"text"`
	Files   []fileV2      `json:"files"`
	Content []contentV2   `json:"content"`
	Model   modelRef      `json:"model"`
	Finish  string        `json:"finish"`
	Tokens  tokensJSON    `json:"tokens"`
	Error   failureJSON   `json:"error"`
	Time    span          `json:"time"`
	Command string        `json:"command"`
	CallID  string        `json:"callID"`
	Exit    *float64      `json:"exit"`
	Output  textOrContent `json:"output"`
	Reason  string        `json:"reason"`
	Summary string        `json:"summary"`
	Status  string        `json:"status"`
	Outcome string        `json:"outcome"`
}

type fileV2 struct {
	Name     string `json:"name"`
	Filename string `json:"filename"`
	URI      string `json:"uri"`
	URL      string `json:"url"`
}

// contentV2 is one piece of an assistant's message.
type contentV2 struct {
	Type     string `json:"type"`
	ID       string `json:"id"`
	Text     string `json:"text"`
	Name     string `json:"name"`
	Title    string `json:"title"`
	Executed bool   `json:"executed"`
	Provider struct {
		Executed bool `json:"executed"`
	} `json:"provider"`
	State struct {
		Status     string          `json:"status"`
		Input      json.RawMessage `json:"input"`
		Content    textOrContent   `json:"content"`
		Structured toolMeta        `json:"structured"`
		Metadata   toolMeta        `json:"metadata"`
		Error      failureJSON     `json:"error"`
	} `json:"state"`
	Time span `json:"time"`

	size int // bytes of the output before SQLite cut it
}

// textOrContent is text, an object with the field output, or a list of pieces
// with text.
type textOrContent string

// UnmarshalJSON takes whichever of the three it is.
func (t *textOrContent) UnmarshalJSON(b []byte) error {
	var one string
	var object struct {
		Output string `json:"output"`
	}
	var list []struct {
		Text string `json:"text"`
	}
	switch {
	case json.Unmarshal(b, &one) == nil:
		*t = textOrContent(one)
	case json.Unmarshal(b, &list) == nil:
		var texts []string
		for _, piece := range list {
			if piece.Text != "" {
				texts = append(texts, piece.Text)
			}
		}
		*t = textOrContent(strings.Join(texts, "\n"))
	case json.Unmarshal(b, &object) == nil:
		*t = textOrContent(object.Output)
	}
	return nil
}

// v2 reads the messages of a session from the table session_message, in the
// form that the older store has.
func (v *view) v2(ctx context.Context, session string, maxOutput int) ([]message, error) {
	order := "t.time_created, t.id"
	if v.schema.has("session_message", "seq") {
		order = "t.seq"
	}
	type item struct {
		row row
		d   dataV2
		ok  bool
	}
	var items []item
	err := v.rows(ctx, func(r row) {
		it := item{row: r}
		if !r.big {
			it.ok = decode(r.data, &it.d)
		}
		it.row.data = nil
		items = append(items, it)
	}, "SELECT "+v.schema.rowColumns("session_message", "t.type")+" FROM session_message t WHERE t.session_id = ? ORDER BY "+order, bigRow, session)
	if err != nil {
		return nil, err
	}
	var messages []message
	asked := "" // the message that assistants answer
	for i := range items {
		it := &items[i]
		if it.row.big {
			if it.d, it.ok, err = v.bigV2(ctx, it.row.id, maxOutput); err != nil {
				return nil, err
			}
		}
		if !it.ok {
			v.damage.add(it.row.id)
			continue
		}
		if it.row.owner == "idle" {
			markOutcome(messages, it.d)
			continue
		}
		for _, m := range it.d.lower(&it.row, asked, maxOutput) {
			if m.role == "user" {
				asked = m.id
			}
			messages = append(messages, m)
		}
	}
	return messages, nil
}

// markOutcome notes on the last step how its turn ended.
func markOutcome(messages []message, d dataV2) {
	for i := len(messages) - 1; i >= 0; i-- {
		if m := &messages[i]; m.role == "assistant" && !m.summary {
			m.outcome = d.Outcome
			if m.failure == (failure{}) {
				m.failure = d.Error.failure()
			}
			return
		}
	}
}

// lower gives a row the form of the older store: a compaction or a command of
// the user becomes a question and an answer.
func (d *dataV2) lower(r *row, asked string, maxOutput int) []message {
	base := message{id: r.id, role: "user", created: first(int64(d.Time.Created), r.created), updated: r.updated}
	answer := base
	answer.role, answer.parent = "assistant", r.id
	answer.completed = int64(d.Time.Completed)
	answer.failure = d.Error.failure()
	answer.model, answer.provider = d.Model.id(), d.Model.ProviderID
	answer.tokens = d.Tokens.count()
	p := part{id: r.id, at: base.created, updated: r.updated}
	switch r.owner {
	case "user", "synthetic", "skill":
		p.kind, p.text, p.synthetic = partText, d.Text, r.owner != "user"
		base.parts = []part{p}
		for i, f := range d.Files {
			name := fileName(cmp.Or(f.Name, f.Filename), cmp.Or(f.URI, f.URL))
			base.parts = append(base.parts, part{id: fmt.Sprintf("%s.%d", r.id, i), kind: partFile, file: name, at: p.at, updated: p.updated})
		}
		return []message{base}
	case "shell":
		p.kind = partShell
		base.parts = []part{p}
		status := "completed"
		if d.Status == "running" || d.Status == "" && answer.completed == 0 && d.Output == "" {
			status = "running"
		} else {
			answer.completed = first(answer.completed, r.updated)
		}
		input, _ := json.Marshal(map[string]string{"command": d.Command}) // cannot fail
		size := len(d.Output)
		answer.parts = []part{{id: r.id, kind: partTool, at: p.at, updated: p.updated, tool: &tool{
			name: "bash", callID: d.CallID, status: status,
			input: input, output: jsonl.Cut(string(d.Output), size, maxOutput), size: size, meta: toolMeta{Exit: d.Exit},
		}}}
		return []message{base, answer}
	case "compaction":
		p.kind, p.auto, p.overflow = partCompaction, d.Reason != "manual", d.Reason == "overflow"
		base.parts = []part{p}
		answer.summary = true
		if d.Status == "" || d.Status == "completed" {
			answer.finish, answer.completed = "stop", first(answer.completed, r.updated)
		}
		answer.parts = []part{{id: r.id, kind: partText, text: d.Summary, at: p.at, updated: p.updated}}
		return []message{base, answer}
	case "assistant":
		answer.parent, answer.finish = asked, d.Finish
		for i := range d.Content {
			answer.parts = append(answer.parts, d.Content[i].lower(fmt.Sprintf("%s.%d", r.id, i), answer.created, r.updated, maxOutput))
		}
		return []message{answer}
	}
	return nil // system, agent-switched, model-switched and what is yet to come
}

func (c *contentV2) lower(id string, created, updated int64, maxOutput int) part {
	p := part{id: id, kind: c.Type, text: c.Text, at: first(int64(c.Time.Ran), int64(c.Time.Created), created), updated: updated}
	if c.Type != partTool {
		return p
	}
	meta := c.State.Metadata
	if meta.SessionID == "" && meta.Exit == nil {
		meta = c.State.Structured
	}
	size := max(c.size, len(c.State.Content))
	p.tool = &tool{
		name: c.Name, callID: c.ID, status: c.State.Status, input: jsonl.Input(c.State.Input), output: jsonl.Cut(string(c.State.Content), size, maxOutput),
		size: size, err: c.State.Error.failure().message, title: c.Title, meta: meta, provider: c.Executed || c.Provider.Executed,
	}
	return p
}

// bigV2 lets SQLite take a big row apart.
func (v *view) bigV2(ctx context.Context, id string, maxOutput int) (d dataV2, ok bool, err error) {
	limit := maxOutput
	if limit <= 0 {
		limit = 1 << 31
	}
	var head []byte
	err = v.tx.QueryRowContext(ctx, `SELECT CASE WHEN json_valid(data) THEN json_set(json_remove(data, '$.content', '$.files'), '$.text', substr(json_extract(data, '$.text'), 1, ?)) END
		FROM session_message WHERE id = ?`, bigText, id).Scan(&head)
	if err != nil || !decode(head, &d) {
		return d, false, err
	}
	rows, err := v.tx.QueryContext(ctx, `SELECT json_remove(i.value, '$.text', '$.state.input', '$.state.content', '$.state.attachments', '$.state.result'),
		substr(json_extract(i.value, '$.text'), 1, ?1), json_extract(i.value, '$.state.input'),
		(SELECT substr(group_concat(json_extract(c.value, '$.text'), char(10)), 1, ?2) FROM json_each(i.value, '$.state.content') c),
		(SELECT sum(octet_length(json_extract(c.value, '$.text'))) FROM json_each(i.value, '$.state.content') c)
		FROM session_message m, json_each(m.data, '$.content') i WHERE m.id = ?3`, bigText, limit, id)
	if err != nil {
		return d, false, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var item, input []byte
		var text, output sql.NullString
		var size sql.NullInt64
		if err := rows.Scan(&item, &text, &input, &output, &size); err != nil {
			return d, false, err
		}
		var c contentV2
		if !decode(item, &c) {
			v.damage.add(id)
			continue
		}
		c.Text, c.State.Input, c.State.Content, c.size = text.String, jsonl.Input(input), textOrContent(output.String), int(size.Int64)
		d.Content = append(d.Content, c)
	}
	return d, true, rows.Err()
}
