// Command codememory is the memory of AI coding agents: command line, local
// daemon, MCP server and web interface in one binary.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"codememory/internal/cli"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
