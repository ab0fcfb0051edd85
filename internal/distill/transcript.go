package distill

import (
	"fmt"
	"strings"

	"codememory"
	"codememory/internal/journal"
	"codememory/internal/llm"
)

// How much of a turn a model sees, in bytes.
const (
	maxPrompt = 6000
	maxStep   = 2000
	maxFailed = 400 // of the output of a command that failed
)

// labelled is a turn with the label under which a model knows it.
type labelled struct {
	label string
	turn  codememory.Turn
	text  string
}

// label numbers turns and renders them.
func label(turns []codememory.Turn) []labelled {
	out := make([]labelled, len(turns))
	for i, t := range turns {
		out[i] = labelled{label: fmt.Sprintf("T%d", i+1), turn: t}
		out[i].text = out[i].label + " " + renderTurn(t)
	}
	return out
}

// renderTurn writes a turn for a model: what was said, and a line for each use
// of a tool. What tools print stays out, but for the reason of a failure.
func renderTurn(t codememory.Turn) string {
	var b strings.Builder
	b.WriteString(t.StartedAt.UTC().Format("2006-01-02 15:04"))
	if t.State == codememory.TurnAborted || t.State == codememory.TurnFailed {
		fmt.Fprintf(&b, " (%s)", t.State)
	}
	b.WriteString("\n")
	switch t.Kind {
	case codememory.CompactionTurn:
		b.WriteString("Summary that the agent wrote for itself: " + middle(t.Answer(), maxPrompt) + "\n")
		return b.String()
	case codememory.ShellTurn:
		b.WriteString("User ran a command: " + middle(t.Prompt, maxStep) + "\n")
	default:
		b.WriteString("User: " + middle(t.Prompt, maxPrompt) + "\n")
	}
	for _, s := range t.Steps {
		switch {
		case s.Tool != nil:
			b.WriteString("Tool: " + journal.ToolLine(*s.Tool, t.Dir) + "\n")
			if failed := s.Tool.Exit != nil && *s.Tool.Exit != 0; failed && s.Tool.Output != "" {
				b.WriteString("Output: " + middle(strings.Join(strings.Fields(s.Tool.Output), " "), maxFailed) + "\n")
			}
		case strings.TrimSpace(s.Text) != "":
			b.WriteString("Agent: " + middle(s.Text, maxStep) + "\n")
		}
	}
	return b.String()
}

// middle shortens a text to its beginning and its end.
func middle(s string, most int) string {
	s = strings.TrimSpace(s)
	if len(s) <= most {
		return s
	}
	head := most / 3
	return strings.ToValidUTF8(s[:head], "") + "\n[…]\n" + strings.ToValidUTF8(s[len(s)-(most-head):], "")
}

// chunks cuts turns into parts of at most so many tokens, only between turns.
// A turn that is too long by itself is shortened in its middle: neither what
// was asked nor how it ended is lost.
func chunks(turns []labelled, tokens int) [][]labelled {
	var out [][]labelled
	var size int
	for _, t := range turns {
		n := llm.EstimateTokens(t.text)
		if n > tokens {
			t.text = middle(t.text, tokens*4)
			n = tokens
		}
		if len(out) == 0 || size+n > tokens {
			out, size = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], t)
		size += n
	}
	return out
}

func joined(turns []labelled) string {
	var b strings.Builder
	for _, t := range turns {
		b.WriteString(t.text + "\n")
	}
	return b.String()
}

func turnIDs(turns []labelled) []string {
	out := make([]string, len(turns))
	for i, t := range turns {
		out[i] = t.turn.ID
	}
	return out
}
