package cli

import (
	"context"
	"slices"
	"time"

	"codememory"
	"codememory/internal/install"
	"codememory/internal/timerange"
)

// agentState is an agent that is used on this machine.
type agentState struct {
	Agent    string    `json:"agent"`
	State    string    `json:"state"` // as doctor calls it: ok or warning
	Detail   string    `json:"detail"`
	Next     string    `json:"next,omitempty"`
	Sessions int       `json:"sessions"`
	Today    int       `json:"turns_today"`
	EventAt  time.Time `json:"event_at,omitzero"` // last heard of
	unused   bool      // not connected so far
	told     bool      // among the problems
}

func (a agentState) sentence() string {
	out := a.Detail
	if a.Today > 0 {
		out += "; " + plural(a.Today, "turn", "turns") + " today"
	}
	if a.Next != "" {
		out += " → " + a.Next
	}
	return out
}

// today is what came in since midnight.
type today struct {
	Turns    int `json:"turns"`    // captured, of all agents
	Memories int `json:"memories"` // new or changed, in all projects
}

// agentsStatus fills in which agents are connected and what came in today.
func (p *program) agentsStatus(ctx context.Context, svc codememory.Service, r *statusReport) error {
	loaded, _, _ := p.settings()
	midnight := timerange.StartOfDay(p.now().In(loaded.Config.Location()))
	page, err := svc.List(ctx, codememory.ListRequest{
		Reach: codememory.ReachAll, Filter: codememory.Filter{Since: midnight}, PageRequest: codememory.PageRequest{Limit: 1},
	})
	if err != nil {
		return err
	}
	r.Today.Memories, r.Agents = page.Total, []agentState{}
	var known []codememory.AgentStatus
	if a, err := agents(svc); err == nil {
		if known, err = a.Agents(ctx); err != nil {
			return err
		}
	}
	captured := map[string]codememory.AgentStatus{}
	for _, a := range known {
		captured[a.Agent] = a
		r.Today.Turns += a.Today
		if a.Found && a.Problem != "" {
			r.Problems = append(r.Problems, codememory.Problem{What: a.Problem, Todo: "its sessions are not captured until then; everything else works"})
		}
	}
	m, err := p.machine()
	if err != nil {
		return err
	}
	heard := lastHeard(p.now(), known)
	for _, a := range install.Agents() {
		for _, c := range connection(a, m, heard[a.Name]) {
			seen := captured[a.Name]
			r.Agents = append(r.Agents, agentState{
				Agent: a.Name, State: c.State, Detail: c.Detail, Next: c.Next, Sessions: seen.Sessions, Today: seen.Today, EventAt: seen.EventAt, unused: c.unused,
			})
		}
	}
	r.agentProblems()
	return nil
}

// agentProblems moves what is wrong with agents to the problems. One that is
// only not connected is a problem when no other is connected.
func (r *statusReport) agentProblems() {
	connected := slices.ContainsFunc(r.Agents, func(a agentState) bool { return !a.unused })
	for i, a := range r.Agents {
		if a.State != checkOK && (!a.unused || !connected) {
			r.Agents[i].told = true
			r.Problems = append(r.Problems, codememory.Problem{What: a.Detail, Todo: a.Next})
		}
	}
}

// agentLines says of each agent how it is, unless the problems did.
func (r *statusReport) agentLines() []string {
	var lines []string
	for _, a := range r.Agents {
		if !a.told {
			lines = append(lines, a.sentence())
		}
	}
	switch {
	case len(r.Agents) == 0:
		return []string{`none was found on this machine ("codememory install --help" names those it knows)`}
	case len(lines) == 0:
		return []string{"none is connected as it should be"}
	}
	return lines
}
