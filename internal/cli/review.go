package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newReviewCommand(p *program) *cobra.Command {
	var kinds []string
	cmd := &cobra.Command{
		Use:   "review",
		Short: "Decide what should be remembered",
		Long: `Go through what a person should look at: memories that wait to be let in, memories that
contradict each other, doubtful ones, seeming duplicates, and preferences that you
stated in several projects. On a terminal each is decided with one key; otherwise
they are listed, and "review accept" and "review reject" decide.`,
		Example: `  codememory review
  codememory review --kind quarantine --json
  codememory review accept mem_0a1b2c3d
  codememory review reject mem_0a1b2c3d --reason "it came from a test file"`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runReview(cmd.Context(), p, kinds) },
	}
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "only quarantine, conflict, unsure, duplicate or promotion")
	choices(cmd, "kind", codememory.ReviewKinds)
	cmd.AddCommand(
		decideCommand(p, "accept", "Let memories in, or trust them", codememory.Accept, "Accepted"),
		decideCommand(p, "reject", "Forget memories that are wrong", codememory.Reject, "Rejected"),
	)
	return cmd
}

func decideCommand(p *program, name, short string, action codememory.DecisionAction, did string) *cobra.Command {
	var reason string
	cmd := &cobra.Command{
		Use: name + " ID…", Short: short, Long: short + ". \"codememory review\" shows what waits for that.",
		Example: "  codememory review " + name + " mem_0a1b2c3d\n  codememory review " + name + " 0a1b 77de --reason \"I checked it\"",
		Args:    wants(1, anyNumber, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEach(cmd.Context(), p, args, did, func(ctx context.Context, svc codememory.Service, ref codememory.Ref) (codememory.Memory, error) {
				l, ok := svc.(codememory.LifecycleService)
				if !ok {
					return codememory.Memory{}, codememory.Errorf(codememory.Unavailable, "memories are not looked after here")
				}
				return l.Decide(ctx, ref, codememory.Decision{Action: action, Reason: reason})
			})
		},
	}
	cmd.Flags().StringVar(&reason, "reason", "", "why, for the history")
	return cmd
}

func runReview(ctx context.Context, p *program, kinds []string) error {
	r := codememory.ReviewRequest{}
	for _, k := range kinds {
		r.Kinds = append(r.Kinds, codememory.ReviewKind(strings.ToLower(strings.TrimSpace(k))))
	}
	var err error
	if r.Project, err = p.projectRef(); err != nil {
		return err
	}
	return p.withLifecycle(ctx, func(_ codememory.Service, l codememory.LifecycleService) error {
		items, err := l.Review(ctx, r)
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(struct {
				Items []codememory.ReviewItem `json:"items"`
			}{list(items)})
		}
		if len(items) == 0 {
			p.say("Nothing to review.")
			return nil
		}
		v := reviewer{program: p, service: l}
		if file, ok := p.in.(*os.File); ok && term.IsTerminal(file) {
			v.key = func() (byte, error) { return term.ReadKey(file) }
		}
		for i, item := range items {
			if i > 0 {
				p.printf("\n")
			}
			more, err := v.one(ctx, i+1, len(items), item)
			if err != nil || !more {
				return err
			}
		}
		return nil
	})
}

// reviewer goes through what is to be decided.
type reviewer struct {
	*program
	service codememory.LifecycleService
	key     func() (byte, error) // nil: nobody is there to decide
}

// one shows an item and asks about it; it reports false when the user has enough.
func (v reviewer) one(ctx context.Context, n, of int, item codememory.ReviewItem) (bool, error) {
	s := v.style()
	v.painted("", 0, fmt.Sprintf("%d of %d  %s: %s", n, of, item.Kind, item.Reason), s.Dim)
	for i, m := range item.Memories {
		number := ""
		if len(item.Memories) > 1 {
			number = fmt.Sprintf("%d. ", i+1)
		}
		v.printHead(number, m, nil)
		v.paragraph(2, m.Text)
		if m.Source.Excerpt != "" {
			v.paragraph(4, "from: "+m.Source.Excerpt)
		}
	}
	if v.key == nil {
		return true, nil
	}
	for {
		fmt.Fprintf(v.err, "%s ", question(item))
		pressed, err := v.key()
		if errors.Is(err, io.EOF) {
			fmt.Fprintln(v.err)
			return false, nil
		}
		if err != nil {
			return false, fmt.Errorf("read the answer: %w", err)
		}
		fmt.Fprintln(v.err, term.OneLine(string(rune(pressed))))
		switch key := strings.ToLower(string(rune(pressed))); key {
		case "q":
			return false, nil
		case "s", " ", "\r", "\n":
			return true, nil
		default:
			done, err := v.decide(ctx, item, key)
			if err != nil || done {
				return err == nil, err
			}
		}
	}
}

func question(item codememory.ReviewItem) string {
	switch item.Kind {
	case codememory.ReviewConflict, codememory.ReviewDuplicate:
		return fmt.Sprintf("Keep only [1-%d], [b]oth hold, [s]kip, [q]uit?", len(item.Memories))
	case codememory.ReviewPromotion:
		return "Make it hold in [a]ll projects, [s]kip, [q]uit?"
	default:
		return "[a]ccept, [e]dit, [f]orget, [s]kip, [q]uit?"
	}
}

// decide does what a key means; it reports false for a key that means nothing here.
func (v reviewer) decide(ctx context.Context, item codememory.ReviewItem, key string) (bool, error) {
	first := codememory.Ref{ID: item.Memories[0].ID}
	act := func(ref codememory.Ref, d codememory.Decision) (bool, error) {
		_, err := v.service.Decide(ctx, ref, d)
		return err == nil, err
	}
	others := func(but int) []string {
		var ids []string
		for i, m := range item.Memories {
			if i != but {
				ids = append(ids, m.ID)
			}
		}
		return ids
	}
	switch item.Kind {
	case codememory.ReviewConflict, codememory.ReviewDuplicate:
		if key == "b" {
			return act(first, codememory.Decision{Action: codememory.Separate, Others: others(0)})
		}
		var n int
		if _, err := fmt.Sscanf(key, "%d", &n); err != nil || n < 1 || n > len(item.Memories) {
			return false, nil
		}
		return act(codememory.Ref{ID: item.Memories[n-1].ID}, codememory.Decision{Action: codememory.Keep, Others: others(n - 1), Reason: "decided in a review"})
	case codememory.ReviewPromotion:
		if key != "a" {
			return false, nil
		}
		_, err := v.service.Promote(ctx, first, true)
		return err == nil, err
	default:
	}
	switch key {
	case "a":
		return act(first, codememory.Decision{Action: codememory.Accept})
	case "f":
		return act(first, codememory.Decision{Action: codememory.Reject, Reason: "rejected in a review"})
	case "e":
		text, err := v.editText(ctx, item.Memories[0])
		if err != nil {
			return false, err
		}
		return act(first, codememory.Decision{Action: codememory.Accept, Text: &text, Reason: "corrected in a review"})
	}
	return false, nil
}
