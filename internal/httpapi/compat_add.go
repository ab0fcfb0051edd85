package httpapi

import (
	"context"
	"encoding/json"
	"maps"
	"strings"

	"codememory"
)

// CompatAdd is the request of POST /memories.
type CompatAdd struct {
	Messages    []CompatMessage `json:"messages"`
	UserID      string          `json:"user_id"`
	Metadata    map[string]any  `json:"metadata,omitempty"`
	SummaryMode bool            `json:"summary_mode,omitempty"` // make one session summary of the messages
	InitMode    bool            `json:"init_mode,omitempty"`    // make one project brief of the messages
}

// CompatMessage is one message of a conversation.
type CompatMessage struct {
	Role    string        `json:"role"`
	Content CompatContent `json:"content"`
}

// CompatContent is the text of a message. On the wire it is a string or a list
// of parts, of which only those of type text count.
type CompatContent string

// contentPart is one part of a message.
type contentPart struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// UnmarshalJSON reads either form. A part that is an injected memory block is
// left out: what was recalled must not be stored again.
func (c *CompatContent) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = CompatContent(text)
		return nil
	}
	var parts []contentPart
	if err := json.Unmarshal(data, &parts); err != nil {
		return codememory.Errorf(codememory.Invalid, "content: neither a string nor a list of parts")
	}
	var texts []string
	for _, p := range parts {
		if p.Type == "text" && !strings.HasPrefix(strings.TrimSpace(p.Text), "[MEMORY") {
			texts = append(texts, p.Text)
		}
	}
	*c = CompatContent(strings.Join(texts, "\n"))
	return nil
}

// CompatAdded is the answer of POST /memories.
type CompatAdded struct {
	Results []CompatAddResult `json:"results"`
}

// CompatAddResult is one memory that was stored or brought up to date.
type CompatAddResult struct {
	ID     string              `json:"id"`
	Memory string              `json:"memory"`
	Event  codememory.AddEvent `json:"event"` // ADD or UPDATE
}

func compatAdd(ctx context.Context, c call[none, CompatAdd]) (CompatAdded, error) {
	o, err := ownerOf(c.Body.UserID)
	if err != nil {
		return CompatAdded{}, err
	}
	if len(c.Body.Messages) == 0 {
		return CompatAdded{}, codememory.Errorf(codememory.Invalid, "messages and user_id required")
	}
	requests := ingest(c.Body)
	answer := CompatAdded{Results: []CompatAddResult{}}
	if len(requests) == 0 {
		return answer, nil
	}
	for i := range requests {
		c.Body.complete(&requests[i], o)
	}
	results, err := c.Service.AddMany(ctx, requests)
	if err != nil {
		return CompatAdded{}, err
	}
	for _, r := range results {
		if added, ok := compatResult(r); ok {
			answer.Results = append(answer.Results, added)
		}
	}
	return answer, nil
}

// compatResult tells what became of one text in the words older clients know:
// a text that was known already is an update, as it was to them. One that was
// forgotten or purged stays so, and there is nothing to tell.
func compatResult(r codememory.AddResult) (CompatAddResult, bool) {
	if r.Memory.ID == "" || r.Memory.State() != codememory.Active {
		return CompatAddResult{}, false
	}
	event := r.Event
	if event == codememory.Unchanged {
		event = codememory.Updated
	}
	return CompatAddResult{ID: r.Memory.ID, Memory: r.Memory.Text, Event: event}, true
}

// complete adds to a memory what the whole request says.
func (a CompatAdd) complete(r *codememory.AddRequest, o owner) {
	r.Project, r.Scope = o.project, o.scope
	r.Metadata = maps.Clone(a.Metadata)
	if t := codememory.Type(a.text("type")); t.Valid() {
		r.Type = t
		delete(r.Metadata, "type") // it has its own field
	}
	r.Source.Agent = "opencode"
	if agent := a.text("agent"); agent != "" {
		r.Source.Agent = agent
	}
	for _, key := range []string{"session_id", "sessionID", "sessionId"} {
		if session := a.text(key); session != "" {
			r.Source.Session = session
		}
	}
}

// text returns a string of the metadata.
func (a CompatAdd) text(key string) string {
	s, _ := a.Metadata[key].(string)
	return s
}
