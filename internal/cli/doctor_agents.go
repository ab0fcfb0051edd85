package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"codememory"
	"codememory/internal/agent"
	"codememory/internal/client"
	"codememory/internal/install"
)

// agents checks that the records of the agents can be read, and whether they
// are connected.
func (d *patient) agents(ctx context.Context) []check {
	var checks []check
	for _, t := range agent.Transcripts(os.Getenv) {
		where, err := t.Check(ctx)
		switch {
		case codememory.CodeOf(err) == codememory.NotFound: // the agent is not used here
		case err != nil:
			checks = append(checks, broken(t.Agent(), err.Error(), "its sessions are not captured; everything else works"))
		default:
			checks = append(checks, fine(t.Agent(), "sessions are read from "+where))
		}
	}
	m, err := d.machine()
	if err != nil {
		return append(checks, broken("agents", err.Error(), ""))
	}
	heard := d.heard(ctx)
	for _, a := range install.Agents() {
		checks = append(checks, connection(a, m, heard[a.Name])...)
	}
	return checks
}

// heard tells of each agent when its hooks or plugin last called, as far as a
// running daemon knows.
func (d *patient) heard(ctx context.Context) map[string]string {
	c, err := client.Find(ctx, d.layout)
	if err != nil {
		return nil
	}
	defer c.Close()
	agents, err := c.Agents(ctx)
	if err != nil {
		return nil
	}
	return lastHeard(d.now(), agents)
}

// lastHeard says of each agent when it was last heard of.
func lastHeard(now time.Time, agents []codememory.AgentStatus) map[string]string {
	last := map[string]string{}
	for _, a := range agents {
		if a.EventAt.IsZero() {
			last[a.Agent] = "not heard of yet: start a new session of it"
		} else {
			last[a.Agent] = fmt.Sprintf("last heard of %s (%s)", ago(now, a.EventAt), a.Event)
		}
	}
	return last
}

// connection checks whether an agent that is used here has what
// "codememory install" writes for it. heard is when it last used that.
func connection(a install.Agent, m install.Machine, heard string) []check {
	name := a.Name + " hooks"
	switch {
	case a.Name == "opencode":
		name = a.Name + " plugin"
	case !a.HasHooks():
		name = a.Name + " tools"
	}
	s, err := a.Status(m)
	if err != nil {
		if s.Found == "" {
			return nil
		}
		return []check{doubtful(name, err.Error(), "mend that, then run codememory install "+a.Name)}
	}
	var checks []check
	switch {
	case s.State == install.Outdated:
		checks = append(checks, doubtful(name, a.Label+" was connected, and its files are outdated or were changed", "run codememory install "+a.Name))
	case s.State == install.Missing && s.Found == "":
		return nil
	case s.State == install.Missing:
		c := doubtful(name, fmt.Sprintf("%s is here (%s) and not connected: nothing is remembered for it", a.Label, s.Found), "run codememory install "+a.Name)
		c.unused = true
		checks = append(checks, c)
	case s.Untrusted:
		checks = append(checks, doubtful(name, a.Label+" is connected, and does not run hooks that you have not accepted", a.After()))
	default:
		detail := a.Label + " is connected"
		if heard != "" && a.HasHooks() {
			detail += ", " + heard
		}
		if len(s.Notes) > 0 {
			detail += "; " + strings.Join(s.Notes, "; ")
		}
		checks = append(checks, fine(name, detail))
	}
	for _, w := range s.Warnings {
		checks = append(checks, doubtful(name, w, "remove them from the file"))
	}
	return checks
}
