package tool

import (
	"context"
	"fmt"
	"strings"

	"codememory"
)

// Counter is what an agent's records offer beyond codememory.Transcripts when
// they can be counted without reading them.
type Counter interface {
	// Counts returns how many projects, messages and todos there are.
	Counts(ctx context.Context) (projects, messages, todos int, err error)
}

// summary counts what the agents' records hold.
func (r *Router) summary(ctx context.Context, c call) (string, error) {
	all, err := r.sessions(ctx, codememory.SessionQuery{Children: true})
	if err != nil {
		return "", err
	}
	var main, messages, projects, todos int
	perAgent := map[string]int{}
	dirs := map[string]map[string]bool{}
	for _, s := range all.sessions {
		if s.Parent == "" {
			main++
		}
		perAgent[s.Agent]++
		if dirs[s.Agent] == nil {
			dirs[s.Agent] = map[string]bool{}
		}
		dirs[s.Agent][s.Dir] = true
	}
	countsTodos := false
	for _, source := range r.opts.Agents {
		name := source.Agent()
		if counter, ok := source.(Counter); ok && perAgent[name] > 0 {
			if p, m, t, err := counter.Counts(ctx); err == nil {
				projects, messages, todos, countsTodos = projects+p, messages+m, todos+t, true
				continue
			}
		}
		projects += len(dirs[name])
		for _, s := range all.sessions {
			if s.Agent == name {
				messages += s.Messages
			}
		}
	}
	title := "Memory Summary"
	if all.agents == 1 && perAgent["opencode"] > 0 {
		title = "OpenCode Memory Summary"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n- **projects**: %d\n- **sessions (main)**: %d\n- **sessions (total)**: %d\n- **messages**: %d", title, projects, main, len(all.sessions), messages)
	if countsTodos {
		fmt.Fprintf(&b, "\n- **todos**: %d", todos)
	}
	if all.agents > 1 {
		for _, source := range r.opts.Agents {
			if n := perAgent[source.Agent()]; n > 0 {
				fmt.Fprintf(&b, "\n- **%s**: %d %s", source.Agent(), n, plural(n, "session", "sessions"))
			}
		}
	}
	for _, reach := range []codememory.Reach{codememory.ReachProject, codememory.ReachUser} {
		if reach == codememory.ReachProject && c.Project == "" {
			continue
		}
		page, err := r.opts.Memories.List(ctx, codememory.ListRequest{Project: c.Project, Reach: reach, PageRequest: codememory.PageRequest{Limit: 1}})
		if err == nil && page.Total > 0 {
			fmt.Fprintf(&b, "\n- **memories (%s)**: %d", reach, page.Total)
		}
	}
	return b.String() + all.notes(), nil
}

// recentSessions lists main sessions, last active first.
func (r *Router) recentSessions(ctx context.Context, c call) (string, error) {
	q := codememory.SessionQuery{Dir: c.args.word("projectPath", "dir"), Limit: c.args.number(10, 100, "limit")}
	l, err := r.sessions(ctx, q)
	if err != nil {
		return "", err
	}
	if len(l.sessions) == 0 {
		return "No sessions found." + l.notes(), nil
	}
	return "# Recent Sessions\n\n" + r.table(l) + "\n\nUse memory({tool: \"messages\", args: {sessionId: \"...\"}}) to read the full conversation." + l.notes(), nil
}

// children lists the subagents of a session.
func (r *Router) children(ctx context.Context, c call) (string, error) {
	parent, err := r.asked(ctx, c, `memory({tool: "children", args: {sessionId: "ses_..."}})`)
	if err != nil {
		return "", err
	}
	ss, err := parent.source.Sessions(ctx, codememory.SessionQuery{Parent: parent.session.ID})
	if err != nil {
		return "", err
	}
	if len(ss) == 0 {
		return "No sub-agent sessions found.", nil
	}
	return fmt.Sprintf("# Sub-agent Sessions (%d)\n\n%s\n\nUse memory({tool: \"messages\", args: {sessionId: \"...\"}}) to read a sub-agent's conversation.",
		len(ss), r.table(listing{sessions: ss, agents: 1})), nil
}

// table renders sessions; the agent is named only where there are several.
func (r *Router) table(l listing) string {
	head, rule := "| ID | Title | Updated | Messages |", "|----|-------|---------|----------|"
	if l.agents > 1 {
		head, rule = head+" Agent |", rule+"-------|"
	}
	rows := []string{head, rule}
	for _, s := range l.sessions {
		row := fmt.Sprintf("| %s | %s | %s | %d |", cell(s.ID, 100), cell(r.opts.Redact(s.Title), 40), r.clock(s.ActiveAt), s.Messages)
		if l.agents > 1 {
			row += " " + cell(s.Agent, 40) + " |"
		}
		rows = append(rows, row)
	}
	return strings.Join(rows, "\n")
}
