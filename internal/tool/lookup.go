package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"codememory"
	"codememory/internal/history"
	"codememory/internal/journal"
	"codememory/internal/text"
)

// The limits that keep a search of the history quick whatever the transcripts hold.
const (
	snippetChars   = 500
	readSessions   = 24              // most sessions read to show what the index found
	scanSessions   = 200             // most sessions read where the index cannot help
	scanTime       = 4 * time.Second // most time for that
	searchedOutput = 1000            // bytes of a tool's output that are looked at
)

// spot is a place in a conversation that answers a question.
type spot struct {
	session codememory.AgentSession
	message message
	role    string
	text    string  // what was found
	exact   bool    // it holds the words as they were typed
	score   float64 // how well it fits otherwise
}

// lookup finds places in the conversations of all agents, subagents included.
// Those that hold the question literally come first, newest first; then those
// that hold its words. Where the query is about a project, dir is its folder.
func (r *Router) lookup(ctx context.Context, q history.Query, dir string) ([]spot, error) {
	limit := q.Limit
	q.Limit = 3 * limit
	var spots []spot
	var err error
	if r.opts.History == nil || !hasWords(q.Text) {
		spots, err = r.scan(ctx, q, dir)
	} else {
		spots, err = r.indexed(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(spots, func(a, b spot) int {
		if a.exact != b.exact {
			if a.exact {
				return -1
			}
			return 1
		}
		if !a.exact {
			if c := cmp.Compare(b.score, a.score); c != 0 {
				return c
			}
		}
		return b.message.at.Compare(a.message.at)
	})
	return spots[:min(len(spots), limit)], nil
}

// hasWords reports whether an index of words can find anything of the question.
func hasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// indexed reads what the index found from the agents' own records.
func (r *Router) indexed(ctx context.Context, q history.Query) ([]spot, error) {
	hits, err := r.opts.History.Search(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("search the history: %w", err)
	}
	type read struct {
		found
		turns []codememory.Turn
	}
	sessions := map[string]*read{}
	var spots []spot
	for _, h := range hits {
		key := h.Agent + "\x00" + h.Session
		s, seen := sessions[key]
		if !seen {
			if len(sessions) == readSessions {
				continue
			}
			// A session that its agent has deleted meanwhile is no answer any more.
			if f, err := r.session(ctx, h.Agent, h.Session); err == nil {
				if turns, err := f.turns(ctx, searchedOutput); err == nil {
					s = &read{f, turns}
				}
			}
			sessions[key] = s
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if s == nil {
			continue
		}
		if i := slices.IndexFunc(s.turns, func(t codememory.Turn) bool { return t.ID == h.Turn }); i >= 0 {
			spots = append(spots, spotsIn(s.session, s.turns[i], q.Text, h.Score)...)
		}
	}
	return spots, nil
}

// scan looks through the newest transcripts themselves.
func (r *Router) scan(ctx context.Context, q history.Query, dir string) ([]spot, error) {
	ctx, cancel := context.WithTimeout(ctx, scanTime)
	defer cancel()
	l, err := r.sessions(ctx, codememory.SessionQuery{Dir: dir, Children: true, Limit: scanSessions, Since: q.Since})
	if err != nil {
		return nil, err
	}
	var spots []spot
	for _, s := range l.sessions {
		if q.Agent != "" && q.Agent != s.Agent {
			continue
		}
		f, err := r.session(ctx, s.Agent, s.ID)
		if err != nil {
			continue
		}
		turns, err := f.turns(ctx, searchedOutput)
		if err != nil {
			continue
		}
		for _, t := range turns {
			if t.StartedAt.Before(q.Since) || !q.Until.IsZero() && !t.StartedAt.Before(q.Until) {
				continue
			}
			spots = append(spots, spotsIn(s, t, q.Text, 0)...)
		}
		if len(spots) >= q.Limit {
			break
		}
	}
	// What was found in time is an answer.
	return slices.DeleteFunc(spots, func(s spot) bool { return !s.exact && s.score == 0 }), nil
}

// spotsIn returns the messages of a turn that hold the question literally, or
// else the one that holds most of its words.
func spotsIn(s codememory.AgentSession, t codememory.Turn, question string, score float64) []spot {
	wanted := strings.ToLower(strings.TrimSpace(question))
	terms := text.AnalyzeQuery(question)
	var exact []spot
	var best spot
	most := 0.0
	consider := func(m message, role, content string) {
		if content == "" {
			return
		}
		sp := spot{session: s, message: m, role: role, text: content, score: score}
		if strings.Contains(strings.ToLower(content), wanted) {
			sp.exact = true
			exact = append(exact, sp)
			return
		}
		if share := coverage(terms, content); share > most {
			best, most = sp, share
		}
	}
	for _, m := range messagesOf([]codememory.Turn{t}) {
		consider(m, m.role, m.text)
		for _, call := range m.tools {
			consider(m, "tool", journal.ToolLine(call, m.dir)+"\n"+call.Output)
		}
	}
	if len(exact) > 0 {
		return exact
	}
	if most == 0 {
		return nil
	}
	if best.score == 0 && most >= 0.6 {
		best.score = most
	}
	return []spot{best}
}

// coverage is the share of a question's terms that a text holds.
func coverage(terms []codememory.Term, content string) float64 {
	stems := map[string]bool{}
	for _, d := range text.AnalyzeDocument(content).Terms {
		stems[text.Stem(d.Text)] = true
	}
	var all, held float64
	for _, t := range terms {
		all += t.Weight
		if stems[t.Stem] {
			held += t.Weight
		}
	}
	if all == 0 {
		return 0
	}
	return held / all
}

// historySearch answers the operation search.
func (r *Router) historySearch(ctx context.Context, c call) (string, error) {
	query := c.args.word("query", "q")
	if query == "" {
		return "", missing("query", `memory({tool: "search", args: {query: "refresh token"}})`)
	}
	q := history.Query{Text: query, Agent: c.args.word("agent"), Limit: c.args.number(10, 50, "limit")}
	switch c.args.word("scope") {
	case "memories", "project", "user", "both":
		if c.args.word("scope") == "memories" {
			c.args = c.args.with(args{"scope": "both"})
		}
		return textOf((*Router).search)(r, ctx, c)
	}
	path := c.args.word("projectPath")
	if path != "" {
		p, err := r.opts.Memories.Project(ctx, path)
		if err != nil {
			return "", err
		}
		q.Project = p.ID
	}
	spots, err := r.lookup(ctx, q, path)
	if err != nil {
		return "", err
	}
	if len(spots) == 0 {
		return fmt.Sprintf("No results found for %q. memory({tool: \"recall\", args: {query: \"...\"}}) searches the memories too.", inline(query, 200)), nil
	}
	blocks := []string{fmt.Sprintf("# Search: \"%s\"", inline(query, 200))}
	several := r.severalAgents(spots)
	for _, s := range spots {
		block := fmt.Sprintf("### %s (%s)\n- Session: `%s`", r.title(s.session), r.clock(s.message.at), s.session.ID)
		if several {
			block += "\n- Agent: " + s.session.Agent
		}
		if s.session.Parent != "" {
			block += fmt.Sprintf("\n- Sub-agent of: `%s`", s.session.Parent)
		}
		blocks = append(blocks, fmt.Sprintf("%s\n- Role: %s\n- Snippet: %s...", block, s.role, r.snippet(s.text, query, snippetChars)))
	}
	blocks = append(blocks, "Use memory({tool: \"messages\", args: {sessionId: \"...\"}}) to read the full conversation.")
	return strings.Join(blocks, "\n\n"), nil
}

func (r *Router) severalAgents(spots []spot) bool {
	return slices.ContainsFunc(spots, func(s spot) bool { return s.session.Agent != spots[0].session.Agent })
}

func (r *Router) title(s codememory.AgentSession) string {
	if s.Title == "" {
		return s.ID
	}
	return inline(r.opts.Redact(s.Title), 120)
}

// snippet cuts a text to what is around the first match.
func (r *Router) snippet(content, query string, most int) string {
	content = strings.TrimSpace(r.opts.Redact(content)) // first: a secret is only recognised whole
	if chars(content) <= most {
		return harmless(content)
	}
	at := strings.Index(strings.ToLower(content), strings.ToLower(query))
	for _, term := range text.AnalyzeQuery(query) {
		if at >= 0 {
			break
		}
		if term.Weight >= 1 {
			at = strings.Index(strings.ToLower(content), term.Text)
		}
	}
	before := chars(content[:max(0, min(at, len(content)))])
	from := max(0, min(before-most/4, chars(content)-most))
	out := harmless(first(content[len(first(content, from)):], most))
	if from > 0 {
		out = "..." + out
	}
	return out
}
