package codex

import (
	"encoding/json"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// row is one line of a rollout.
type row struct {
	Timestamp string          `json:"timestamp"`
	Ordinal   int             `json:"ordinal"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	Metadata  struct {
		CompactionOutput bool `json:"compaction_output"`
	} `json:"metadata"`
}

// sessionMeta is the first row. A fork and some subagents have a second one,
// copied from the thread that they come from.
type sessionMeta struct {
	ID        string          `json:"id"`
	Root      string          `json:"session_id"`
	Parent    string          `json:"parent_thread_id"`
	Timestamp string          `json:"timestamp"`
	Cwd       string          `json:"cwd"`
	Source    json.RawMessage `json:"source"`
	Thread    string          `json:"thread_source"`
}

// parent returns the thread that started this one, empty for one of the user.
func (m sessionMeta) parent() string {
	var source struct {
		Subagent json.RawMessage `json:"subagent"`
	}
	_ = json.Unmarshal(m.Source, &source) // text for threads of the user
	if source.Subagent == nil && (m.Thread == "" || m.Thread == "user") {
		return m.Parent
	}
	var spawned struct {
		ThreadSpawn struct {
			Parent string `json:"parent_thread_id"`
		} `json:"thread_spawn"`
	}
	_ = json.Unmarshal(source.Subagent, &spawned) // text for Codex's own ones
	switch {
	case spawned.ThreadSpawn.Parent != "":
		return spawned.ThreadSpawn.Parent
	case m.Parent != "":
		return m.Parent
	case m.Root != "" && m.Root != m.ID:
		return m.Root
	}
	return "codex" // itself: a review or the like that no user talks to
}

// turnContext says how the model is asked from now on.
type turnContext struct {
	Model string `json:"model"`
}

// event is something that Codex shows to the user.
type event struct {
	Type    string          `json:"type"`
	Turn    string          `json:"turn_id"`
	Message string          `json:"message"`
	Item    *item           `json:"item"`
	Last    *string         `json:"last_agent_message"`
	Error   json.RawMessage `json:"error"`
	Reason  string          `json:"reason"`
	Undone  int             `json:"num_turns"`
	Name    string          `json:"thread_name"`
	Info    *struct {
		Last usage `json:"last_token_usage"`
	} `json:"info"`

	item          // of the older events about tools
	CallID string `json:"call_id"`
}

type usage struct {
	Input      int `json:"input_tokens"`
	Cached     int `json:"cached_input_tokens"`
	CacheWrite int `json:"cache_write_input_tokens"`
	Output     int `json:"output_tokens"`
	Reasoning  int `json:"reasoning_output_tokens"`
	Total      int `json:"total_tokens"`
}

func (u usage) tokens() codememory.TokenCount {
	return codememory.TokenCount{Total: u.Total, Input: u.Input, Output: u.Output, Reasoning: u.Reasoning, CacheRead: u.Cached, CacheWrite: u.CacheWrite}
}

// item is a finished part of a turn.
type item struct {
	Kind    string  `json:"type"`
	ID      string  `json:"id"`
	Content content `json:"content"`
	Text    string  `json:"text"`

	Command []string `json:"command"`
	Source  string   `json:"source"`
	Status  string   `json:"status"`
	Output  *string  `json:"aggregated_output"`
	Stdout  string   `json:"stdout"`
	Stderr  string   `json:"stderr"`
	Exit    *int     `json:"exit_code"`
	Success *bool    `json:"success"`

	Changes map[string]struct {
		Type string `json:"type"`
		Move string `json:"move_path"`
	} `json:"changes"`

	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Result    json.RawMessage `json:"result"`
	Query     string          `json:"query"`
	Path      string          `json:"path"`

	Receivers      []string `json:"receiver_thread_ids"`
	ReceiversCamel []string `json:"receiverThreadIds"`
	Agent          string   `json:"agent_thread_id"`
	AgentCamel     string   `json:"agentThreadId"`
}

// response is an item as the model gave or got it.
type response struct {
	Type      string          `json:"type"`
	ID        string          `json:"id"`
	Role      string          `json:"role"`
	Content   content         `json:"content"`
	Name      string          `json:"name"`
	Namespace string          `json:"namespace"`
	Arguments string          `json:"arguments"`
	Input     string          `json:"input"`
	CallID    string          `json:"call_id"`
	Output    json.RawMessage `json:"output"`
	Action    struct {
		Command []string `json:"command"`
		Query   string   `json:"query"`
	} `json:"action"`
	Passed struct {
		Kinds []string `json:"content_item_kinds"`
	} `json:"internal_chat_message_metadata_passthrough"`
}

type part struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Path string `json:"path"`
}

// content is a list of parts, or text.
type content []part

func (c *content) UnmarshalJSON(b []byte) error {
	*c = nil
	switch {
	case len(b) == 0:
	case b[0] == '"':
		var text string
		_ = json.Unmarshal(b, &text) // the decoder has checked it
		*c = content{{Type: "text", Text: text}}
	case b[0] == '[':
		var parts []part
		_ = json.Unmarshal(b, &parts) // what has another form in it is left out
		*c = parts
	}
	return nil // what is neither has nothing to say
}

func (c content) text() string {
	var texts []string
	for _, p := range c {
		if p.Text != "" {
			texts = append(texts, p.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// attached names the files that came with a prompt.
func (c content) attached() string {
	var names []string
	for _, p := range c {
		if strings.Contains(p.Type, "image") && p.Path != "" {
			names = append(names, jsonl.Valid(p.Path))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "[attached: " + strings.Join(names, ", ") + "]"
}
