package mcpserver

import (
	"context"

	"codememory"
)

// services are connected with the first call that needs them.
type services struct {
	connect func(ctx context.Context) (codememory.Service, codememory.AgentService, error)
	turn    chan struct{} // held by who looks or connects
	memory  codememory.Service
	agents  codememory.AgentService
}

func newServices(o Options) services {
	connect := o.Connect
	if o.Service != nil && o.Agents != nil {
		connect = func(context.Context) (codememory.Service, codememory.AgentService, error) {
			return o.Service, o.Agents, nil
		}
	}
	return services{connect: connect, turn: make(chan struct{}, 1)}
}

// get returns the services. Those who ask while another connects wait for that.
func (s *services) get(ctx context.Context) (codememory.Service, codememory.AgentService, error) {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
	if s.memory == nil {
		memory, agents, err := s.connect(ctx)
		if err != nil {
			return nil, nil, err
		}
		s.memory, s.agents = memory, agents
	}
	return s.memory, s.agents, nil
}
