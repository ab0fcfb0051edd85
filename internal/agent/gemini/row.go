package gemini

import (
	"encoding/json"
	"strings"

	"codememory"
	"codememory/internal/agent/jsonl"
)

// metadata is the first row, and what later rows change of it.
type metadata struct {
	Session     string   `json:"sessionId"`
	Project     string   `json:"projectHash"`
	Start       string   `json:"startTime"`
	Updated     string   `json:"lastUpdated"`
	Summary     string   `json:"summary"`
	Directories []string `json:"directories"`
	Messages    []record `json:"messages"`
}

// row is any line: the metadata, a message, or a change of what came before.
type row struct {
	metadata
	record
	Set    *metadata `json:"$set"`
	Rewind string    `json:"$rewindTo"`
}

// record is a message. It is written again whenever something is added to it.
type record struct {
	ID        string  `json:"id"`
	Timestamp string  `json:"timestamp"`
	Type      string  `json:"type"`
	Content   content `json:"content"`
	Display   content `json:"displayContent"`
	Calls     []call  `json:"toolCalls"`
	Tokens    *tokens `json:"tokens"`
	Model     string  `json:"model"`
}

type tokens struct {
	Input    int `json:"input"`
	Output   int `json:"output"`
	Cached   int `json:"cached"`
	Thoughts int `json:"thoughts"`
	Total    int `json:"total"`
}

func (t tokens) count() codememory.TokenCount {
	return codememory.TokenCount{Total: t.Total, Input: t.Input, Output: t.Output, Reasoning: t.Thoughts, CacheRead: t.Cached}
}

// call is a tool with its outcome.
type call struct {
	ID          string          `json:"id"`
	Name        string          `json:"name"`
	Args        json.RawMessage `json:"args"`
	Result      content         `json:"result"`
	Status      string          `json:"status"`
	Timestamp   string          `json:"timestamp"`
	Display     json.RawMessage `json:"resultDisplay"`
	Description string          `json:"description"`
	Agent       string          `json:"agentId"`
}

// display is what Gemini CLI shows of a change of a file.
type display struct {
	FilePath string `json:"filePath"`
	Diff     string `json:"fileDiff"`
	New      *bool  `json:"isNewFile"`
}

// part is a piece of a message.
type part struct {
	Text     string `json:"text"`
	Response *struct {
		Response struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		} `json:"response"`
	} `json:"functionResponse"`
	Inline *struct {
		Type string `json:"mimeType"`
	} `json:"inlineData"`
}

// content is text, a part, or a list of either.
type content []part

func (c *content) UnmarshalJSON(b []byte) error {
	*c = nil
	list := []json.RawMessage{b}
	if b[0] == '[' && json.Unmarshal(b, &list) != nil {
		return nil // what has another form has nothing to say
	}
	for _, raw := range list {
		var p part
		switch raw[0] {
		case '"':
			_ = json.Unmarshal(raw, &p.Text) // the decoder has checked it
		case '{':
			_ = json.Unmarshal(raw, &p) // what has another form in it is left out
		default:
			continue
		}
		*c = append(*c, p)
	}
	return nil
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

// result reports whether the message only hands outcomes of tools to the model.
func (c content) result() bool {
	for _, p := range c {
		if p.Response != nil {
			return true
		}
	}
	return false
}

// attached names what came with a prompt besides text.
func (c content) attached() string {
	for _, p := range c {
		if p.Inline != nil {
			return "[attached: " + jsonl.Valid(p.Inline.Type) + "]"
		}
	}
	return ""
}
