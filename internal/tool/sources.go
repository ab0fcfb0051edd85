package tool

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
)

// agents returns the sources, that of the named agent first.
func (r *Router) agents(preferred string) []codememory.Transcripts {
	out := slices.Clone(r.opts.Agents)
	slices.SortStableFunc(out, func(a, b codememory.Transcripts) int {
		return cmp.Compare(rank(a, preferred), rank(b, preferred))
	})
	return out
}

func rank(t codememory.Transcripts, preferred string) int {
	if t.Agent() == preferred {
		return 0
	}
	return 1
}

// found is a session and whose it is.
type found struct {
	source  codememory.Transcripts
	session codememory.AgentSession
}

// session finds a session of any agent.
func (r *Router) session(ctx context.Context, agent, id string) (found, error) {
	var unreadable error
	for _, source := range r.agents(agent) {
		s, err := source.Session(ctx, id)
		if err == nil {
			return found{source, s}, nil
		}
		if codememory.CodeOf(err) != codememory.NotFound {
			unreadable = err
		}
	}
	if unreadable != nil {
		return found{}, unreadable
	}
	return found{}, codememory.Errorf(codememory.NotFound, "no agent has a session %s. memory({tool: \"sessions\"}) lists the recent ones.", inline(id, 80))
}

// asked returns the session that a call names, or the one it comes from.
func (r *Router) asked(ctx context.Context, c call, example string) (found, error) {
	id := c.args.word("sessionId", "session")
	if id == "" {
		id = c.Session
	}
	if id == "" {
		return found{}, missing("sessionId", example)
	}
	agent := c.args.word("agent")
	if agent == "" {
		agent = c.Agent
	}
	return r.session(ctx, agent, id)
}

// turns reads a session with the output of its tools cut to this many bytes.
func (f found) turns(ctx context.Context, maxOutput int) ([]codememory.Turn, error) {
	return f.source.Turns(ctx, f.session.ID, maxOutput)
}

// listing is the sessions of all agents.
type listing struct {
	sessions []codememory.AgentSession
	agents   int      // how many have sessions at all
	problems []string // of agents that could not be read
}

// sessions lists the sessions of all agents, last active first. An agent whose
// records are missing has none; one whose records cannot be read is named.
func (r *Router) sessions(ctx context.Context, q codememory.SessionQuery) (listing, error) {
	var l listing
	for _, source := range r.opts.Agents {
		ss, err := source.Sessions(ctx, q)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return l, ctx.Err()
		case codememory.CodeOf(err) == codememory.NotFound:
			continue
		default:
			l.problems = append(l.problems, fmt.Sprintf("%s: %s", source.Agent(), inline(err.Error(), 200)))
			continue
		}
		l.sessions = append(l.sessions, ss...)
		if len(ss) > 0 || r.hasAny(ctx, source) {
			l.agents++
		}
	}
	slices.SortStableFunc(l.sessions, func(a, b codememory.AgentSession) int { return b.ActiveAt.Compare(a.ActiveAt) })
	if q.Limit > 0 && len(l.sessions) > q.Limit {
		l.sessions = l.sessions[:q.Limit]
	}
	return l, nil
}

func (r *Router) hasAny(ctx context.Context, source codememory.Transcripts) bool {
	ss, err := source.Sessions(ctx, codememory.SessionQuery{Limit: 1})
	return err == nil && len(ss) > 0
}

// notes renders the problems of a listing.
func (l listing) notes() string {
	var b strings.Builder
	for _, p := range l.problems {
		b.WriteString("\n\nNote: " + p)
	}
	return b.String()
}

// clock renders a time as people here read it.
func (r *Router) clock(t time.Time) string {
	if t.IsZero() {
		return "unknown time"
	}
	return t.In(r.opts.Location).Format(time.DateTime)
}

// shown makes text of a transcript fit to be shown.
func (r *Router) shown(s string) string { return harmless(r.opts.Redact(s)) }
