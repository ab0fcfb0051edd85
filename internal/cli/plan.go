package cli

import (
	"strings"

	"codememory/internal/cli/term"
	"codememory/internal/install"
)

// The tenses of a plan.
const (
	planDone  = "done"
	planWould = "would be done"
)

// printPlan shows what happens to which files, on request line by line.
func (p *program) printPlan(pl install.Plan, verb string, diff bool) {
	if pl.Empty() {
		verb = "nothing to do"
	}
	p.printf("%s: %s\n", pl.Agent, verb)
	for _, c := range pl.Changes {
		if c.Folder || c.Own || idle(c) {
			continue
		}
		p.printf("  %-8s %s (%s)\n", c.Action, p.tilde(c.Path), term.OneLine(c.Why))
		if c.Warning != "" {
			p.warn("%s: %s", p.tilde(c.Path), c.Warning)
		}
		if diff {
			p.printDiff(c.Diff())
		}
	}
}

// idle is a change that only says that all is well.
func idle(c install.Change) bool {
	return c.Action == install.Keep && !c.Noteworthy() && c.Warning == ""
}

// mostDiff is how many lines of a file's change are shown: what is to be read is
// the change of a configuration, not a program that is written whole.
const mostDiff = 150

func (p *program) printDiff(text string) {
	s := p.style()
	shown := 0
	for line := range strings.Lines(text) {
		if shown++; shown > mostDiff {
			p.printf("    … %s\n", plural(strings.Count(text, "\n")-mostDiff, "more line", "more lines"))
			return
		}
		line = term.Clean(strings.TrimRight(line, "\n"))
		switch {
		case strings.HasPrefix(line, "+"):
			line = s.Green(line)
		case strings.HasPrefix(line, "-"):
			line = s.Red(line)
		}
		p.printf("    %s\n", line)
	}
}
