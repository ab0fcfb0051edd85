package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/agent"
)

// agents returns the part of the service that knows the agents' sessions.
func agents(svc codememory.Service) (codememory.AgentService, error) {
	a, ok := svc.(codememory.AgentService)
	if !ok {
		return nil, codememory.Errorf(codememory.Unavailable, "the sessions of agents are not known here")
	}
	return a, nil
}

// withAgents connects and calls fn.
func (p *program) withAgents(ctx context.Context, fn func(codememory.Service, codememory.AgentService) error) error {
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	a, err := agents(svc)
	if err != nil {
		return err
	}
	return fn(svc, a)
}

func newJournalCommand(p *program) *cobra.Command {
	var days bool
	cmd := &cobra.Command{
		Use:   "journal [DAY]",
		Short: "Read what was done, day by day",
		Long: `Print the journal of a project: a few bullets for every turn of every agent's session,
written as the work happens. Without a day it is the newest.`,
		Example: `  codememory journal
  codememory journal 2026-05-01
  codememory journal --days`,
		Args: wants(0, 1, "a day"),
		RunE: func(cmd *cobra.Command, args []string) error {
			day := ""
			if len(args) > 0 {
				day = args[0]
			}
			return runJournal(cmd.Context(), p, day, days)
		},
	}
	cmd.Flags().BoolVar(&days, "days", false, "list the days that have entries")
	return cmd
}

func runJournal(ctx context.Context, p *program, day string, days bool) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	return p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		j, err := a.Journal(ctx, ref, day)
		if err != nil {
			return err
		}
		switch {
		case p.JSON:
			return p.printJSON(j)
		case days:
			for _, d := range j.Days {
				p.printf("%s\n", d)
			}
		default:
			p.printDocument(j.Text)
		}
		return nil
	})
}

type backfillOptions struct {
	Agent  string
	Since  string
	All    bool
	DryRun bool
}

func newBackfillCommand(p *program) *cobra.Command {
	var o backfillOptions
	cmd := &cobra.Command{
		Use:   "backfill",
		Short: "Import sessions from before CodeMemory was installed",
		Long: `Write the older sessions of your agents into the journal. Nothing older than the
installation is imported unasked. Look first with --dry-run; an import that is
interrupted goes on where it stopped when it is started again.`,
		Example: `  codememory backfill --dry-run
  codememory backfill --since "last month"
  codememory backfill --all-projects --agent opencode`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runBackfill(cmd.Context(), p, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.Agent, "agent", "", "only this agent's sessions")
	f.StringVar(&o.Since, "since", "", "only sessions that were active since then")
	f.BoolVar(&o.All, "all-projects", false, "sessions of every project, not only this one")
	f.BoolVar(&o.DryRun, "dry-run", false, "only count what would be imported")
	return cmd
}

// recordedAgents are those whose own records are read.
func recordedAgents() []string {
	var names []string
	for _, t := range agent.Transcripts(os.Getenv) {
		names = append(names, t.Agent())
	}
	return names
}

func runBackfill(ctx context.Context, p *program, o backfillOptions) error {
	since, err := p.moment("--since", o.Since)
	if err != nil {
		return err
	}
	ref, err := p.oneOrAll(o.All)
	if err != nil {
		return err
	}
	if known := recordedAgents(); o.Agent != "" && !slices.Contains(known, o.Agent) {
		return usagef("no records of an agent %q can be read: use one of %s", o.Agent, strings.Join(known, ", "))
	}
	return p.withAgents(ctx, func(svc codememory.Service, a codememory.AgentService) error {
		stop := p.watch(ctx, svc, "backfill")
		rep, err := a.Backfill(ctx, codememory.BackfillRequest{Agent: o.Agent, Project: ref, Since: since, DryRun: o.DryRun})
		stop()
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(rep)
		}
		if rep.Turns+rep.Indexed+rep.Failed == 0 {
			if rep.Sessions == 0 {
				p.hanging("", 0, "Nothing to import: no session was found. \"codememory doctor\" says where sessions are read from.")
			} else {
				p.hanging("", 0, fmt.Sprintf("Nothing to import: %s known already.", plural(rep.Sessions, "session is", "sessions are")))
			}
			return nil
		}
		verb := "Imported"
		if o.DryRun {
			verb = "Would import"
		}
		p.printf("%s %s of %s", verb, plural(rep.Turns, "turn", "turns"), plural(rep.Sessions, "session", "sessions"))
		if rep.Indexed > 0 {
			p.printf("; %s searchable only", plural(rep.Indexed, "more is", "more are"))
		}
		p.printf("\n")
		if rep.Failed > 0 {
			p.warn("%s could not be read: \"codememory doctor\" and the log say why", plural(rep.Failed, "session", "sessions"))
		}
		return nil
	})
}
