package cli

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

// withLifecycle connects to the part of the service that looks after memories.
func (p *program) withLifecycle(ctx context.Context, fn func(codememory.Service, codememory.LifecycleService) error) error {
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	l, ok := svc.(codememory.LifecycleService)
	if !ok {
		return codememory.Errorf(codememory.Unavailable, "memories are not looked after here")
	}
	return fn(svc, l)
}

func newEntitiesCommand(p *program) *cobra.Command {
	limit := 30
	cmd := &cobra.Command{
		Use:   "entities",
		Short: "List the libraries, tools, files and names that memories speak of",
		Long: `List what the memories of a project name, most used first: libraries, tools, files,
errors, identifiers. Spellings of one name count as one. With --json the list says
which of them memories name together.`,
		Example: `  codememory entities
  codememory list --entity pytest`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runEntities(cmd.Context(), p, limit) },
	}
	cmd.Flags().IntVarP(&limit, "limit", "n", limit, "most to list")
	return cmd
}

func runEntities(ctx context.Context, p *program, limit int) error {
	if limit < 1 {
		return usagef("--limit %d: at least 1", limit)
	}
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	return p.withLifecycle(ctx, func(_ codememory.Service, l codememory.LifecycleService) error {
		graph, err := l.Entities(ctx, codememory.EntitiesRequest{Project: ref, Limit: limit})
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(graph)
		}
		if len(graph.Entities) == 0 {
			p.say("No memory here names anything yet.")
			return nil
		}
		table := term.NewTable("MEMORIES", "NAME", "TYPE", "ALSO WRITTEN")
		table.Right(0)
		table.Spare(2)
		table.Style(1, p.style().Cyan)
		for _, e := range graph.Entities {
			table.Row(strconv.Itoa(e.Memories), e.Name, string(e.Type), strings.Join(e.Aliases, ", "))
		}
		return table.Write(p.out, p.columns(), p.style())
	})
}

func newConsolidateCommand(p *program) *cobra.Command {
	var all, dry bool
	cmd := &cobra.Command{
		Use:   "consolidate",
		Short: "Merge what says the same and put aside what is old",
		Long: `Do the upkeep that the daemon does once a day when nobody asks for anything: memories
that say the same become one, old summaries are condensed, only the newest progress
stays. Nothing is deleted: "codememory undo" brings each of them back.`,
		Example: `  codememory consolidate --dry-run
  codememory consolidate --all-projects`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runConsolidate(cmd.Context(), p, all, dry) },
	}
	cmd.Flags().BoolVar(&all, "all-projects", false, "every store on this machine")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "only say what would be done")
	return cmd
}

func runConsolidate(ctx context.Context, p *program, all, dry bool) error {
	ref, err := p.oneOrAll(all)
	if err != nil {
		return err
	}
	return p.withLifecycle(ctx, func(svc codememory.Service, l codememory.LifecycleService) error {
		stop := p.watch(ctx, svc, "consolidate")
		reports, err := l.Consolidate(ctx, codememory.ConsolidateRequest{Project: ref, DryRun: dry})
		stop()
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(struct {
				Reports []codememory.ConsolidateReport `json:"reports"`
			}{list(reports)})
		}
		names, err := p.projectNames(ctx, svc, true)
		if err != nil {
			return err
		}
		for _, r := range reports {
			p.printUpkeep(r, nameOf(r.Project, names), dry)
		}
		return nil
	})
}

func (p *program) printUpkeep(r codememory.ConsolidateReport, name string, dry bool) {
	would := ""
	if dry {
		would = "would be "
	}
	if !p.Quiet {
		p.printf("%s: looked at %s in %s\n", name, plural(r.Looked, "memory", "memories"), r.Took)
	}
	for _, m := range r.Merged {
		var old []string
		for _, id := range m.Replaced {
			old = append(old, codememory.ShownID(id))
		}
		p.printf("  %s %sreplaced by %s%s\n", strings.Join(old, ", "), would, p.style().Cyan(codememory.ShownID(m.Kept)), because(m.Reason))
	}
	if n := len(r.Archived); n > 0 {
		p.printf("  %s %sarchived as old\n", plural(n, "memory", "memories"), would)
	}
	if r.Condensed != "" {
		p.printf("  old session summaries became %s\n", p.style().Cyan(codememory.ShownID(r.Condensed)))
	}
	if r.Stale > 0 {
		p.printf("  %s a file that changed or is gone\n", plural(r.Stale, "memory cites", "memories cite"))
	}
	for _, f := range r.Written {
		p.printf("  wrote %s\n", f)
	}
	for _, f := range r.Kept {
		p.printf("  left as you edited it: %s\n", f)
	}
}

func newPromoteCommand(p *program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "promote ID",
		Short: "Make a preference of one project hold in all of them",
		Long: `Move a memory from its project to your own store, so that it holds in every project.
A preference that speaks of you and was said in two projects needs no more; anything
else is asked about first.`,
		Example: `  codememory promote mem_0a1b2c3d
  codememory promote mem_0a1b2c3d --yes`,
		Args: wants(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return runPromote(cmd.Context(), p, args[0], yes) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "it holds in all my projects: do not ask")
	return cmd
}

func runPromote(ctx context.Context, p *program, id string, yes bool) error {
	ref, err := p.ref(id)
	if err != nil {
		return err
	}
	return p.withLifecycle(ctx, func(_ codememory.Service, l codememory.LifecycleService) error {
		out, err := l.Promote(ctx, ref, yes)
		if codememory.CodeOf(err) == codememory.Conflict && !yes && term.IsTerminal(p.in) {
			p.say("%s", term.OneLine(err.Error()))
			agreed, askErr := p.ask("Does it hold in all your projects?")
			if askErr != nil {
				return askErr
			}
			if !agreed {
				p.say("Nothing was changed.")
				return nil
			}
			out, err = l.Promote(ctx, ref, true)
		}
		if err != nil {
			return err
		}
		return p.done(out, "%s is yours now, as %s; in the project it is archived", codememory.ShownID(out.From), p.style().Cyan(codememory.ShownID(out.Memory.ID)))
	})
}
