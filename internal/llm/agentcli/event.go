package agentcli

import (
	"bytes"
	"encoding/json"

	"codememory/internal/llm"
)

// event is one line of what OpenCode and Codex print.
type event struct {
	Type string `json:"type"`
	// OpenCode.
	Part struct {
		Text   string  `json:"text"`
		Reason string  `json:"reason"`
		Cost   float64 `json:"cost"`
		Tokens struct {
			Input     int `json:"input"`
			Output    int `json:"output"`
			Reasoning int `json:"reasoning"`
			Cache     struct {
				Read  int `json:"read"`
				Write int `json:"write"`
			} `json:"cache"`
		} `json:"tokens"`
	} `json:"part"`
	// Codex.
	Item struct {
		Type string `json:"type"`
		Text string `json:"text"`
	} `json:"item"`
	Usage struct {
		Input  int `json:"input_tokens"`
		Cached int `json:"cached_input_tokens"`
		Output int `json:"output_tokens"`
	} `json:"usage"`
	// Both.
	Message string     `json:"message"`
	Error   eventError `json:"error"`
}

// eventError is an object with a message, at one depth or another, or a text.
type eventError struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Data    struct {
		Message string `json:"message"`
	} `json:"data"`
}

func (e *eventError) UnmarshalJSON(data []byte) error {
	type plain eventError
	if json.Unmarshal(data, (*plain)(e)) != nil {
		_ = json.Unmarshal(data, &e.Message) // anything else says nothing
	}
	return nil
}

// eachEvent calls fn for every line that is an event; agents print other things
// as well.
func eachEvent(out []byte, fn func(event)) error {
	events := 0
	for line := range bytes.Lines(out) {
		var e event
		if json.Unmarshal(line, &e) == nil && e.Type != "" {
			events++
			fn(e)
		}
	}
	if events == 0 {
		return llm.Errorf(llm.Infrastructure, "the agent answered with something that is not its protocol (%d bytes)", len(out))
	}
	return nil
}
