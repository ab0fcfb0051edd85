package tool

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"codememory"
	"codememory/internal/history"
	"codememory/internal/timerange"
)

// recall searches memories, history and journal together.
func (r *Router) recall(ctx context.Context, c call) (string, error) {
	query := c.args.word("query", "q")
	if query == "" {
		return "", missing("query", `memory({tool: "recall", args: {query: "why did we drop redis"}})`)
	}
	limit := c.args.number(8, 30, "limit")
	c.args = c.args.with(args{"limit": float64(limit)})
	memories, err := r.search(ctx, c)
	if err != nil {
		return "", err
	}
	q, dir := history.Query{Text: query, Limit: max(3, limit/2)}, ""
	if !c.args.yes("global") && c.Project != "" {
		if p, err := r.opts.Memories.Project(ctx, c.Project); err == nil {
			q.Project, dir = p.ID, c.Project
		}
	}
	now := r.opts.Now().In(r.opts.Location)
	span, rest, dated := timerange.Find(query, now)
	if dated {
		q.Text, q.Since, q.Until = rest, span.From, span.To
	}
	blocks := []string{fmt.Sprintf("# Recall: \"%s\"", inline(query, 200))}
	if a := memories.(*searchAnswer); len(a.Results) > 0 {
		lines := []string{"## Memories"}
		for _, m := range a.Results {
			lines = append(lines, r.memoryLine(m))
		}
		blocks = append(blocks, strings.Join(lines, "\n")+because(a.Reasons))
	}
	if dated && !hasWords(rest) {
		block, err := r.sessionsIn(ctx, c, span, limit)
		if err != nil {
			return "", err
		}
		if block != "" {
			blocks = append(blocks, block)
		}
	} else {
		spots, err := r.lookup(ctx, q, dir)
		if err != nil {
			return "", err
		}
		blocks = append(blocks, r.spotsBlock(spots, q.Text)...)
		entries, err := r.searchJournal(ctx, c.Project, q.Text, q.Limit)
		if err != nil {
			return "", err
		}
		blocks = append(blocks, r.journalBlock(entries, spots, span)...)
	}
	if len(blocks) == 1 {
		return fmt.Sprintf("Nothing found for %q.", inline(query, 200)), nil
	}
	return strings.Join(append(blocks, `Deeper: memory({tool: "expand", args: {id: "mem_..."}}) for a whole memory or journal entry, memory({tool: "transcript", args: {session: "...", turn: "..."}}) for a turn.`), "\n\n"), nil
}

func (r *Router) spotsBlock(spots []spot, query string) []string {
	if len(spots) == 0 {
		return nil
	}
	lines := []string{"## History"}
	for _, s := range spots {
		lines = append(lines, fmt.Sprintf("- %s %s, session `%s`, turn `%s` (%s), %s: %s", r.clock(s.message.at), s.session.Agent, s.session.ID, s.message.turn,
			r.title(s.session), s.role, inline(r.snippet(s.text, query, 240), 240)))
	}
	return []string{strings.Join(lines, "\n")}
}

// journalBlock lists entries of turns that are not listed already.
func (r *Router) journalBlock(entries []entry, spots []spot, span timerange.Range) []string {
	seen := map[string]bool{}
	for _, s := range spots {
		seen[s.session.ID+"\x00"+s.message.turn] = true
	}
	lines := []string{"## Journal"}
	for _, e := range entries {
		day := strings.TrimSuffix(filepath.Base(e.file), ".md")
		at, err := time.ParseInLocation(time.DateOnly, day, r.opts.Location)
		outside := err == nil && (!span.To.IsZero() && !at.Before(span.To) || at.AddDate(0, 0, 1).Before(span.From))
		if outside || seen[e.anchor.session+"\x00"+e.anchor.turn] {
			continue
		}
		lines = append(lines, fmt.Sprintf("- %s %s, entry `%s`: %s", day, inline(e.heading, 60), e.hash(), inline(e.said(), 300)))
	}
	if len(lines) == 1 {
		return nil
	}
	return []string{strings.Join(lines, "\n")}
}

// sessionsIn answers "what did we do last week": the sessions of that time.
func (r *Router) sessionsIn(ctx context.Context, c call, span timerange.Range, limit int) (string, error) {
	q := codememory.SessionQuery{Since: span.From}
	if !c.args.yes("global") {
		q.Dir = c.Project
	}
	l, err := r.sessions(ctx, q)
	if err != nil {
		return "", err
	}
	in := listing{agents: l.agents}
	for _, s := range l.sessions {
		if span.To.IsZero() || s.CreatedAt.Before(span.To) {
			in.sessions = append(in.sessions, s)
		}
	}
	if len(in.sessions) == 0 {
		return "", nil
	}
	more := len(in.sessions) - limit
	in.sessions = in.sessions[:min(len(in.sessions), limit)]
	block := "## Sessions\n" + r.table(in)
	if more > 0 {
		block += fmt.Sprintf("\n\n%d more: raise limit.", more)
	}
	return block, nil
}

// expand shows the whole of what a hit named: a memory, an entry of the
// journal, or the turns of a session.
func (r *Router) expand(ctx context.Context, c call) (string, error) {
	id := c.args.word("id", "memoryId", "chunkHash", "hash")
	if id == "" {
		if c.args.word("session", "sessionId") != "" {
			return r.transcript(ctx, c)
		}
		return "", missing("id", `memory({tool: "expand", args: {id: "mem_..."}})`)
	}
	s, ok, err := r.sectionByHash(ctx, c.Project, id)
	if err != nil {
		return "", err
	}
	if ok {
		return r.sectionText(s)
	}
	// Some agents name their sessions and turns by what could be the id of a memory.
	unknown := codememory.Errorf(codememory.NotFound, "%s is neither a memory, nor an entry of the journal, nor a session.", inline(id, 80))
	if _, ok := codememory.NormalizeIDPrefix(id); ok {
		m, err := r.memoryByID(ctx, c, id)
		if err == nil {
			return r.whole(m).text(r), nil
		}
		if codememory.CodeOf(err) != codememory.NotFound {
			return "", err
		}
		unknown = err
	}
	if f, err := r.session(ctx, c.Agent, id); err == nil {
		c.args = c.args.with(args{"session": f.session.ID})
		return r.transcript(ctx, c)
	}
	if s, ok, err = r.sectionByTurn(ctx, c.Project, id); err != nil {
		return "", err
	} else if ok {
		return r.sectionText(s)
	}
	return "", unknown
}
