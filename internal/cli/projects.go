package cli

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newProjectsCommand(p *program) *cobra.Command {
	cmd := groupCommand("projects", "List, merge, rename and forget projects",
		`A project is one repository with all its worktrees and clones, or one plain folder.
Wherever a project is named, use its folder, its name, its id or the beginning of it.`,
		`  codememory projects
  codememory projects rename . shop
  codememory projects merge old-shop shop
  codememory projects forget scratch`,
		newProjectsListCommand(p), newProjectsMergeCommand(p), newProjectsRenameCommand(p), newProjectsForgetCommand(p))
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runProjectsList(cmd.Context(), p) }
	return cmd
}

func newProjectsListCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List the projects of this machine", Args: wants(0, 0, "nothing"),
		Long: `List every project that has memories or sessions, with its id, its folder and how many
memories it has. "user" is what holds in all of them.`,
		Example: "  codememory projects list --json",
		RunE:    func(cmd *cobra.Command, _ []string) error { return runProjectsList(cmd.Context(), p) },
	}
}

func runProjectsList(ctx context.Context, p *program) error {
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	projects, err := svc.Projects(ctx)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(struct {
			Projects []codememory.ProjectStats `json:"projects"`
		}{list(projects)})
	}
	if len(projects) == 0 {
		p.say("No project is known. The first memory of a folder makes it one.")
		return nil
	}
	table := term.NewTable("ID", "NAME", "MEMORIES", "CHANGED", "FOLDER")
	table.Style(0, p.style().Cyan)
	table.Right(2)
	table.Spare(3, 0)
	for _, project := range projects {
		table.Row(term.Truncate(project.ID, 12), project.Name, strconv.Itoa(project.Memories), shortAgo(p.now(), project.LastUpdated), p.tilde(project.Root))
	}
	return table.Write(p.out, p.columns(), p.style())
}

func newProjectsMergeCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "merge FROM INTO",
		Short:   "Make two projects one",
		Long:    "Move the memories of FROM into INTO, which from now on answers to the names of both.",
		Example: "  codememory projects merge old-shop shop",
		Args:    wants(2, 2, "FROM or INTO"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProjectsMerge(cmd.Context(), p, args[0], args[1])
		},
	}
}

func runProjectsMerge(ctx context.Context, p *program, from, into string) error {
	from, err := p.resolveRef(from)
	if err != nil {
		return err
	}
	if into, err = p.resolveRef(into); err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	project, err := svc.MergeProjects(ctx, from, into)
	if err != nil {
		return err
	}
	return p.done(project, "Merged into %s", term.OneLine(project.Name))
}

func newProjectsRenameCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "rename PROJECT NAME",
		Short:   "Give a project another name",
		Long:    "Give a project the name by which lists and --project know it. Its folder and its\nmemories stay where they are.",
		Example: "  codememory projects rename . shop",
		Args:    wants(2, 2, "PROJECT or NAME"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProjectsRename(cmd.Context(), p, args[0], args[1])
		},
	}
}

func runProjectsRename(ctx context.Context, p *program, ref, name string) error {
	ref, err := p.resolveRef(ref)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	project, err := svc.RenameProject(ctx, ref, name)
	if err != nil {
		return err
	}
	return p.done(project, "Renamed to %s", term.OneLine(project.Name))
}

type projectsForgetOptions struct {
	Purge bool
	Yes   bool
}

func newProjectsForgetCommand(p *program) *cobra.Command {
	var o projectsForgetOptions
	cmd := &cobra.Command{
		Use:   "forget PROJECT",
		Short: "Take a project off the list",
		Long: `Take a project off the list. Its memories stay on disk and are found again when
somebody works in its folder; --purge removes them too, which cannot be undone.`,
		Example: `  codememory projects forget scratch
  codememory projects forget scratch --purge`,
		Args: wants(1, 1, "PROJECT"),
		RunE: func(cmd *cobra.Command, args []string) error { return runProjectsForget(cmd.Context(), p, o, args[0]) },
	}
	cmd.Flags().BoolVar(&o.Purge, "purge", false, "remove its memories too")
	cmd.Flags().BoolVarP(&o.Yes, "yes", "y", false, "do not ask")
	return cmd
}

func runProjectsForget(ctx context.Context, p *program, o projectsForgetOptions, ref string) error {
	ref, err := p.resolveRef(ref)
	if err != nil {
		return err
	}
	if o.Purge && !o.Yes && !term.IsTerminal(p.in) {
		return usagef("--purge cannot be undone: repeat it with --yes")
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	project, err := svc.Project(ctx, ref)
	if err != nil {
		return err
	}
	if o.Purge && !o.Yes {
		if agreed, err := p.ask("Purge all memories of " + term.OneLine(project.Name) + "? This cannot be undone."); err != nil || !agreed {
			return err
		}
	}
	if err := svc.ForgetProject(ctx, project.ID, o.Purge); err != nil {
		return err
	}
	return p.done(project, "Forgot project %s", term.OneLine(project.Name))
}
