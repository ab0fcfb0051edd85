package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory/internal/cli/term"
	"codememory/internal/config"
	"codememory/internal/paths"
)

// The states of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning"
	checkFailed  = "failed"
)

// check is one thing doctor looked at.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"`
	Detail string `json:"detail"`
	Next   string `json:"next,omitempty"` // what to do
	// unused marks an agent that nobody connected so far.
	unused bool
}

func fine(name, detail string) check { return check{Name: name, State: checkOK, Detail: detail} }

func doubtful(name, detail, next string) check {
	return check{Name: name, State: checkWarning, Detail: detail, Next: next}
}

func broken(name, detail, next string) check {
	return check{Name: name, State: checkFailed, Detail: detail, Next: next}
}

// patient is what the checks look at.
type patient struct {
	*program
	layout    paths.Layout
	loaded    *config.Loaded
	configErr error
	daemon    daemonState
}

func newDoctorCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong and say what to do",
		Long: `Check everything CodeMemory depends on: places and permissions, the daemon, the port,
git, the stores, the embedding model, the disk and the settings. Nothing is changed.
The exit code is 1 when a check fails.`,
		Example: "  codememory doctor\n  codememory doctor --json",
		Args:    wants(0, 0, "nothing"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd.Context(), p) },
	}
}

func runDoctor(ctx context.Context, p *program) error {
	loaded, layout, err := p.settings()
	if loaded == nil {
		return err
	}
	d := &patient{program: p, layout: layout, loaded: loaded, configErr: err}
	checks := []check{d.dataDirectory(), d.diskSpace(), d.token()}
	d.daemon = p.daemonState(ctx, layout) // after the token was looked at: this mends its permissions
	checks = append(checks, d.settingsChecks()...)
	checks = append(checks, d.daemonCheck(), d.lock(), d.port(ctx), d.git(ctx), d.model(ctx))
	checks = append(checks, d.stores(ctx)...)
	checks = append(checks, d.agents(ctx)...)
	checks = append(checks, d.leftovers())
	ok := true
	for _, c := range checks {
		ok = ok && c.State != checkFailed
	}
	if p.JSON {
		if err := p.printJSON(struct {
			OK     bool    `json:"ok"`
			Checks []check `json:"checks"`
		}{ok, checks}); err != nil {
			return err
		}
	} else {
		p.printChecks(checks)
	}
	if !ok {
		return findings{}
	}
	return nil
}

// nameColumn is as wide as the longest name of a check.
const nameColumn = 17

func (p *program) printChecks(checks []check) {
	s := p.style()
	for _, c := range checks {
		mark := s.Green("✓")
		switch c.State {
		case checkWarning:
			mark = s.Yellow("!")
		case checkFailed:
			mark = s.Red("✗")
		}
		if p.Quiet && c.State == checkOK {
			continue
		}
		p.hanging(mark+" "+term.Pad(c.Name, nameColumn)+" ", nameColumn+3, p.tildes(c.Detail))
		if c.Next != "" {
			p.hanging(term.Pad("", nameColumn+3)+"→ ", nameColumn+5, p.tildes(c.Next))
		}
	}
}
