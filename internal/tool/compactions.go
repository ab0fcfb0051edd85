package tool

import (
	"context"
	"fmt"
	"strings"

	"codememory"
)

// compactions lists the compactions of a session, or reads the summary of one.
func (r *Router) compactions(ctx context.Context, c call) (string, error) {
	f, err := r.asked(ctx, c, `memory({tool: "compactions", args: {sessionId: "ses_..."}})`)
	if err != nil {
		return "", err
	}
	turns, err := f.turns(ctx, 1)
	if err != nil {
		return "", err
	}
	var all []codememory.Turn
	for _, t := range turns {
		if t.Kind == codememory.CompactionTurn {
			all = append(all, t)
		}
	}
	if len(all) == 0 {
		return "No compactions found for this session.", nil
	}
	if n, ok := c.args.integer("read"); ok {
		if n < 1 || n > len(all) {
			return fmt.Sprintf("Compaction %d not found. This session has %d: read takes 1 to %d.", n, len(all), len(all)), nil
		}
		t := all[n-1]
		summary := r.shown(t.Answer())
		if summary == "" {
			summary = "(no summary was written)"
		}
		return fmt.Sprintf("# Compaction %d\nTime: %s\nAuto: %s\nOverflow: %s\n\n%s", n, r.clock(t.StartedAt), yesNo(isAuto(t)), yesNo(t.Prompt == "overflow"), summary), nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# Compactions (%d)\n\n| # | Time | Auto | Summary |\n|---|------|------|---------|\n", len(all))
	for i, t := range all {
		fmt.Fprintf(&b, "| %d | %s | %s | %s... |\n", i+1, r.clock(t.StartedAt), yesNo(isAuto(t)), cell(r.opts.Redact(t.Answer()), 80))
	}
	b.WriteString("\nUse memory({tool: \"compactions\", args: {sessionId: \"...\", read: N}}) to read a full summary.")
	return b.String(), nil
}

// isAuto reports whether the agent compacted unasked: its reason is what the
// turn has for a prompt.
func isAuto(t codememory.Turn) bool { return t.Prompt != "manual" }

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
