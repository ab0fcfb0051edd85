package cli

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
)

type rememberOptions struct {
	Type       string
	Category   string
	Scope      string
	Importance float64
	HasPrior   bool // --importance was given
	Pin        bool
	Supersedes []string
	Reason     string
	Verbatim   bool
}

func (o *rememberOptions) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.Type, "type", "t", "", "kind of knowledge, e.g. preference, architecture, error-solution")
	f.StringVar(&o.Category, "category", "", "what it is about, e.g. hidden_constraint, decision_rationale")
	f.StringVar(&o.Scope, "scope", "", "project, or user for what holds in every project (default project)")
	f.Float64Var(&o.Importance, "importance", 0, "0 to 1 (default by category and type)")
	f.BoolVar(&o.Pin, "pin", false, "always show it to the model")
	f.StringSliceVar(&o.Supersedes, "supersedes", nil, "id of a memory that this one makes obsolete")
	f.StringVar(&o.Reason, "reason", "", "why the superseded one no longer holds")
	f.BoolVar(&o.Verbatim, "verbatim", false, "store it even if nearly the same is known")
}

func newRememberCommand(p *program) *cobra.Command {
	var o rememberOptions
	cmd := &cobra.Command{
		Use:   "remember TEXT…",
		Short: "Store a memory",
		Long: `Store one self-contained fact, one to three sentences. What is known already is not
stored twice, and secrets are taken out before anything is written. With - the
text is read from standard input.`,
		Example: `  codememory remember "the staging database is reset every night at 02:00 UTC"
  codememory remember --scope user --type preference "answer in short sentences"
  codememory remember --category rejected_alternative "no Redis: one more thing to run"
  codememory remember --supersedes mem_0a1b2c3d "we moved from npm to pnpm"
  git log -1 --format=%B | codememory remember --category decision_rationale -`,
		Args: wants(1, anyNumber, "TEXT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.HasPrior = cmd.Flags().Changed("importance")
			return runRemember(cmd.Context(), p, o, args)
		},
	}
	o.addFlags(cmd.Flags())
	choices(cmd, "type", codememory.Types)
	choices(cmd, "category", codememory.Categories)
	choices(cmd, "scope", []codememory.Scope{codememory.ScopeProject, codememory.ScopeUser})
	return cmd
}

func runRemember(ctx context.Context, p *program, o rememberOptions, args []string) error {
	request, err := o.request(p, args)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	result, err := svc.Add(ctx, request)
	if err != nil {
		return err
	}
	if len(result.Redacted) > 0 {
		p.warn("a secret was taken out before saving (%s)", strings.Join(result.Redacted, ", "))
	}
	return p.done(result, "%s", rememberedSentence(p, result))
}

func (o *rememberOptions) request(p *program, args []string) (codememory.AddRequest, error) {
	r := codememory.AddRequest{
		Pinned: o.Pin, Verbatim: o.Verbatim, Scope: codememory.Scope(o.Scope),
		Source: codememory.Source{Agent: "cli", Author: codememory.AuthorUser},
	}
	var err error
	if o.Type != "" {
		if r.Type, err = parseType(o.Type); err != nil {
			return r, err
		}
	}
	if o.Category != "" {
		if r.Category, err = parseCategory(o.Category); err != nil {
			return r, err
		}
	}
	switch r.Scope {
	case "", codememory.ScopeProject, codememory.ScopeUser:
	default:
		return r, usagef("unknown scope %q: use project or user", o.Scope)
	}
	if o.HasPrior {
		r.Importance = &o.Importance
	}
	for _, id := range o.Supersedes {
		if _, err := p.ref(id); err != nil {
			return r, err
		}
		r.Supersedes = append(r.Supersedes, codememory.Supersession{ID: id, Reason: o.Reason})
	}
	if o.Reason != "" && len(o.Supersedes) == 0 {
		return r, usagef("--reason says why --supersedes holds: give both")
	}
	if r.Scope != codememory.ScopeUser {
		if r.Project, err = p.projectRef(); err != nil {
			return r, err
		}
	}
	r.Text, err = p.textFrom(args)
	return r, err
}

// textFrom joins the arguments, or reads standard input for a single "-".
func (p *program) textFrom(args []string) (string, error) {
	text := strings.Join(args, " ")
	if len(args) == 1 && args[0] == "-" {
		b, err := io.ReadAll(io.LimitReader(p.in, codememory.MaxTextBytes+1))
		if err != nil {
			return "", err
		}
		text = string(b)
	}
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		return "", usagef("memory text is empty: say what to remember")
	case len(text) > codememory.MaxTextBytes:
		return "", codememory.Errorf(codememory.TooLarge, "the text is longer than %s: a memory is one to three sentences; keep the rest in a file and remember where", size(codememory.MaxTextBytes))
	}
	return text, nil
}

func rememberedSentence(p *program, r codememory.AddResult) string {
	id := p.style().Cyan(codememory.ShownID(r.Memory.ID))
	switch r.Event {
	case codememory.Updated:
		return "Updated " + id + because(r.Reason)
	case codememory.Unchanged:
		if r.Memory.ID == "" {
			return "Not stored" + because(r.Reason)
		}
		return "Already known as " + id + because(r.Reason)
	default:
		return "Remembered " + id + " (" + string(r.Memory.Type) + ")"
	}
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}
