package service

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/render"
)

// Bounds of what is said at the point of action.
const (
	actionTokens   = 120
	actionLooksAt  = 20
	leastNamed     = 5 // characters of a file's or command's name that a text must share
	commandWords   = 3
	refusesAtTimes = 2 // the gate reminds after n changes and refuses after so many times n
)

// BeforeTool implements codememory.AgentService: once a session, one memory that
// names the very file or command; and, if the user wants that, a reminder of
// the checkpoint that is due.
func (s *Service) BeforeTool(ctx context.Context, u codememory.ToolUse) (codememory.Advice, error) {
	var out codememory.Advice
	p, err := s.find(ctx, u.Project)
	if err != nil {
		return out, err
	}
	c := s.configFor(p)
	if c.Disable {
		return out, nil
	}
	remind := ""
	if u.Changes {
		remind, out.Refuse = s.gates.step(u.Session, c.Hooks.CheckpointGate, c.Hooks.CheckpointAfter)
	}
	if out.Refuse != "" {
		return out, nil
	}
	out.Text = render.Notice(remind)
	if !c.Hooks.PointOfAction {
		return out, nil
	}
	// Agents keep what a hook says in the conversation.
	asks := codememory.ContextRequest{Agent: u.Agent, Session: u.Session, Kept: true}
	told := s.given.before(asks, s.opts.Now())
	known, err := s.knownOf(ctx, p, u, told)
	if err != nil {
		return out, err
	}
	text, _, shown := render.HUD(render.HUDInput{Hits: known, Budget: actionTokens, Max: 1})
	if len(shown) > 0 {
		s.given.note(asks, told.withHits(shown))
		out.Text = strings.TrimSpace(text + "\n" + out.Text)
	}
	return out, nil
}

// knownOf returns memories about what the agent is about to touch that warn or
// teach, and that the conversation does not hold yet.
func (s *Service) knownOf(ctx context.Context, p codememory.Project, u codememory.ToolUse, told conversation) ([]codememory.Hit, error) {
	names := namesOf(p.Root, u)
	if len(names) == 0 {
		return nil, nil
	}
	found, err := s.Search(ctx, codememory.SearchRequest{
		Project: p.ID, Text: strings.Join(names, " "), Limit: actionLooksAt, Floor: new(float64),
		Filter: codememory.Filter{Types: []codememory.Type{codememory.ErrorSolution, codememory.LearnedPattern, codememory.Architecture, codememory.ArchitecturePattern, codememory.Preference, codememory.ProjectConfig}},
	})
	if err != nil {
		return nil, err
	}
	for _, h := range found.Hits {
		if mentions(h.Memory.Text, names) && !slices.Contains(told.ids, h.Memory.ID) && !told.holds(u.Session, h.Memory) {
			return []codememory.Hit{h}, nil
		}
	}
	return nil, nil
}

// namesOf is how a memory would name what the agent is about to touch: a file by
// its path or its name, a command by its first words.
func namesOf(root string, u codememory.ToolUse) []string {
	target := strings.TrimSpace(u.Target)
	if target == "" {
		return nil
	}
	if u.Command {
		words := strings.Fields(target)
		for len(words) > 0 && strings.Contains(words[0], "=") { // variables before the command
			words = words[1:]
		}
		var names []string
		for n := min(commandWords, len(words)); n > 1; n-- {
			names = append(names, strings.Join(words[:n], " "))
		}
		return longEnough(names)
	}
	if rel, err := filepath.Rel(root, target); err == nil && filepath.IsAbs(target) && !strings.HasPrefix(rel, "..") {
		target = rel
	}
	return longEnough([]string{filepath.ToSlash(target), filepath.Base(target)})
}

func longEnough(names []string) []string {
	var kept []string
	for _, n := range names {
		if len(n) >= leastNamed {
			kept = append(kept, n)
		}
	}
	return kept
}

// mentions reports whether a text names one of these as a whole word.
func mentions(text string, names []string) bool {
	for _, name := range names {
		for rest, at := text, 0; ; {
			i := strings.Index(rest, name)
			if i < 0 {
				break
			}
			at += i
			before, after := at == 0 || !wordByte(text[at-1]), at+len(name) == len(text) || !wordByte(text[at+len(name)])
			if before && after {
				return true
			}
			at += len(name)
			rest = text[at:]
		}
	}
	return false
}

func wordByte(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b == '_' || b >= 0x80
}
