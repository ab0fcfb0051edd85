package cli

import (
	"context"
	"log/slog"
	"os"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/mcpserver"
)

func newMCPCommand(p *program) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory to an MCP client on standard input and output",
		Long: `Speak the Model Context Protocol on standard input and output, for agents that start
their servers themselves. The daemon offers the same at /mcp. The process is small,
connects to the daemon at the first call, and ends with its client.`,
		Example: `  codememory mcp
  claude mcp add codememory -- codememory mcp`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runMCP(cmd.Context(), p, all) },
	}
	cmd.Flags().BoolVar(&all, "all-tools", false, "offer the tools of older systems too, as mcp.tools = \"all\" does")
	return cmd
}

func runMCP(ctx context.Context, p *program, all bool) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	var closers []func()
	defer func() {
		for _, c := range closers {
			c()
		}
	}()
	o := mcpserver.Options{
		Version: p.version, Env: os.Getenv, Dir: dir, Tools: p.mcpTools(all), Log: slog.New(slog.DiscardHandler),
		Connect: func(ctx context.Context) (codememory.Service, codememory.AgentService, error) {
			svc, done, err := p.connect(ctx)
			if err != nil {
				return nil, nil, err
			}
			closers = append(closers, done)
			a, err := agents(svc)
			return svc, a, err
		},
	}
	return mcpserver.ServeStdio(ctx, o, p.in, p.out)
}

// mcpTools is the set of tools to offer. Wrong settings are told by the first
// call: a server that does not start tells nobody why.
func (p *program) mcpTools(all bool) string {
	loaded, _, err := p.settings()
	if err == nil && !all {
		return loaded.Config.MCP.Tools
	}
	if all {
		return mcpserver.AllTools
	}
	return mcpserver.DefaultTools
}
