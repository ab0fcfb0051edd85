package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

// models returns the part of the service that asks language models.
func models(svc codememory.Service) (codememory.LLMService, error) {
	m, ok := svc.(codememory.LLMService)
	if !ok {
		return nil, codememory.Errorf(codememory.Unavailable, "language models are not known here")
	}
	return m, nil
}

// withModels connects and calls fn.
func (p *program) withModels(ctx context.Context, fn func(codememory.LLMService) error) error {
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	m, err := models(svc)
	if err != nil {
		return err
	}
	return fn(m)
}

func newCostsCommand(p *program) *cobra.Command {
	var reset bool
	cmd := &cobra.Command{
		Use:   "costs",
		Short: "What language models cost",
		Long: `Show what the configured language models took, in tokens and US dollars: by model, by
task, today and in all, and what is left of the budget of the day. Prices are those in
your settings, or what the provider says it charged. Without a configured model nothing
is ever asked and nothing costs anything.`,
		Example: `  codememory costs
  codememory costs --json
  codememory costs --reset`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runCosts(cmd.Context(), p, reset) },
	}
	cmd.Flags().BoolVar(&reset, "reset", false, "begin the count anew; the budget of the day is not touched")
	return cmd
}

func runCosts(ctx context.Context, p *program, reset bool) error {
	return p.withModels(ctx, func(m codememory.LLMService) error {
		if reset {
			if err := m.ResetCosts(ctx); err != nil {
				return err
			}
		}
		costs, err := m.Costs(ctx)
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(costs)
		}
		return p.printCosts(costs)
	})
}

func (p *program) printCosts(c codememory.Costs) error {
	since := ""
	if !c.Since.IsZero() {
		since = " since " + stamp(c.Since)
	}
	if c.Total.Calls == 0 {
		p.hanging("", 0, "No language model was asked, and nothing was spent.")
		p.hanging("budget of a day: ", 17, budgetSentence(c.Budget, c.Today))
		return nil
	}
	p.hanging("", 0, fmt.Sprintf("%s%s: %s tokens in, %s out, %s", plural(c.Total.Calls, "call", "calls"), since, count(c.Total.Input), count(c.Total.Output), dollars(c.Total)))
	p.hanging("today: ", 7, fmt.Sprintf("%s, %s tokens, %s", plural(c.Today.Calls, "call", "calls"), count(c.Today.Input+c.Today.Output), dollars(c.Today)))
	p.hanging("budget of a day: ", 17, budgetSentence(c.Budget, c.Today))
	p.printf("\n")
	table := term.NewTable("PROVIDER", "MODEL", "CALLS", "IN", "OUT", "COST")
	for column := range 3 {
		table.Right(2 + column)
	}
	for _, m := range c.ByModel {
		table.Row(m.Provider, m.Model, strconv.Itoa(m.Calls), count(m.Input), count(m.Output), dollars(m.CostSum))
	}
	if err := table.Write(p.out, p.columns(), p.style()); err != nil {
		return err
	}
	p.printf("\n")
	table = term.NewTable("TASK", "CALLS", "IN", "OUT", "COST")
	for column := range 3 {
		table.Right(1 + column)
	}
	for _, role := range slices.Sorted(maps.Keys(c.ByRole)) {
		s := c.ByRole[role]
		table.Row(role, strconv.Itoa(s.Calls), count(s.Input), count(s.Output), dollars(s))
	}
	if err := table.Write(p.out, p.columns(), p.style()); err != nil {
		return err
	}
	for _, outcome := range slices.Sorted(maps.Keys(c.Outcomes)) {
		if outcome != "ok" {
			p.printf("%s: %s\n", outcomeWords(outcome), plural(c.Outcomes[outcome], "call", "calls"))
		}
	}
	return nil
}

func outcomeWords(outcome string) string {
	switch outcome {
	case "bad_output":
		return "not what was asked for"
	case "auth":
		return "key or account not accepted"
	case "refused":
		return "refused"
	default:
		return "failed (" + outcome + ")"
	}
}

func budgetSentence(b codememory.Budget, today codememory.CostSum) string {
	var out string
	switch {
	case b.Tokens == 0 && b.USD == 0:
		return "no limit (llm.budget.tokens, llm.budget.usd)"
	case b.Tokens > 0 && b.USD > 0:
		out = fmt.Sprintf("%s tokens and $%.2f", count(b.Tokens), b.USD)
	case b.Tokens > 0:
		out = count(b.Tokens) + " tokens"
	default:
		out = fmt.Sprintf("$%.2f", b.USD)
	}
	if b.Tokens > 0 {
		out += fmt.Sprintf(", %d%% of the tokens used", 100*(today.Input+today.Output)/b.Tokens)
	}
	if b.Exceeded != "" {
		out += "; it is used up"
	}
	return out
}

// dollars shows an amount, and that there are calls whose price nobody stated.
func dollars(s codememory.CostSum) string {
	out := fmt.Sprintf("$%.4f", s.CostUSD)
	if s.Unpriced > 0 {
		out += fmt.Sprintf(" and %s without a price", plural(s.Unpriced, "call", "calls"))
	}
	return out
}

// count writes a number with its thousands apart.
func count(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
