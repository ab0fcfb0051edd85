package opencode

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
)

// row is one row with JSON. Of a big one only the rest is there.
type row struct {
	id, owner        string
	created, updated int64
	big              bool
	data             []byte
}

// rows hands what a query finds, whose columns are those of row, to each. The
// data are valid until it returns, so that a long session is not in memory as a
// whole.
func (v *view) rows(ctx context.Context, each func(row), query string, args ...any) error {
	found, err := v.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = found.Close() }()
	for found.Next() {
		var r row
		var size sql.NullInt64
		var data sql.RawBytes
		if err := found.Scan(&r.id, &r.owner, &r.created, &r.updated, &size, &data); err != nil {
			return err
		}
		r.data, r.big = data, data == nil && size.Valid
		each(r)
	}
	return found.Err()
}

// rowColumns selects a row of table t.
func (s *schema) rowColumns(table, owner string) string {
	return "COALESCE(t.id, ''), COALESCE(" + owner + ", ''), " + s.ms(table, "t", "time_created") + ", " + s.ms(table, "t", "time_updated") +
		", octet_length(t.data), CASE WHEN octet_length(t.data) <= ? THEN t.data END"
}

// ofSession is the condition for the rows of a session t.
const ofSession = "t.session_id = ?"

// v1 reads the messages of a session from the tables message and part.
func (v *view) v1(ctx context.Context, session string, maxOutput int) ([]message, error) {
	return v.v1Where(ctx, ofSession, session, maxOutput)
}

// v1Where reads the messages that a condition on the table message names.
func (v *view) v1Where(ctx context.Context, where, arg string, maxOutput int) ([]message, error) {
	messages, err := v.v1Heads(ctx, where, arg)
	if err != nil {
		return nil, err
	}
	partOf := "t.message_id IN (SELECT t.id FROM message t WHERE " + where + ")"
	if where == ofSession && v.schema.has("part", "session_id") {
		partOf = where
	}
	parts := map[string][]part{}
	add := func(r row, d partV1, size int, ok bool) {
		if !ok || d.Type == "" {
			v.damage.add(r.id)
			return
		}
		parts[r.owner] = append(parts[r.owner], d.part(r, size, maxOutput))
	}
	var big []row
	err = v.rows(ctx, func(r row) {
		if r.big {
			big = append(big, r)
			return
		}
		var d partV1
		ok := decode(r.data, &d)
		add(r, d, 0, ok)
	}, "SELECT "+v.schema.rowColumns("part", "t.message_id")+" FROM part t WHERE "+partOf, bigRow, arg)
	if err != nil {
		return nil, err
	}
	for _, r := range big {
		d, size, ok, err := v.bigPart(ctx, r.id, maxOutput)
		if err != nil {
			return nil, err
		}
		add(r, d, size, ok)
	}
	for i := range messages {
		m := &messages[i]
		m.parts = parts[m.id]
		slices.SortFunc(m.parts, func(a, b part) int { return cmp.Compare(a.id, b.id) })
	}
	return messages, nil
}

// v1Heads reads messages without their parts, in order.
func (v *view) v1Heads(ctx context.Context, where, arg string) ([]message, error) {
	var messages []message
	add := func(r row, data []byte) {
		var d messageV1
		if !decode(data, &d) || d.Role != "user" && d.Role != "assistant" {
			v.damage.add(r.id)
			return
		}
		messages = append(messages, d.message(r))
	}
	var big []row
	err := v.rows(ctx, func(r row) {
		if r.big {
			big = append(big, r)
			return
		}
		add(r, r.data)
	}, "SELECT "+v.schema.rowColumns("message", "NULL")+" FROM message t WHERE "+where, bigRow, arg)
	if err != nil {
		return nil, err
	}
	for _, r := range big {
		data, err := v.bigMessage(ctx, r.id)
		if err != nil {
			return nil, err
		}
		add(r, data)
	}
	// By time first: ids wrap every 795 days.
	slices.SortFunc(messages, func(a, b message) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id)) })
	return messages, nil
}

// messageV1 is the JSON of a row of message.
type messageV1 struct {
	Role       string          `json:"role"`
	ParentID   string          `json:"parentID"`
	Finish     string          `json:"finish"`
	Summary    json.RawMessage `json:"summary"` // true for a compaction's, an object on the user's messages
	ModelID    string          `json:"modelID"`
	ProviderID string          `json:"providerID"`
	Model      modelRef        `json:"model"`
	Tokens     tokensJSON      `json:"tokens"`
	Error      failureJSON     `json:"error"`
	Time       span            `json:"time"`
	Diffs      []fileDiff      `json:"diffs"` // where the statement for big rows puts them
}

// bigMessage returns a message without what makes it big: long patches, of
// which it is enough to know the files.
func (v *view) bigMessage(ctx context.Context, id string) (data []byte, err error) {
	err = v.tx.QueryRowContext(ctx, `SELECT CASE WHEN json_valid(data) THEN json_set(json_remove(data, '$.system', '$.error.data.responseBody', '$.summary.diffs'),
		'$.diffs', json((SELECT json_group_array(json_object('file', json_extract(value, '$.file'), 'status', json_extract(value, '$.status')))
			FROM json_each(data, '$.summary.diffs')))) END FROM message WHERE id = ?`, id).Scan(&data)
	return data, err
}

func (d *messageV1) message(r row) message {
	m := message{
		id: r.id, role: d.Role, parent: d.ParentID, created: first(r.created, int64(d.Time.Created)), updated: r.updated,
		completed: int64(d.Time.Completed), finish: d.Finish, failure: d.Error.failure(), tokens: d.Tokens.count(),
		model: d.ModelID, provider: d.ProviderID,
	}
	if m.model == "" {
		m.model, m.provider = d.Model.id(), d.Model.ProviderID
	}
	m.summary = d.Role == "assistant" && string(d.Summary) == "true"
	if m.diffs = d.Diffs; m.diffs == nil {
		m.diffs = diffs(d.Summary)
	}
	return m
}

// diffs finds the list of changed files in the summary that OpenCode adds to a
// user's message.
func diffs(summary []byte) []fileDiff {
	var d struct {
		Diffs []fileDiff `json:"diffs"`
	}
	if len(summary) > 0 && summary[0] == '{' {
		decode(summary, &d)
	}
	return d.Diffs
}
