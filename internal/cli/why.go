package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

// nearMisses is how many memories that were found and left out are shown.
const nearMisses = 3

func newWhyCommand(p *program) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:   "why PROMPT…",
		Short: "Explain what the model would be told for a prompt",
		Long: `Say which memories CodeMemory would put before the model for a prompt, why each of
them, and which ones came close and were left out. Nothing is sent anywhere.`,
		Example: `  codememory why fix the login test
  codememory why --agent codex "how do we deploy?"
  codememory why --json "database locked"`,
		Args: wants(1, anyNumber, "PROMPT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runWhy(cmd.Context(), p, agent, strings.TrimSpace(strings.Join(args, " ")))
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "the agent that would ask, e.g. opencode")
	return cmd
}

// explanation is what `why --json` prints.
type explanation struct {
	HUD     string           `json:"hud"`
	Tokens  int              `json:"tokens"`
	Shown   []codememory.Hit `json:"shown"`
	LeftOut []codememory.Hit `json:"left_out"` // came close, best first
	Reasons []string         `json:"reasons,omitempty"`
}

func runWhy(ctx context.Context, p *program, agent, prompt string) error {
	if prompt == "" {
		return usagef("PROMPT is empty: say what you would ask the model")
	}
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	answer, err := svc.Context(ctx, codememory.ContextRequest{Project: ref, Agent: agent, Goal: prompt, Parts: []codememory.Part{codememory.HUDPart}})
	if err != nil {
		return err
	}
	found, err := svc.Search(ctx, codememory.SearchRequest{
		Project: ref, Text: prompt, Reach: codememory.ReachBoth, Limit: nearMisses + len(answer.Memories), Floor: new(float64), Literal: true, Explain: true,
	})
	if err != nil {
		return err
	}
	e := explanation{HUD: answer.HUD, Tokens: answer.HUDTokens, Shown: list(answer.Memories), LeftOut: leftOut(found.Hits, answer.Memories), Reasons: answer.Reasons}
	if p.JSON {
		return p.printJSON(e)
	}
	return p.printExplanation(ctx, svc, e)
}

// leftOut returns what was found and is not shown.
func leftOut(found, shown []codememory.Hit) []codememory.Hit {
	out := slices.DeleteFunc(slices.Clone(found), func(f codememory.Hit) bool {
		return slices.ContainsFunc(shown, func(s codememory.Hit) bool { return s.Memory.ID == f.Memory.ID })
	})
	return list(out[:min(len(out), nearMisses)])
}

func (p *program) printExplanation(ctx context.Context, svc codememory.Service, e explanation) error {
	names, err := p.projectNames(ctx, svc, false)
	if err != nil {
		return err
	}
	for _, reason := range e.Reasons {
		p.say("codememory: %s", term.OneLine(reason))
	}
	if len(e.Shown) == 0 {
		p.hanging("", 0, "The model would be told nothing: no memory is relevant enough.")
	} else {
		p.hanging("", 0, fmt.Sprintf("The model would be told this, about %s:", plural(e.Tokens, "token", "tokens")))
		p.printf("\n")
	}
	for i, hit := range e.Shown {
		if i > 0 {
			p.printf("\n")
		}
		p.printHit(hit, names, true)
	}
	if len(e.LeftOut) > 0 {
		p.printf("\n")
		p.hanging("", 0, "Left out, because they are less relevant than that:")
		p.printf("\n")
		for _, hit := range e.LeftOut {
			p.printHit(hit, names, true)
		}
	}
	return nil
}
