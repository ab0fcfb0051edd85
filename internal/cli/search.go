package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/term"
)

type searchOptions struct {
	filterOptions
	Limit       int
	AllProjects bool
	User        bool
	Why         bool
	Floor       float64
	HasFloor    bool // --floor was given
	Literal     bool
}

func (o *searchOptions) addFlags(f *pflag.FlagSet) {
	o.filterOptions.addFlags(f)
	f.IntVarP(&o.Limit, "limit", "n", 10, "most memories to show")
	f.BoolVar(&o.AllProjects, "all-projects", false, "search every project on this machine")
	f.BoolVar(&o.User, "user", false, "search only what holds in every project")
	f.BoolVarP(&o.Why, "why", "w", false, "say why each memory was found")
	f.Float64Var(&o.Floor, "floor", 0, "lowest score to show, 0 to 1 (default calibrated)")
	f.BoolVar(&o.Literal, "literal", false, "do not read \"last week\" or \"in cursor\" as filters")
}

func newSearchCommand(p *program) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search QUERY…",
		Short: "Find memories by meaning and by words",
		Long: `Find what is remembered about a question, best first. Phrases such as "last week",
"in cursor" or "list all preferences" narrow the search. When nothing is relevant
enough, nothing is shown and the exit code is still 0.`,
		Example: `  codememory search how do we run the integration tests
  codememory search --why "database locked"
  codememory search --type error-solution --since 30d timeout
  codememory search --all-projects --json retry policy`,
		Args: wants(1, anyNumber, "QUERY"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.HasFloor = cmd.Flags().Changed("floor")
			return runSearch(cmd.Context(), p, o, args)
		},
	}
	o.addFlags(cmd.Flags())
	o.addCompletions(cmd)
	return cmd
}

func runSearch(ctx context.Context, p *program, o searchOptions, args []string) error {
	request, err := o.request(p, args)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	answer, err := svc.Search(ctx, request)
	if err != nil {
		return err
	}
	if p.JSON {
		answer.Hits = list(answer.Hits)
		return p.printJSON(answer)
	}
	if answer.Degraded {
		p.say("codememory: the search was limited: %s", term.OneLine(strings.Join(answer.Reasons, "; ")))
	}
	if len(answer.Hits) == 0 {
		p.say("Nothing remembered about that.")
		return nil
	}
	names, err := p.projectNames(ctx, svc, o.AllProjects)
	if err != nil {
		return err
	}
	for i, hit := range answer.Hits {
		if i > 0 {
			p.printf("\n")
		}
		p.printHit(hit, names, o.Why)
	}
	return nil
}

func (o *searchOptions) request(p *program, args []string) (codememory.SearchRequest, error) {
	r := codememory.SearchRequest{
		Text: strings.TrimSpace(strings.Join(args, " ")), Limit: o.Limit, Literal: o.Literal, Explain: o.Why || p.JSON,
	}
	if r.Text == "" {
		return r, usagef("QUERY is empty: say what to look for")
	}
	if o.Limit < 1 {
		return r, usagef("--limit %d: at least 1", o.Limit)
	}
	if o.HasFloor {
		if !(o.Floor >= 0 && o.Floor <= 1) {
			return r, usagef("--floor %v is outside 0..1", o.Floor)
		}
		r.Floor = &o.Floor
	}
	var err error
	if r.Reach, err = reach(o.AllProjects, o.User); err != nil {
		return r, err
	}
	if r.Filter, err = o.filter(p); err != nil {
		return r, err
	}
	r.Project, err = p.projectRef()
	return r, err
}

func reach(allProjects, user bool) (codememory.Reach, error) {
	switch {
	case allProjects && user:
		return "", usagef("--all-projects and --user exclude each other")
	case allProjects:
		return codememory.ReachAll, nil
	case user:
		return codememory.ReachUser, nil
	default:
		return codememory.ReachBoth, nil
	}
}

func (p *program) printHit(hit codememory.Hit, names map[string]string, why bool) {
	s := p.style()
	p.painted(fmt.Sprintf("%s  %.2f  ", s.Cyan(codememory.ShownID(hit.Memory.ID)), hit.Score), shownIDColumns+6, p.caption(hit.Memory, names), s.Dim)
	p.paragraph(2, hit.Memory.Text)
	if !why || hit.Why == nil {
		return
	}
	if reasons := whySentence(*hit.Why); reasons != "" {
		p.painted(s.Dim("  why: "), len("  why: "), reasons, s.Dim)
	}
}

// whySentence says what made a memory score.
func whySentence(w codememory.Why) string {
	var parts []string
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	if w.LexicalRank > 0 || w.Coverage > 0 {
		words := "words" + rank(w.LexicalRank)
		if len(w.Terms) > 0 {
			words += " (" + strings.Join(w.Terms, ", ") + ")"
		}
		if w.Coverage > 0 {
			words += fmt.Sprintf(" %.0f%% of the question", 100*w.Coverage)
		}
		add("%s", words)
	}
	if w.VectorRank > 0 || w.Cosine > 0 {
		add("meaning%s %.2f", rank(w.VectorRank), w.Cosine)
	}
	if w.TokenMatch > 0 {
		add("tokens %.2f", w.TokenMatch)
	}
	if len(w.Entities) > 0 {
		add("mentions %s", strings.Join(w.Entities, ", "))
	}
	if w.LinkedFrom != "" {
		add("linked from %s", codememory.ShownID(w.LinkedFrom))
	}
	parts = append(parts, w.Notes...)
	return strings.Join(parts, " · ")
}

// rank is " #3", or nothing for what has no rank.
func rank(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" #%d", n)
}
