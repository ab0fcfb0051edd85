package httpapi

import (
	"strings"

	"codememory"
	"codememory/internal/extract"
)

// ingest decides what of a request is worth a memory, without a model. One
// message of the user is stored as it is. Of a conversation only what the user
// asks to remember, or states as a decision, a preference or a rule: a wrong
// memory costs more than a missing one.
func ingest(a CompatAdd) []codememory.AddRequest {
	switch {
	case a.InitMode:
		return derived(extract.Brief(a.said()), codememory.ProjectBrief)
	case a.SummaryMode:
		return derived(extract.Summary(a.said()), codememory.SessionSummary)
	case len(a.Messages) == 1 && a.takenAsGiven(a.Messages[0]):
		text := strings.TrimSpace(string(a.Messages[0].Content))
		return []codememory.AddRequest{{Text: text, Source: codememory.Source{Author: codememory.AuthorAgent}}}
	default:
		return extract.Statements(a.said())
	}
}

// takenAsGiven reports whether a single message is the memory itself: the
// user's words, or a text whose sender says of what type it is.
func (a CompatAdd) takenAsGiven(m CompatMessage) bool {
	return m.Role == "user" || m.Role == "" || a.text("type") != ""
}

func derived(text string, t codememory.Type) []codememory.AddRequest {
	if text == "" {
		return nil
	}
	return []codememory.AddRequest{{Text: text, Type: t, Source: codememory.Source{Author: codememory.AuthorExtractor}}}
}

// said is the conversation as the rules read it.
func (a CompatAdd) said() []extract.Message {
	out := make([]extract.Message, len(a.Messages))
	for i, m := range a.Messages {
		out[i] = extract.Message{Role: m.Role, Text: string(m.Content)}
	}
	return out
}
