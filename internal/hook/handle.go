package hook

import (
	"context"
	"errors"
	"strings"

	"codememory"
)

// subagentTokens is the budget of what a subagent gets: it has one task and a
// short life.
const subagentTokens = 150

// Bounds of what is sent, in bytes.
const (
	maxNote     = 16_000
	maxGoalHead = 3_000
	maxGoalTail = 1_000
)

// Handle does what an event calls for and returns what to put before the model.
// The answer stands even if there is an error besides. What agents do is only
// announced here: their own records are the lasting source, where there are any.
func Handle(ctx context.Context, e Event, svc codememory.Service, agents codememory.AgentService) (Answer, error) {
	switch e.Kind {
	case SessionStart:
		if e.inSubagent() {
			return Answer{}, nil
		}
		a, err := ask(ctx, e, svc, codememory.ContextRequest{Parts: []codememory.Part{codememory.StablePart}, Kept: true, Anew: startsEmpty(e), Compacted: e.Source == StartCompact})
		if e.Source == StartCompact {
			return a, errors.Join(err, poke(ctx, e, agents, "compacted"))
		}
		return a, errors.Join(err, poke(ctx, e, agents, "created"))
	case Prompt:
		return onPrompt(ctx, e, svc, agents)
	case SubagentStart:
		goal := subagentGoal(e)
		if goal == "" {
			return Answer{}, nil
		}
		return ask(ctx, e, svc, codememory.ContextRequest{Parts: []codememory.Part{codememory.HUDPart}, Goal: goal, HUDTokens: subagentTokens})
	case SubagentStop:
		if e.SubagentType == "" { // the one that writes the summary of a compaction
			return Answer{}, nil
		}
		return Answer{}, poke(ctx, e, agents, "subagent")
	case ToolStart:
		return beforeTool(ctx, e, agents)
	case ToolDone, ToolFailed:
		return Answer{}, poke(ctx, e, agents, "tool")
	case PreCompact:
		return Answer{}, poke(ctx, e, agents, "compacting")
	case PostCompact:
		return Answer{}, poke(ctx, e, agents, "compacted")
	case Said:
		return Answer{}, poke(ctx, e, agents, "said")
	case TurnEnd:
		return Answer{}, poke(ctx, e, agents, "idle")
	case SessionEnd:
		return Answer{}, poke(ctx, e, agents, "ended")
	case Other:
	}
	return Answer{}, nil
}

// onPrompt keeps what the user asks to remember, then looks for what matters to
// the prompt. A session that began while there was no daemon, or was
// compacted, gets its stable block only now. Reading the records waits, so that it does not slow that down.
func onPrompt(ctx context.Context, e Event, svc codememory.Service, agents codememory.AgentService) (Answer, error) {
	if e.inSubagent() || e.Prompt == "" {
		return Answer{}, nil
	}
	var noted error
	if byUser(e.Source) && asksToRemember(e.Prompt) {
		noted = agents.Note(ctx, codememory.Note{Project: e.Dir, Agent: e.Agent, Session: e.Session, Text: cut(e.Prompt, maxNote)})
	}
	r := codememory.ContextRequest{Parts: []codememory.Part{codememory.StablePart, codememory.HUDPart}, Goal: clip(e.Prompt), Kept: true}
	if e.Agent == Copilot { // it starts a session and its first prompt at once, so both would bring the block
		r.Parts = r.Parts[1:]
	}
	a, err := ask(ctx, e, svc, r)
	return a, errors.Join(noted, err, poke(ctx, e, agents, "prompt"))
}

// startsEmpty reports whether nothing that we said before is in a conversation
// that starts like this. Gemini resumes without all that hooks added, Copilot
// without what they said at the start.
func startsEmpty(e Event) bool {
	return e.Agent == Gemini || e.Agent == Copilot || e.Source != StartResume && e.Source != StartFork
}

// byUser reports whether a prompt with this source was written by a person, and
// not by the agent to itself.
func byUser(source string) bool { return source == "" || source == "user" || source == "sdk" }

// ask fills in where the request comes from. An agent that would not use the
// answer is not worth the question.
func ask(ctx context.Context, e Event, svc codememory.Service, r codememory.ContextRequest) (Answer, error) {
	if !takesContext(e.Agent, e.Kind) {
		return Answer{}, nil
	}
	r.Project, r.Session, r.Agent = e.Dir, e.Session, e.Agent
	c, err := svc.Context(ctx, r)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Context: strings.TrimSpace(c.Stable + "\n" + c.HUD)}, nil
}

func poke(ctx context.Context, e Event, agents codememory.AgentService, event string) error {
	return agents.Poke(ctx, codememory.Poke{Agent: e.Agent, Session: e.Session, Dir: e.Dir, Event: event, Said: said(e)})
}

// subagentGoal is what a subagent is there for: its task, which few agents
// tell, or else its type where that says something.
func subagentGoal(e Event) string {
	if e.Prompt != "" {
		return clip(e.Prompt)
	}
	switch fold(e.SubagentType) {
	case "generalpurpose", "explore", "plan", "default", "worker", "explorer", "task":
		return ""
	}
	return strings.TrimSpace(strings.NewReplacer("-", " ", "_", " ", ":", " ").Replace(e.SubagentType))
}

// clip keeps the beginning and the end of a long prompt, where people say what
// they want.
func clip(prompt string) string {
	if len(prompt) <= maxGoalHead+maxGoalTail {
		return prompt
	}
	tail := strings.ToValidUTF8(prompt[len(prompt)-maxGoalTail:], "")
	return cut(prompt, maxGoalHead) + "\n…\n" + tail
}

// cut returns the beginning of s in whole characters.
func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "")
}
