package httpapi

import (
	"context"

	"codememory"
	"codememory/internal/httpapi/wire"
)

func listAgents(ctx context.Context, c call[none, none]) (wire.AgentsAnswer, error) {
	agents, err := c.Agents.Agents(ctx)
	return wire.AgentsAnswer{Agents: listed(agents)}, err
}

func poke(ctx context.Context, c call[none, codememory.Poke]) (wire.Empty, error) {
	c.Body.Agent = c.ID
	return wire.Empty{}, c.Agents.Poke(ctx, c.Body)
}

func beforeTool(ctx context.Context, c call[none, codememory.ToolUse]) (codememory.Advice, error) {
	return c.Agents.BeforeTool(ctx, c.Body)
}

func addNote(ctx context.Context, c call[none, codememory.Note]) (wire.Empty, error) {
	return wire.Empty{}, c.Agents.Note(ctx, c.Body)
}

func compaction(ctx context.Context, c call[none, codememory.CompactionRequest]) (codememory.CompactionAnswer, error) {
	return c.Agents.Compaction(ctx, c.Body)
}

func callTool(ctx context.Context, c call[none, codememory.ToolRequest]) (wire.ToolAnswer, error) {
	text, err := c.Agents.Tool(ctx, c.Body)
	return wire.ToolAnswer{Text: text}, err
}

func backfill(ctx context.Context, c call[none, codememory.BackfillRequest]) (codememory.BackfillReport, error) {
	return c.Agents.Backfill(ctx, c.Body)
}

func readJournal(ctx context.Context, c call[wire.JournalQuery, none]) (codememory.JournalDay, error) {
	day, err := c.Agents.Journal(ctx, c.Query.Project, c.Query.Day)
	day.Days = listed(day.Days)
	return day, err
}

func listSessions(ctx context.Context, c call[none, codememory.SessionsRequest]) (wire.SessionsAnswer, error) {
	sessions, err := c.Agents.Sessions(ctx, c.Body)
	return wire.SessionsAnswer{Sessions: listed(sessions)}, err
}

func sessionText(ctx context.Context, c call[none, codememory.SessionTextRequest]) (wire.ToolAnswer, error) {
	text, err := c.Agents.SessionText(ctx, c.Body)
	return wire.ToolAnswer{Text: text}, err
}

func checkpoint(ctx context.Context, c call[none, codememory.CheckpointRequest]) (codememory.SessionEntry, error) {
	return c.Agents.Checkpoint(ctx, c.Body)
}
