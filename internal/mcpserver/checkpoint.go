package mcpserver

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"codememory"
	"codememory/internal/render"
)

//go:embed checkpoint.md
var checkpointDescription string

func (s *server) checkpointTool() tool {
	return tool{
		name: "memory_checkpoint", title: "Save a checkpoint", description: checkpointDescription, key: true, answer: s.checkpoint,
		schema: s.object(nil,
			property{"goal", text("what this session is for, in one sentence")},
			property{"work_completed", texts("finished since the last checkpoint")},
			property{"work_pending", texts("all that is open; replaces the earlier list")},
			property{"decisions", texts("decisions with their reason")},
			property{"status", text("closed when the work is done", "open", "closed")},
			property{"session_id", text("only when the server cannot know it")},
		),
	}
}

// checkpointFields are those that a checkpoint can have. The schema of
// memory_checkpoint shows only what most sessions need.
var checkpointFields = []string{
	"session_id", "conversation_id", "tool", "slug", "goal", "work_completed", "work_pending", "work_summary", "decisions", "plan_files", "references", "status", "trigger",
}

// checkpointData puts the arguments into the form of a checkpoint. Their types
// are left as they are, so that the service can tell which is wrong. What the
// client tells of itself is believed before what the model says, since models
// guess.
func (c call) checkpointData() (json.RawMessage, error) {
	fields := map[string]any{}
	for _, name := range checkpointFields {
		if v := c.args.value(name); v != nil {
			fields[name] = v
		}
	}
	known := map[string]string{"session_id": c.session}
	if slices.ContainsFunc(knownAgents(), func(a agent) bool { return a.name == c.agent }) {
		known["tool"] = c.agent
	}
	for name, value := range known {
		if _, isText := fields[name].(string); value != "" && (isText || fields[name] == nil) {
			fields[name] = value
		}
	}
	return json.Marshal(fields)
}

func (s *server) save(ctx context.Context, c call) (codememory.SessionEntry, error) {
	var none codememory.SessionEntry
	_, agents, err := s.services.get(ctx)
	if err != nil {
		return none, err
	}
	data, err := c.checkpointData()
	if err != nil {
		return none, err
	}
	return agents.Checkpoint(ctx, codememory.CheckpointRequest{Project: c.project, Agent: c.agent, Session: c.session, Data: data})
}

func (s *server) checkpoint(ctx context.Context, c call) (string, error) {
	saved, err := s.save(ctx, c)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Checkpoint of session %s saved (%s): %s", render.Line(saved.ID, 100), render.Line(saved.Status, 40), render.Line(saved.Path, 400)), nil
}
