package cli

import (
	"context"
	"os"

	"codememory"
	"codememory/internal/agent"
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
		if t.Agent() != "opencode" {
			continue // read, but not connected by a plugin of ours
		}
		if i, err := d.integration(t.Agent()); err == nil {
			if plan, err := i.Plan(); err == nil && !plan.Empty() {
				checks = append(checks, doubtful(t.Agent()+" plugin", "is not installed or outdated: its sessions are captured, but nothing is injected", "run codememory install "+t.Agent()))
			}
		}
	}
	return checks
}
