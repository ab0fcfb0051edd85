package cli

import (
	"context"
	"os"

	"codememory"
	"codememory/internal/agent"
	"codememory/internal/install"
)

// agents checks that the records of the agents can be read, and whether they
// are connected.
func (d *patient) agents(ctx context.Context) []check {
	var checks []check
	for _, t := range agent.Transcripts(os.Getenv) {
		where, err := t.Check(ctx)
		switch codememory.CodeOf(err) {
		case codememory.NotFound:
			continue // the agent is not used here
		default:
			if err != nil {
				checks = append(checks, broken(t.Agent(), err.Error(), "its sessions are not captured; everything else works"))
				continue
			}
		}
		checks = append(checks, fine(t.Agent(), where))
		m, err := d.machine()
		if err != nil {
			continue
		}
		if a, err := install.FindAgent(t.Agent()); err == nil {
			if c, err := a.Connect(m, ""); err == nil {
				if plan, err := c.Plan(); err == nil && !plan.Empty() {
					checks = append(checks, doubtful(t.Agent()+" plugin", "is not installed or outdated: its sessions are captured, but nothing is injected", "run codememory install "+t.Agent()))
				}
			}
		}
	}
	return checks
}
