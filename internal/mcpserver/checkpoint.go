package mcpserver

import (
	"context"
	_ "embed"
	"fmt"

	"codememory"
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
			property{"status", text("closed when the work is done", "active", "closed")},
			property{"session_id", text("only when the server cannot know it")},
		),
	}
}

// checkpoint reads a checkpoint, of which the schema of memory_checkpoint shows
// only the arguments that most sessions need.
func (c call) checkpoint() Checkpoint {
	cp := Checkpoint{
		Project: c.project, Session: c.args.text("session_id"), Agent: c.args.text("tool"), Slug: c.args.text("slug"), Goal: c.args.text("goal"),
		Status: c.args.text("status"), WorkCompleted: c.args.list("work_completed"), WorkPending: c.args.list("work_pending"),
		WorkSummary: c.args.list("work_summary"), Decisions: c.args.list("decisions"),
	}
	if cp.Session == "" {
		cp.Session = c.session
	}
	if cp.Agent == "" {
		cp.Agent = c.agent
	}
	for _, p := range c.args.pairs("plan_files", "path", "header") {
		cp.PlanFiles = append(cp.PlanFiles, PlanFile{Path: p[0], Header: p[1]})
	}
	for _, p := range c.args.pairs("references", "url", "title") {
		cp.References = append(cp.References, Reference{URL: p[0], Title: p[1]})
	}
	return cp
}

func (s *server) save(ctx context.Context, c call) (CheckpointSaved, error) {
	cp := c.checkpoint()
	if cp.Session == "" {
		return CheckpointSaved{}, codememory.Errorf(codememory.Invalid, `session_id is required: memory_checkpoint({session_id: "...", goal: "..."})`)
	}
	return s.opts.Checkpoints.Checkpoint(ctx, cp)
}

func (s *server) checkpoint(ctx context.Context, c call) (string, error) {
	saved, err := s.save(ctx, c)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Checkpoint of session %s saved (%s): %s", oneLine(saved.Session, 100), oneLine(saved.Status, 40), saved.File), nil
}
