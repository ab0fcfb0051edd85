package claudecode

import (
	"encoding/json"
	"strings"

	"codememory"
)

// row is one line of a transcript, as far as it is of use here.
type row struct {
	Type      string `json:"type"`
	Subtype   string `json:"subtype"`
	UUID      string `json:"uuid"`
	Parent    string `json:"parentUuid"`
	Logical   string `json:"logicalParentUuid"` // across a compaction
	Timestamp string `json:"timestamp"`
	Cwd       string `json:"cwd"`
	Sidechain bool   `json:"isSidechain"`
	Meta      bool   `json:"isMeta"`
	Summary   bool   `json:"isCompactSummary"`
	APIError  bool   `json:"isApiErrorMessage"`

	Message *message        `json:"message"`
	Result  json.RawMessage `json:"toolUseResult"`

	Compact struct {
		Trigger string `json:"trigger"`
	} `json:"compactMetadata"`
	Attachment *attachment `json:"attachment"`

	// Rows that name the session.
	SummaryText string `json:"summary"`
	CustomTitle string `json:"customTitle"`
	AITitle     string `json:"aiTitle"`
}

type message struct {
	ID         string  `json:"id"`
	Model      string  `json:"model"`
	Content    content `json:"content"`
	StopReason string  `json:"stop_reason"`
	Usage      *usage  `json:"usage"`
}

type usage struct {
	Input      int `json:"input_tokens"`
	Output     int `json:"output_tokens"`
	CacheRead  int `json:"cache_read_input_tokens"`
	CacheWrite int `json:"cache_creation_input_tokens"`
	Details    struct {
		Thinking int `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

func (u usage) tokens() codememory.TokenCount {
	return codememory.TokenCount{
		Total: u.Input + u.Output + u.CacheRead + u.CacheWrite,
		Input: u.Input, Output: u.Output, Reasoning: u.Details.Thinking, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
	}
}

// attachment is what Claude Code itself gave to the model: of all its kinds only
// what the user typed while the agent worked is the user's.
type attachment struct {
	Type        string  `json:"type"`
	CommandMode string  `json:"commandMode"`
	Prompt      content `json:"prompt"`
	Meta        bool    `json:"isMeta"`
	Origin      struct {
		Kind string `json:"kind"`
	} `json:"origin"`
}

// typed reports whether the user typed it.
func (a *attachment) typed() bool {
	return a != nil && a.Type == "queued_command" && (a.CommandMode == "" || a.CommandMode == "prompt") && !a.Meta &&
		(a.Origin.Kind == "" || a.Origin.Kind == "human")
}

// block is a part of a message.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	ID      string          `json:"id"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	ToolUse string          `json:"tool_use_id"`
	Content content         `json:"content"`
	IsError bool            `json:"is_error"`
}

// content is text or a list of blocks.
type content []block

func (c *content) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		*c = content{{Type: "text", Text: text}}
		return nil
	}
	var blocks []block
	if json.Unmarshal(b, &blocks) == nil {
		*c = blocks
	}
	return nil // what is neither has nothing to say
}

// text joins the texts of the blocks.
func (c content) text() string {
	var texts []string
	for _, b := range c {
		if b.Type == "text" && b.Text != "" {
			texts = append(texts, b.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// has reports whether there is a block of a kind.
func (c content) has(kind string) bool {
	for _, b := range c {
		if b.Type == kind {
			return true
		}
	}
	return false
}
