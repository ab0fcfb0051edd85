package cli

import (
	"strings"

	"codememory/internal/cli/term"
	"codememory/internal/install"
)

// printPlan shows what was done to files, or in a dry run what would be, line
// by line.
func (p *program) printPlan(pl install.Plan, dry bool) {
	verb := "done"
	if dry {
		verb = "would be done"
	}
	if pl.Empty() {
		verb = "nothing to do"
	}
	p.printf("%s: %s\n", pl.Agent, verb)
	for i, c := range pl.Changes {
		if idle(c) || c.Folder && i+1 < len(pl.Changes) && pl.Changes[i+1].Folder && strings.HasPrefix(pl.Changes[i+1].Path, c.Path) {
			continue // the folder within says it too
		}
		p.printf("  %-8s %s (%s)\n", c.Action, p.tilde(c.Path), term.OneLine(c.Why))
		if c.Warning != "" {
			p.warn("%s: %s", p.tilde(c.Path), c.Warning)
		}
		if dry {
			p.printDiff(c.Diff())
		}
	}
}

// idle is a change that only says that all is well.
func idle(c install.Change) bool {
	return c.Action == install.Keep && !c.Noteworthy() && c.Warning == ""
}

func (p *program) printDiff(text string) {
	s := p.style()
	for line := range strings.Lines(text) {
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
