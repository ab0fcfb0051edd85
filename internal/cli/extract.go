package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newExtractCommand(p *program) *cobra.Command {
	var r codememory.ExtractRequest
	var all bool
	cmd := &cobra.Command{
		Use:   "extract",
		Short: "Have a language model read what is new in sessions, now",
		Long: `Have the configured language model read the turns that none has read yet, and keep what
is worth a memory. It happens by itself when a session is compacted, over, or quiet for
long (llm.idle); this is for those who do not want to wait, for sessions older than the
installation (--session), and for what failed (--retry). Without a configured model it
only says so: what the rules find is kept in any case.`,
		Example: `  codememory extract --dry-run
  codememory extract
  codememory extract --session ses_6f2a…
  codememory extract --retry`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runExtract(cmd.Context(), p, r, all) },
	}
	f := cmd.Flags()
	f.StringVar(&r.Session, "session", "", "only this session, whatever its age")
	f.BoolVar(&all, "all-projects", false, "sessions of every project on this machine")
	f.BoolVar(&r.Retry, "retry", false, "also what was given up after failures")
	f.BoolVar(&r.DryRun, "dry-run", false, "only say what would be read, and what that takes")
	return cmd
}

func runExtract(ctx context.Context, p *program, r codememory.ExtractRequest, all bool) error {
	if !all {
		ref, err := p.projectRef()
		if err != nil {
			return err
		}
		r.Project = ref
	}
	r.Wait = true
	return p.withModels(ctx, func(m codememory.LLMService) error {
		rep, err := m.Extract(ctx, r)
		if err != nil {
			return err
		}
		rep.Sessions = list(rep.Sessions)
		if p.JSON {
			return p.printJSON(rep)
		}
		return p.printExtract(rep, r.DryRun)
	})
}

func (p *program) printExtract(rep codememory.ExtractReport, dry bool) error {
	switch {
	case !rep.LLM:
		p.hanging("", 0, rep.Reason)
		return nil
	case len(rep.Sessions) == 0:
		p.printf("Nothing to read.\n")
		return nil
	}
	failed := 0
	var tokens int
	var usd float64
	s := p.style()
	for _, j := range rep.Sessions {
		tokens, usd = tokens+j.Tokens, usd+j.CostUSD
		line := fmt.Sprintf("%s, %s", j.Agent, plural(j.Turns, "turn", "turns"))
		switch {
		case dry:
			line += fmt.Sprintf(": about %s tokens", count(j.Tokens))
		case j.State == "done":
			line += ": " + plural(j.Memories, "memory", "memories")
		default:
			failed++
			line += ": " + j.Error
			if j.State == "queued" {
				line += fmt.Sprintf(" (tried again by itself at %s)", stamp(j.Due))
			}
		}
		id := term.OneLine(j.Session)
		p.hanging(s.Cyan(id)+"  ", term.Width(id)+2, line)
	}
	switch {
	case dry:
		p.printf("About %s tokens in all, $%.4f by the stated prices.\n", count(tokens), usd)
	case failed > 0:
		return codememory.Errorf(codememory.Unavailable, "%s could not be read: nothing is lost; correct the cause, then \"codememory extract --retry\"", plural(failed, "session", "sessions"))
	}
	return nil
}
