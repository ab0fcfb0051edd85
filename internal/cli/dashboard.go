package cli

import (
	"context"
	"os/exec"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/client"
)

type dashboardReport struct {
	URL    string `json:"url"` // works once, for two minutes
	Opened bool   `json:"opened"`
}

func newDashboardCommand(p *program) *cobra.Command {
	var noOpen bool
	cmd := &cobra.Command{
		Use:   "dashboard",
		Short: "Open the web pages",
		Long: `Open what is remembered, why, and what it costs in the browser: memories, search with
reasons, sessions, the graph, what a model would see, and the switches.

The address holds a code that works once, for two minutes; the daemon's token is
never part of it. The pages are on this machine only and load nothing from elsewhere.`,
		Example: `  codememory dashboard
  codememory dashboard --no-open      print the address instead`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runDashboard(cmd.Context(), p, noOpen) },
	}
	cmd.Flags().BoolVar(&noOpen, "no-open", false, "print the address and open no browser")
	return cmd
}

func runDashboard(ctx context.Context, p *program, noOpen bool) error {
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	daemon, ok := svc.(*client.Client)
	if !ok {
		return codememory.Errorf(codememory.Unavailable, `the web pages need the daemon: start it with "codememory daemon", and leave out --no-daemon`)
	}
	url, err := daemon.Dashboard(ctx)
	if err != nil {
		return err
	}
	report := dashboardReport{URL: url}
	if !noOpen {
		err := openBrowser(ctx, url)
		if report.Opened = err == nil; report.Opened {
			return p.done(report, "Opened the web pages in your browser.")
		}
		p.say("codememory: no browser could be opened (%v): open this address yourself, within two minutes", err)
	}
	if p.JSON {
		return p.printJSON(report)
	}
	p.printf("%s\n", url)
	return nil
}

// openBrowser hands an address to the system. A program that keeps running has
// taken it: on some systems that is the browser itself.
func openBrowser(ctx context.Context, url string) error {
	name, args := "xdg-open", []string{url}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", url}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.WithoutCancel(ctx), path, args...)
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(3 * time.Second):
		return nil
	}
}
