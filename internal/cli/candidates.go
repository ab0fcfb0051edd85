package cli

import (
	"context"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/install"
)

// statesFor says in which states a command's memories are.
func statesFor(cmd *cobra.Command) []codememory.State {
	switch cmd.Name() {
	case "unarchive":
		return []codememory.State{codememory.Archived}
	case "accept", "reject":
		return []codememory.State{codememory.Quarantined}
	case "show", "history", "expand", "purge", "undo":
		return codememory.AnyState
	}
	return []codememory.State{codememory.Active}
}

// asking connects without starting a daemon and calls fn.
func (p *program) asking(ctx context.Context, fn func(codememory.Service, string) error) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	svc, done, err := p.connectRunning(ctx)
	if err != nil {
		return err
	}
	defer done()
	return fn(svc, ref)
}

// askingAgents is asking about the sessions of agents.
func (p *program) askingAgents(ctx context.Context, fn func(codememory.AgentService, string) error) error {
	return p.asking(ctx, func(svc codememory.Service, ref string) error {
		a, err := agents(svc)
		if err != nil {
			return err
		}
		return fn(a, ref)
	})
}

func idCandidates(states ...codememory.State) candidates {
	return func(ctx context.Context, p *program) (found []string, err error) {
		err = p.asking(ctx, func(svc codememory.Service, ref string) error {
			page, err := svc.List(ctx, codememory.ListRequest{
				Project: ref, Reach: codememory.ReachBoth, Filter: codememory.Filter{States: states}, PageRequest: codememory.PageRequest{Limit: pageSize},
			})
			for _, m := range page.Memories {
				found = append(found, candidate(codememory.ShownID(m.ID), m.Text))
			}
			return err
		})
		return found, err
	}
}

func projectCandidates(ctx context.Context, p *program) (found []string, err error) {
	err = p.asking(ctx, func(svc codememory.Service, _ string) error {
		projects, err := svc.Projects(ctx)
		for _, project := range projects {
			about := p.tilde(project.Root)
			if project.ID == codememory.UserProject {
				about = "what holds in every project"
			}
			found = append(found, candidate(project.Name, about))
		}
		return err
	})
	return found, err
}

func sessionCandidates(ctx context.Context, p *program) (found []string, err error) {
	err = p.askingAgents(ctx, func(a codememory.AgentService, ref string) error {
		sessions, err := a.Sessions(ctx, codememory.SessionsRequest{Project: ref, Limit: mostCompletions})
		for _, s := range sessions {
			found = append(found, candidate(s.ID, s.Agent+": "+s.Goal))
		}
		return err
	})
	return found, err
}

func dayCandidates(ctx context.Context, p *program) (found []string, err error) {
	err = p.askingAgents(ctx, func(a codememory.AgentService, ref string) error {
		j, err := a.Journal(ctx, ref, "")
		found = j.Days
		return err
	})
	return found, err
}

func entityCandidates(ctx context.Context, p *program) (found []string, err error) {
	err = p.asking(ctx, func(svc codememory.Service, ref string) error {
		l, ok := svc.(codememory.LifecycleService)
		if !ok {
			return nil
		}
		graph, err := l.Entities(ctx, codememory.EntitiesRequest{Project: ref, Limit: mostCompletions})
		for _, e := range graph.Entities {
			found = append(found, candidate(e.Name, string(e.Type)))
		}
		return err
	})
	return found, err
}

func agentCandidates(context.Context, *program) ([]string, error) {
	var found []string
	for _, a := range install.Agents() {
		found = append(found, candidate(a.Name, a.Label))
	}
	return found, nil
}
