package service

import (
	"context"

	"codememory"
)

// Tool implements codememory.AgentService.
func (s *Service) Tool(ctx context.Context, r codememory.ToolRequest) (string, error) {
	if s.agents.router == nil {
		return "", codememory.Errorf(codememory.Unavailable, "the tools are not available in this process")
	}
	return s.agents.router(ctx, r)
}
