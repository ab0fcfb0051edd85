package opencode

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"path"
	"strings"

	"codememory/internal/agent/jsonl"
)

// partV1 is the JSON of a row of part, of whatever kind.
type partV1 struct {
	Type      string   `json:"type"`
	Text      string   `json:"text"`
	Synthetic bool     `json:"synthetic"`
	Ignored   bool     `json:"ignored"`
	Time      span     `json:"time"`
	Filename  string   `json:"filename"`
	URL       string   `json:"url"`
	Files     []string `json:"files"`
	Auto      bool     `json:"auto"`
	Overflow  bool     `json:"overflow"`
	Prompt    string   `json:"prompt"`
	Tool      string   `json:"tool"`
	CallID    string   `json:"callID"`
	State     struct {
		Status   string          `json:"status"`
		Input    json.RawMessage `json:"input"`
		Output   string          `json:"output"`
		Error    string          `json:"error"`
		Title    string          `json:"title"`
		Metadata toolMeta        `json:"metadata"`
		Time     span            `json:"time"`
	} `json:"state"`
	Metadata struct {
		ProviderExecuted bool `json:"providerExecuted"`
	} `json:"metadata"`
}

// part returns what matters of a part. Size is that of a tool's output when it
// was cut before.
func (d *partV1) part(r row, size, maxOutput int) part {
	p := part{
		id: r.id, kind: d.Type, at: first(int64(d.Time.Start), int64(d.State.Time.Start), r.created), updated: r.updated,
		text: d.Text, synthetic: d.Synthetic, ignored: d.Ignored, files: d.Files, auto: d.Auto, overflow: d.Overflow,
	}
	switch d.Type {
	case partText, partPatch, partCompaction:
	case partSubtask:
		p.text = d.Prompt
	case partFile:
		p.file = fileName(d.Filename, d.URL)
	case partTool:
		p.tool = &tool{
			name: d.Tool, callID: d.CallID, status: d.State.Status, input: bytes.ToValidUTF8(d.State.Input, []byte("\uFFFD")),
			size: max(size, len(d.State.Output)), err: d.State.Error, title: d.State.Title, meta: d.State.Metadata, provider: d.Metadata.ProviderExecuted,
		}
		p.tool.output = jsonl.Cut(d.State.Output, p.tool.size, maxOutput)
	default:
		// Steps and reasoning carry nothing that a turn shows, but their time
		// says that the turn is alive.
		p.text = ""
	}
	return p
}

// fileName names an attachment by its file name or the end of its address.
func fileName(name, url string) string {
	if name != "" || strings.HasPrefix(url, "data:") {
		return name
	}
	if i := strings.IndexAny(url, "?#"); i >= 0 {
		url = url[:i]
	}
	return path.Base(strings.ReplaceAll(url, "\\", "/"))
}

// bigPart lets SQLite take a big row apart, so that a long output is in memory
// once, and only as much of it as was asked for.
func (v *view) bigPart(ctx context.Context, id string, maxOutput int) (d partV1, size int, ok bool, err error) {
	limit := maxOutput
	if limit <= 0 {
		limit = 1 << 31 // more than SQLite holds in a value
	}
	var valid bool
	var head, input, meta []byte
	var text, output sql.NullString
	var bytes sql.NullInt64
	err = v.tx.QueryRowContext(ctx, `SELECT valid,
		CASE WHEN valid THEN json_remove(data, '$.text', '$.url', '$.source', '$.state.input', '$.state.output', '$.state.metadata', '$.state.attachments') END,
		CASE WHEN valid THEN substr(json_extract(data, '$.text'), 1, ?) END,
		CASE WHEN valid THEN json_extract(data, '$.state.input') END,
		CASE WHEN valid THEN substr(json_extract(data, '$.state.output'), 1, ?) END,
		CASE WHEN valid THEN octet_length(json_extract(data, '$.state.output')) END,
		CASE WHEN valid THEN json_object('sessionId', json_extract(data, '$.state.metadata.sessionId'), 'exit', json_extract(data, '$.state.metadata.exit'),
			'exists', json(json_extract(data, '$.state.metadata.exists') = 1), 'interrupted', json(json_extract(data, '$.state.metadata.interrupted') = 1),
			'diff', substr(json_extract(data, '$.state.metadata.diff'), 1, 4096)) END
		FROM (SELECT data, json_valid(data) AS valid FROM part WHERE id = ?)`, bigText, limit, id).
		Scan(&valid, &head, &text, &input, &output, &bytes, &meta)
	if err != nil {
		return d, 0, false, err
	}
	if !valid || !decode(head, &d) {
		return d, 0, false, nil
	}
	decode(bigMeta(meta), &d.State.Metadata)
	d.Text = jsonl.Cut(text.String, len(text.String), bigText)
	d.State.Input = jsonl.Input(input)
	d.State.Output = output.String
	return d, int(bytes.Int64), true, nil
}

// bigMeta turns the 0 and 1 by which SQLite says false and true back.
func bigMeta(meta []byte) []byte {
	for _, field := range []string{"exists", "interrupted"} {
		meta = bytes.Replace(meta, []byte(`"`+field+`":0`), []byte(`"`+field+`":false`), 1)
		meta = bytes.Replace(meta, []byte(`"`+field+`":1`), []byte(`"`+field+`":true`), 1)
	}
	return meta
}
