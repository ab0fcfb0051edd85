package service

import (
	"context"
	"path/filepath"

	"codememory"
	"codememory/internal/memfile"
	"codememory/internal/tool"
)

// newRouter puts the tools on top of the memories and the agents' histories.
func (s *Service) newRouter() *tool.Router {
	return tool.New(tool.Options{
		Memories: s, Agents: s.agents.sources, History: &s.agents.turns, Redact: s.redactor.String, Now: s.opts.Now,
		Location: s.opts.Config.Config.Location(), Data: s.opts.AgentData,
		Store: func(ctx context.Context, ref string) (string, error) {
			p, err := s.find(ctx, ref)
			if err != nil {
				return "", err
			}
			return s.storeDir(p)
		},
		File: s.fileOf,
	})
}

// fileOf returns the file that holds a memory.
func (s *Service) fileOf(m codememory.Memory) string {
	p, err := s.find(context.Background(), m.Project)
	if err != nil {
		return ""
	}
	dir, err := s.storeDir(p)
	if err != nil {
		return ""
	}
	private := p.Shared && m.Type == codememory.Preference
	return filepath.Join(dir, filepath.FromSlash(memfile.PathFor(m.ID, private)))
}

// Tool implements codememory.AgentService.
func (s *Service) Tool(ctx context.Context, r codememory.ToolRequest) (string, error) {
	return s.agents.router.Call(ctx, tool.Request{
		Tool: r.Tool, Args: r.Args, Project: r.Project, Session: s.successors.of(r.Agent, r.Session), Agent: r.Agent, Model: tool.Model(r.Model),
	})
}
