package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/term"
)

type contextOptions struct {
	Goal         string
	Part         string
	Agent        string
	StableTokens int
	HUDTokens    int
	Why          bool
}

func (o *contextOptions) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.Goal, "goal", "g", "", "what the user asks the model to do")
	f.StringVar(&o.Part, "part", "", "stable or hud (default both)")
	f.StringVar(&o.Agent, "agent", "", "the agent that would ask, e.g. opencode")
	f.IntVar(&o.StableTokens, "stable-tokens", 0, "budget of the stable block (default as configured)")
	f.IntVar(&o.HUDTokens, "hud-tokens", 0, "budget of the HUD (default as configured)")
	f.BoolVarP(&o.Why, "why", "w", false, "say why each memory of the HUD is there")
}

func newContextCommand(p *program) *cobra.Command {
	var o contextOptions
	cmd := &cobra.Command{
		Use:   "context",
		Short: "Show what a model would see",
		Long: `Print the text that CodeMemory would put before a model working in this project: the
stable block of a session and, for a goal, the HUD of that very call. Nothing
relevant means nothing is printed.`,
		Example: `  codememory context
  codememory context --goal "make the login test pass" --why`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runContext(cmd.Context(), p, o) },
	}
	o.addFlags(cmd.Flags())
	choices(cmd, "part", []codememory.Part{codememory.StablePart, codememory.HUDPart})
	return cmd
}

func runContext(ctx context.Context, p *program, o contextOptions) error {
	request := codememory.ContextRequest{
		Goal: o.Goal, Agent: o.Agent, StableTokens: o.StableTokens, HUDTokens: o.HUDTokens,
	}
	switch part := codememory.Part(o.Part); part {
	case "":
	case codememory.StablePart, codememory.HUDPart:
		request.Parts = []codememory.Part{part}
	default:
		return usagef("unknown part %q: use stable or hud", o.Part)
	}
	if o.StableTokens < 0 || o.HUDTokens < 0 {
		return usagef("a budget of tokens cannot be negative")
	}
	var err error
	if request.Project, err = p.projectRef(); err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	answer, err := svc.Context(ctx, request)
	if err != nil {
		return err
	}
	if p.JSON {
		answer.Memories = list(answer.Memories)
		return p.printJSON(answer)
	}
	if answer.Degraded {
		p.say("codememory: the context is limited: %s", term.OneLine(strings.Join(answer.Reasons, "; ")))
	}
	if answer.Stable == "" && answer.HUD == "" {
		p.say("Nothing would be shown to the model.")
		return nil
	}
	p.printPart("stable block", answer.Stable, answer.StableTokens)
	p.printPart("HUD", answer.HUD, answer.HUDTokens)
	if o.Why {
		for _, hit := range answer.Memories {
			if hit.Why != nil {
				p.say("%s  %.2f  %s", codememory.ShownID(hit.Memory.ID), hit.Score, term.OneLine(whySentence(*hit.Why)))
			}
		}
	}
	return nil
}

// printPart prints a text exactly as the model gets it, but for control
// characters; its title goes to stderr so that stdout is the text alone.
func (p *program) printPart(title, text string, tokens int) {
	if text == "" {
		return
	}
	p.say("── %s, about %s", title, plural(tokens, "token", "tokens"))
	p.printf("%s\n", strings.TrimRight(term.Clean(text), "\n"))
}
