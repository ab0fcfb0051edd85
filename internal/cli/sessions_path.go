package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
)

func newSessionsPathCommand(p *program) *cobra.Command {
	var copied bool
	cmd := &cobra.Command{
		Use:   "path SESSION",
		Short: "Name the file that holds the record of a session",
		Long: `Print the path of the markdown file of a session, to open it or to hand it to an
agent. With --copy it goes to the clipboard too.`,
		Example: `  codememory sessions path ses_6f2a… --copy
  $EDITOR "$(codememory sessions path ses_6f2a…)"`,
		Args: wants(1, 1, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSessionsPath(cmd.Context(), p, args[0], copied)
		},
	}
	cmd.Flags().BoolVar(&copied, "copy", false, "put the path on the clipboard")
	return cmd
}

func runSessionsPath(ctx context.Context, p *program, key string, copied bool) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	return p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		found, err := a.Sessions(ctx, codememory.SessionsRequest{Project: ref, Session: key})
		if err != nil {
			return err
		}
		path := found[0].Path
		if copied {
			if err := p.copyText(ctx, path); err != nil {
				return err
			}
		}
		if p.JSON {
			return p.printJSON(struct {
				Path   string `json:"markdown_path"`
				Copied bool   `json:"copied"`
			}{path, copied})
		}
		p.printf("%s\n", path)
		if copied {
			p.say("Copied.")
		}
		return nil
	})
}
