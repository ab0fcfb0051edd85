package opencode

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
)

// row is one row with JSON. Of a big one only the size is there.
type row struct {
	id, owner        string
	created, updated int64
	size             sql.NullInt64
	data             []byte
}

// rows runs a query whose columns are those of row.
func (v *view) rows(ctx context.Context, query string, args ...any) ([]row, error) {
	found, err := v.tx.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = found.Close() }()
	var out []row
	for found.Next() {
		var r row
		if err := found.Scan(&r.id, &r.owner, &r.created, &r.updated, &r.size, &r.data); err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, found.Err()
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
	found, err := v.rows(ctx, "SELECT "+v.schema.rowColumns("part", "t.message_id")+" FROM part t WHERE "+partOf, bigRow, arg)
	if err != nil {
		return nil, err
	}
	parts := map[string][]part{}
	for i := range found {
		p, ok, err := v.v1Part(ctx, &found[i], maxOutput)
		if err != nil {
			return nil, err
		}
		if ok {
			parts[found[i].owner] = append(parts[found[i].owner], p)
		}
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
	found, err := v.rows(ctx, "SELECT "+v.schema.rowColumns("message", "NULL")+" FROM message t WHERE "+where, bigRow, arg)
	if err != nil {
		return nil, err
	}
	messages := make([]message, 0, len(found))
	for i := range found {
		m, ok, err := v.v1Message(ctx, &found[i])
		if err != nil {
			return nil, err
		}
		if ok {
			messages = append(messages, m)
		}
	}
	// By time first: ids wrap every 795 days.
	slices.SortFunc(messages, func(a, b message) int { return cmp.Or(cmp.Compare(a.created, b.created), cmp.Compare(a.id, b.id)) })
	return messages, nil
}

// messageV1 is the JSON of a row of message.
type messageV1 struct {
	Role       string          `json:"role"`
	ParentID   string          `json:"parentID"`
	Agent      string          `json:"agent"`
	Mode       string          `json:"mode"`
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

func (v *view) v1Message(ctx context.Context, r *row) (message, bool, error) {
	if r.data == nil && r.size.Valid {
		// Long patches make a user's message big; who did what is all we need.
		err := v.tx.QueryRowContext(ctx, `SELECT CASE WHEN json_valid(data) THEN json_set(json_remove(data, '$.system', '$.error.data.responseBody', '$.summary.diffs'),
			'$.diffs', json((SELECT json_group_array(json_object('file', json_extract(value, '$.file'), 'status', json_extract(value, '$.status')))
				FROM json_each(data, '$.summary.diffs')))) END FROM message WHERE id = ?`, r.id).Scan(&r.data)
		if err != nil {
			return message{}, false, err
		}
	}
	var d messageV1
	if !decode(r.data, &d) || d.Role != "user" && d.Role != "assistant" {
		v.damage.add(r.id)
		return message{}, false, nil
	}
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
	return m, true, nil
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
