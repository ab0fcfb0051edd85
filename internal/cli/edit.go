package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
)

type editOptions struct {
	Text       string
	Type       string
	Category   string
	Importance float64
	HasPrior   bool // --importance was given
	Editor     bool
	Reason     string
}

func (o *editOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Text, "text", "", "the new text")
	f.StringVarP(&o.Type, "type", "t", "", "the new type")
	f.StringVar(&o.Category, "category", "", "the new category, or none")
	f.Float64Var(&o.Importance, "importance", 0, "the new importance, 0 to 1")
	f.BoolVarP(&o.Editor, "editor", "e", false, "change the text in $VISUAL or $EDITOR")
	f.StringVar(&o.Reason, "reason", "", "why, for the history")
}

func newEditCommand(p *program) *cobra.Command {
	var o editOptions
	cmd := &cobra.Command{
		Use:   "edit ID [TEXT…]",
		Short: "Change a memory",
		Long: `Change the text, type, category or importance of a memory. The old wording is kept
and "codememory undo" brings it back. With - the text is read from standard input.`,
		Example: `  codememory edit mem_0a1b2c3d "the staging database is reset on Sundays"
  codememory edit mem_0a1b2c3d --editor
  codememory edit mem_0a1b2c3d --type architecture --importance 0.9`,
		Args: wants(1, anyNumber, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.HasPrior = cmd.Flags().Changed("importance")
			return runEdit(cmd.Context(), p, o, args[0], args[1:])
		},
	}
	o.addFlags(cmd.Flags())
	choices(cmd, "type", codememory.Types)
	choices(cmd, "category", append([]codememory.Category{"none"}, codememory.Categories...))
	return cmd
}

func runEdit(ctx context.Context, p *program, o editOptions, id string, text []string) error {
	ref, err := p.ref(id)
	if err != nil {
		return err
	}
	change, err := o.change(p, text)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if o.Editor {
		m, err := svc.Get(ctx, ref)
		if err != nil {
			return err
		}
		edited, err := p.editText(ctx, m)
		if err != nil {
			return err
		}
		if edited == m.Text && change.Type == nil && change.Category == nil && change.Importance == nil {
			p.say("Nothing changed.")
			return nil
		}
		change.Text = &edited
	}
	m, err := svc.Edit(ctx, ref, change)
	if err != nil {
		return err
	}
	return p.done(m, "Changed %s", p.style().Cyan(codememory.ShownID(m.ID)))
}

func (o *editOptions) change(p *program, text []string) (codememory.Edit, error) {
	e := codememory.Edit{Reason: o.Reason}
	if o.Text != "" {
		if len(text) > 0 {
			return e, usagef("the text was given twice: as an argument and with --text")
		}
		text = []string{o.Text}
	}
	if len(text) > 0 {
		if o.Editor {
			return e, usagef("give the text or --editor, not both")
		}
		t, err := p.textFrom(text)
		if err != nil {
			return e, err
		}
		e.Text = &t
	}
	if o.Type != "" {
		t, err := parseType(o.Type)
		if err != nil {
			return e, err
		}
		e.Type = &t
	}
	if o.Category != "" {
		var c codememory.Category
		if !strings.EqualFold(o.Category, "none") {
			var err error
			if c, err = parseCategory(o.Category); err != nil {
				return e, err
			}
		}
		e.Category = &c
	}
	if o.HasPrior {
		e.Importance = &o.Importance
	}
	if e.Text == nil && e.Type == nil && e.Category == nil && e.Importance == nil && !o.Editor {
		return e, usagef("nothing to change: give a TEXT, --editor, --type, --category or --importance")
	}
	return e, nil
}
