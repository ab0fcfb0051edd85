package cli

import (
	"context"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
)

type transcriptOptions struct {
	Turn    string
	Context int
	Tools   bool
}

func newTranscriptCommand(p *program) *cobra.Command {
	var o transcriptOptions
	cmd := &cobra.Command{
		Use:   "transcript SESSION",
		Short: "Read a session in the agent's own records",
		Long: `Print the turns of a session as the agent recorded them. "codememory show" and the
journal name the session and the turn that a memory came from.`,
		Example: `  codememory transcript ses_6f2a…
  codememory transcript ses_6f2a… --turn msg_91… --context 2 --tools`,
		Args: wants(1, 1, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error { return runTranscript(cmd.Context(), p, o, args[0]) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Turn, "turn", "", "this turn and its neighbours")
	f.IntVar(&o.Context, "context", 3, "how many neighbours on each side")
	f.BoolVar(&o.Tools, "tools", false, "show the tools with their output")
	return cmd
}

func runTranscript(ctx context.Context, p *program, o transcriptOptions, session string) error {
	if o.Context < 0 {
		return usagef("--context %d: at least 0", o.Context)
	}
	args := map[string]any{"session": session, "context": o.Context}
	if o.Tools {
		args["tools"] = "output"
	}
	if o.Turn != "" {
		args["turn"] = o.Turn
	}
	return p.callTool(ctx, "transcript", args, `"codememory sessions" lists those that are here`)
}

func newExpandCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "expand ID",
		Short: "From a memory or journal line to what it came from",
		Long:  `Print the whole memory or journal section and the turns that it was taken from.`,
		Example: `  codememory expand mem_0a1b2c3d
  codememory expand msg_91b2…`,
		Args: wants(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.callTool(cmd.Context(), "expand", map[string]any{"id": args[0]},
				`"codememory list", "codememory journal" and "codememory sessions" show ids`)
		},
	}
}

// callTool asks one of the operations that models use and prints its text. next
// is what a person can do when it fails.
func (p *program) callTool(ctx context.Context, op string, args map[string]any, next string) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	return p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		if key, ok := args["session"].(string); ok {
			// A beginning of the id is enough where there is a record.
			if found, err := a.Sessions(ctx, codememory.SessionsRequest{Project: ref, Session: key}); err == nil {
				args["session"] = found[0].ID
			}
		}
		text, err := a.Tool(ctx, codememory.ToolRequest{Tool: "memory", Args: map[string]any{"tool": op, "args": args}, Project: ref, Agent: "cli"})
		if err != nil {
			return err
		}
		if told, failed := strings.CutPrefix(text, "Error: "); failed {
			told = cause(told)
			if !strings.Contains(told, ": ") { // it does not say itself what to do
				told += ": " + next
			}
			return codememory.Errorf(codememory.NotFound, "%s", told)
		}
		if p.JSON {
			return p.printJSON(struct {
				Text string `json:"text"`
			}{text})
		}
		p.printDocument(asCommands(text))
		return nil
	})
}

// asCommands makes of the calls that a text proposes to a model the commands
// that a person types.
func asCommands(text string) string {
	return regexp.MustCompile(`memory\(\{tool: "transcript", args: \{session: "([^"]*)"(?:, turn: "([^"]*)")?\}\}\)`).ReplaceAllStringFunc(text, func(call string) string {
		words := strings.Split(call, `"`)
		command := "codememory transcript " + words[3]
		if len(words) > 5 {
			command += " --turn " + words[5]
		}
		return command
	})
}

// cause takes from what a model is told the part that is for people, too.
func cause(told string) string {
	told, _, _ = strings.Cut(told, ": codememory ")
	told, _, _ = strings.Cut(told, " memory({")
	return strings.TrimSuffix(strings.TrimSpace(told), ".")
}
