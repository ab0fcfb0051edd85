package cli

import (
	"context"
	"reflect"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/term"
)

// pageSize is how many memories are asked for at once when all are wanted.
const pageSize = 500

type listOptions struct {
	filterOptions
	Scope       string
	AllProjects bool
	Limit       int
	Cursor      string
}

func (o *listOptions) addFlags(f *pflag.FlagSet) {
	o.filterOptions.addFlags(f)
	f.StringVar(&o.Scope, "scope", "", "project, user or both (default project)")
	f.BoolVar(&o.AllProjects, "all-projects", false, "list every project on this machine")
	f.IntVarP(&o.Limit, "limit", "n", 50, "most memories to show; 0 shows all")
	f.StringVar(&o.Cursor, "cursor", "", "continue a listing: the \"next\" of its JSON")
}

func newListCommand(p *program) *cobra.Command {
	var o listOptions
	cmd := &cobra.Command{
		Use:     "list",
		Aliases: []string{"ls"},
		Short:   "List memories, last changed first",
		Long: `List the memories of a project, one line each; a * marks pinned ones. Flags narrow the
list; --scope and --all-projects widen it. "codememory show ID" prints a whole one.`,
		Example: `  codememory list
  codememory list --type preference --scope both
  codememory list --all --since "last week"
  codememory list --state forgotten
  codememory list --limit 0 --json`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), p, o) },
	}
	o.addFlags(cmd.Flags())
	o.addCompletions(cmd)
	choices(cmd, "scope", []codememory.Reach{codememory.ReachProject, codememory.ReachUser, codememory.ReachBoth})
	return cmd
}

func runList(ctx context.Context, p *program, o listOptions) error {
	request, err := o.request(p)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	page, err := listPages(ctx, svc, request, o.Limit)
	if err != nil {
		return err
	}
	if p.JSON {
		page.Memories = list(page.Memories)
		return p.printJSON(page)
	}
	if len(page.Memories) == 0 {
		p.say("%s", o.nothing(request))
		return nil
	}
	names, err := p.projectNames(ctx, svc, o.AllProjects)
	if err != nil {
		return err
	}
	if err := p.printTable(page.Memories, names); err != nil {
		return err
	}
	if more := page.Total - len(page.Memories); page.Next != "" && more > 0 {
		p.say("%d more: --limit 0 shows all", more)
	}
	return nil
}

// nothing says why a list is empty.
func (o *listOptions) nothing(r codememory.ListRequest) string {
	if reflect.ValueOf(r.Filter).IsZero() {
		return "Nothing is remembered here. \"codememory remember TEXT\" adds something."
	}
	return "No memory fits these flags."
}

func (o *listOptions) request(p *program) (codememory.ListRequest, error) {
	var r codememory.ListRequest
	var err error
	switch reach := codememory.Reach(o.Scope); reach {
	case "":
	case codememory.ReachProject, codememory.ReachUser, codememory.ReachBoth:
		r.Reach = reach
	default:
		return r, usagef("unknown scope %q: use project, user or both", o.Scope)
	}
	if o.AllProjects {
		if o.Scope != "" {
			return r, usagef("--all-projects and --scope exclude each other")
		}
		r.Reach = codememory.ReachAll
	}
	if o.Limit < 0 {
		return r, usagef("--limit %d: at least 1, or 0 for all", o.Limit)
	}
	if r.Filter, err = o.filter(p); err != nil {
		return r, err
	}
	r.Cursor = o.Cursor
	r.Project, err = p.projectRef()
	return r, err
}

// listPages collects pages until limit memories are there; 0 means all.
func listPages(ctx context.Context, svc codememory.Service, r codememory.ListRequest, limit int) (codememory.MemoryPage, error) {
	var all codememory.MemoryPage
	for {
		r.Limit = pageSize
		if limit > 0 {
			r.Limit = min(pageSize, limit-len(all.Memories))
		}
		page, err := svc.List(ctx, r)
		if err != nil {
			return all, err
		}
		all.Memories = append(all.Memories, page.Memories...)
		all.Next, all.Total = page.Next, page.Total
		if page.Next == "" || limit > 0 && len(all.Memories) >= limit {
			return all, nil
		}
		r.Cursor = page.Next
	}
}

func (p *program) printTable(ms []codememory.Memory, names map[string]string) error {
	s := p.style()
	mixed := false
	for _, m := range ms {
		mixed = mixed || m.State() != codememory.Active
	}
	header := []string{"ID", "TYPE", "CHANGED"}
	if names != nil {
		header = append(header, "PROJECT")
	}
	if mixed {
		header = append(header, "STATE")
	}
	table := term.NewTable(append(header, "TEXT")...)
	table.Style(0, s.Cyan)
	table.Whole(0)
	table.Spare(2, 1)
	for _, m := range ms {
		row := []string{codememory.ShownID(m.ID), string(m.Type), shortAgo(p.now(), m.UpdatedAt)}
		if names != nil {
			name := names[m.Project]
			if m.Scope == codememory.ScopeUser {
				name = "(user)"
			}
			row = append(row, name)
		}
		if mixed {
			row = append(row, string(m.State()))
		}
		text := m.Text
		if m.Pinned {
			text = "* " + text
		}
		table.Row(append(row, text)...)
	}
	return table.Write(p.out, p.columns(), s)
}
