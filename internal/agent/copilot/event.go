package copilot

import (
	"encoding/json"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// event is one line. Agent is set for what a subagent does.
type event struct {
	Type      string `json:"type"`
	ID        string `json:"id"`
	Timestamp string `json:"timestamp"`
	Agent     string `json:"agentId"`
	Data      body   `json:"data"`
}

// body is what an event says, whatever its type.
type body struct {
	// Of sessions.
	Start   string `json:"startTime"`
	Model   string `json:"selectedModel"`
	Context struct {
		Cwd string `json:"cwd"`
	} `json:"context"`
	NewModel string `json:"newModel"`
	Title    string `json:"title"`
	Shutdown string `json:"shutdownType"`

	// Of messages.
	Content     string       `json:"content"`
	Message     string       `json:"messageId"`
	Source      string       `json:"source"`
	Delivery    string       `json:"delivery"`
	Attachments []attachment `json:"attachments"`
	Requests    []request    `json:"toolRequests"`
	Asked       string       `json:"model"`

	// Of tools.
	Call      string          `json:"toolCallId"`
	Parent    string          `json:"parentToolCallId"`
	Tool      string          `json:"toolName"`
	Arguments json.RawMessage `json:"arguments"`
	Success   *bool           `json:"success"`
	Result    struct {
		Content string `json:"content"`
	} `json:"result"`
	Error problem `json:"error"`
	Shell *struct {
		Exit *int `json:"exitCode"`
	} `json:"shellExecution"`
	Edits []struct {
		Path string `json:"path"`
		Kind string `json:"kind"`
	} `json:"fileEdits"`

	// Of ends and cuts.
	Text    string `json:"message"`
	Reason  string `json:"reason"`
	Rewind  string `json:"upToEventId"`
	Summary string `json:"summaryContent"`
	Usage   *usage `json:"usage"`
}

type attachment struct {
	Path string `json:"path"`
	Name string `json:"displayName"`
}

// request is a tool that the model asks for.
type request struct {
	Call      string          `json:"toolCallId"`
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Intention string          `json:"intentionSummary"`
}

type usage struct {
	Input      int `json:"inputTokens"`
	Output     int `json:"outputTokens"`
	Reasoning  int `json:"reasoningTokens"`
	CacheRead  int `json:"cacheReadTokens"`
	CacheWrite int `json:"cacheWriteTokens"`
}

// count returns the tokens of a call; what came from the cache is part of the
// input.
func (u usage) count() codememory.TokenCount {
	return codememory.TokenCount{Total: u.Input + u.Output, Input: u.Input, Output: u.Output, Reasoning: u.Reasoning, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}
}

// problem is a text or an object with a message.
type problem string

func (p *problem) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*p = problem(text)
		return nil
	}
	var o struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(b, &o) == nil {
		*p = problem(o.Message)
	}
	return nil // what is neither says nothing
}

// attached names the files that came with a prompt.
func (b *body) attached() string {
	var names []string
	for _, a := range b.Attachments {
		name := a.Path
		if name == "" {
			name = a.Name
		}
		if name != "" {
			names = append(names, jsonl.Valid(name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "[attached: " + strings.Join(names, ", ") + "]"
}
