package scriptedllm

import (
	"encoding/json"
	"strings"
	"time"
)

// Kind says what an agent wants of a request.
type Kind string

// The kinds of request.
const (
	Chat       Kind = "chat"
	Title      Kind = "title"
	Compaction Kind = "compaction"
)

// Request is one call of the model, the same for all protocols.
type Request struct {
	At       time.Time
	Kind     Kind
	Path     string
	Session  string // as the agent names it in a header, if it does
	Model    string
	Body     []byte
	Messages []Message
	Tools    []Tool
}

// Message is one message of a request with its text parts joined. The role is
// system, developer, user, assistant, or tool for a result, whatever the
// protocol calls it.
type Message struct {
	Role      string
	Text      string
	ToolCalls int
}

// Tool is a tool as the model sees it.
type Tool struct {
	Name   string
	Schema json.RawMessage // the whole definition
}

// System joins the system messages.
func (r Request) System() string { return r.join("system") }

// Users joins the messages of the user.
func (r Request) Users() string { return r.join("user") }

// Results joins what the tools gave.
func (r Request) Results() string { return r.join("tool") }

func (r Request) join(role string) string {
	var texts []string
	for _, m := range r.Messages {
		if m.Role == role {
			texts = append(texts, m.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}

// Text joins all messages.
func (r Request) Text() string {
	var texts []string
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
	}
	return strings.Join(texts, "\n\n")
}

// Last returns the last message.
func (r Request) Last() Message { return r.Messages[len(r.Messages)-1] }

// kindOf tells the requests apart that an agent makes besides the conversation.
// Some agents have prompts of their own for them, others append the wish to the
// conversation.
func kindOf(r Request) Kind {
	system, wish := strings.ToLower(r.System()), ""
	for i := len(r.Messages) - 1; i >= 0 && r.Messages[i].Role != "assistant"; i-- {
		wish += r.Messages[i].Text
	}
	switch {
	case len(r.Tools) == 0 && strings.Contains(system, "title generator"):
		return Title
	case len(r.Tools) == 0 && strings.Contains(system, "summar"),
		strings.Contains(system, "distilling chat history"),                                                         // Gemini CLI
		strings.Contains(wish, "Please create a detailed summary of the conversation so far. The history is being"), // Copilot CLI
		strings.Contains(wish, "Your task is to create a detailed summary of the conversation so far"),              // Claude Code
		strings.Contains(wish, "CONTEXT CHECKPOINT COMPACTION"):                                                     // Codex
		return Compaction
	default:
		return Chat
	}
}

// texts joins the text of a message, which is a string or a list of parts.
func texts(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(raw, &parts)
	var list []string
	for _, p := range parts {
		if p.Text != "" {
			list = append(list, p.Text)
		}
	}
	return strings.Join(list, "\n")
}
