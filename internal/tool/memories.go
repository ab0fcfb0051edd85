package tool

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"codememory"
)

// The operations on memories. Each returns an answer that can be rendered as
// JSON, in the shapes that clients of older systems know, and as text.

type addAnswer struct {
	Success  bool             `json:"success"`
	Message  string           `json:"message"`
	ID       string           `json:"id"`
	Scope    codememory.Scope `json:"scope"`
	Type     codememory.Type  `json:"type"`
	Redacted []string         `json:"redacted,omitempty"`
}

func (a *addAnswer) text(*Router) string {
	return fmt.Sprintf("%s (%s, %s)", a.Message, codememory.ShownID(a.ID), a.Type)
}

// add stores the text as it is given.
func (r *Router) add(ctx context.Context, c call) (answer, error) {
	content := c.args.text("content", "text", "memory")
	if content == "" {
		return nil, missing("content", `memory({mode: "add", content: "...", type: "preference", scope: "user"})`)
	}
	scope, err := c.scope(codememory.ScopeProject)
	if err != nil {
		return nil, err
	}
	req := codememory.AddRequest{
		Project: c.Project, Scope: scope, Text: content,
		Type: codememory.Type(c.args.word("type")), Category: codememory.Category(c.args.word("category")),
		Source: codememory.Source{Agent: c.Agent, Session: c.Session, Turns: r.currentTurn(ctx, c), Author: codememory.AuthorAgent},
	}
	if old := c.args.word("supersedes"); old != "" {
		req.Supersedes = []codememory.Supersession{{ID: old, Reason: c.args.word("reason")}}
	}
	res, err := r.opts.Memories.Add(ctx, req)
	if err != nil {
		return nil, err
	}
	if res.Event == codememory.Added && res.Memory.State() == codememory.Quarantined {
		return &addAnswer{
			Success: true, ID: res.Memory.ID, Scope: res.Memory.Scope, Type: res.Memory.Type, Redacted: res.Redacted,
			Message: "Kept for the user's review and not used until then: " + res.Memory.Quarantine,
		}, nil
	}
	if res.Memory.ID == "" || res.Memory.State() != codememory.Active {
		return nil, codememory.Errorf(codememory.Conflict, "not stored: %s", reasonOr(res.Reason, "it was forgotten before"))
	}
	a := &addAnswer{Success: true, ID: res.Memory.ID, Scope: res.Memory.Scope, Type: res.Memory.Type, Redacted: res.Redacted}
	switch res.Event {
	case codememory.Added:
		a.Message = fmt.Sprintf("Memory added to %s scope", a.Scope)
	case codememory.Updated:
		a.Message = fmt.Sprintf("A memory in %s scope was brought up to date: %s", a.Scope, reasonOr(res.Reason, "it said the same in other words"))
	case codememory.Unchanged:
		a.Message = fmt.Sprintf("Nothing added to %s scope: %s", a.Scope, reasonOr(res.Reason, "it is known already"))
	}
	if len(a.Redacted) > 0 {
		a.Message += "; secrets were taken out first"
	}
	return a, nil
}

func reasonOr(reason, otherwise string) string {
	if reason == "" {
		return otherwise
	}
	return reason
}

// currentTurn is the turn in which the model says this, so that the memory can
// lead back to it. It is worth a moment, not more.
func (r *Router) currentTurn(ctx context.Context, c call) []string {
	if c.Session == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	f, err := r.session(ctx, c.Agent, c.Session)
	if err != nil {
		return nil
	}
	turns, err := f.turns(ctx, 1)
	if err != nil || len(turns) == 0 {
		return nil
	}
	return []string{turns[len(turns)-1].ID}
}

// scope reads the argument of this name.
func (c call) scope(otherwise codememory.Scope) (codememory.Scope, error) {
	switch s := codememory.Scope(strings.ToLower(c.args.word("scope"))); s {
	case codememory.ScopeProject, codememory.ScopeUser:
		return s, nil
	case "":
		if c.Project == "" {
			return codememory.ScopeUser, nil
		}
		return otherwise, nil
	default:
		return "", codememory.Errorf(codememory.Invalid, "unknown scope %q: use project or user", inline(string(s), 40))
	}
}

type foundMemory struct {
	ID         string           `json:"id"`
	Content    string           `json:"content"`
	Similarity int              `json:"similarity"`
	Scope      codememory.Scope `json:"scope,omitempty"`
	kind       codememory.Type
	updated    time.Time
}

type searchAnswer struct {
	Success  bool          `json:"success"`
	Query    string        `json:"query"`
	Scope    string        `json:"scope,omitempty"`
	Count    int           `json:"count"`
	Results  []foundMemory `json:"results"`
	Degraded bool          `json:"degraded,omitempty"`
	Reasons  []string      `json:"reasons,omitempty"`
	Note     string        `json:"note,omitempty"`
}

func (a *searchAnswer) shrink(share float64) bool {
	n := len(a.Results)
	a.Results = shrunk(a.Results, share)
	a.Count, a.Note = len(a.Results), leftOut(n, len(a.Results), a.Note)
	return len(a.Results) < n
}

func (a *searchAnswer) text(r *Router) string {
	if len(a.Results) == 0 {
		return "No memories found." + because(a.Reasons)
	}
	lines := []string{"# Memories"}
	for _, m := range a.Results {
		lines = append(lines, r.memoryLine(m))
	}
	return strings.Join(lines, "\n") + because(a.Reasons)
}

func because(reasons []string) string {
	if len(reasons) == 0 {
		return ""
	}
	return "\n\nNote: " + strings.Join(reasons, "; ")
}

func (r *Router) memoryLine(m foundMemory) string {
	return fmt.Sprintf("- `%s` [%d%%, %s, %s, %s] %s", codememory.ShownID(m.ID), m.Similarity, m.kind, m.Scope, m.updated.In(r.opts.Location).Format(time.DateOnly), inline(m.Content, 400))
}

// search finds memories; without a scope both the project's and the user's.
func (r *Router) search(ctx context.Context, c call) (answer, error) {
	query := c.args.word("query", "q")
	if query == "" {
		return nil, missing("query", `memory({mode: "search", query: "..."})`)
	}
	reach := codememory.ReachBoth
	given := strings.ToLower(c.args.word("scope"))
	switch given {
	case "", "both":
		given = ""
	case "all", "global":
		reach = codememory.ReachAll
	default:
		scope, err := c.scope(codememory.ScopeProject)
		if err != nil {
			return nil, err
		}
		reach = codememory.Reach(scope)
	}
	res, err := r.opts.Memories.Search(ctx, codememory.SearchRequest{Text: query, Project: c.Project, Reach: reach, Limit: c.args.number(10, 100, "limit")})
	if err != nil {
		return nil, err
	}
	a := &searchAnswer{Success: true, Query: query, Scope: given, Results: []foundMemory{}, Degraded: res.Degraded, Reasons: res.Reasons}
	for _, h := range res.Hits {
		m := foundMemory{
			ID: h.Memory.ID, Content: r.content(h.Memory.Text), Similarity: int(math.Round(h.Score * 100)),
			kind: h.Memory.Type, updated: h.Memory.UpdatedAt, Scope: h.Memory.Scope,
		}
		a.Results = append(a.Results, m)
	}
	a.Count = len(a.Results)
	return a, nil
}

// contentChars is how much of a memory a list shows; get shows all.
const contentChars = 2000

func (r *Router) content(s string) string {
	s = harmless(s)
	if chars(s) > contentChars {
		return first(s, contentChars) + "… (cut: get shows all)"
	}
	return s
}

type listedMemory struct {
	ID        string         `json:"id"`
	Content   string         `json:"content"`
	CreatedAt time.Time      `json:"createdAt"`
	Metadata  map[string]any `json:"metadata"`
}

type listAnswer struct {
	Success  bool             `json:"success"`
	Scope    codememory.Scope `json:"scope"`
	Count    int              `json:"count"`
	Memories []listedMemory   `json:"memories"`
	Note     string           `json:"note,omitempty"`
}

func (a *listAnswer) shrink(share float64) bool {
	n := len(a.Memories)
	a.Memories = shrunk(a.Memories, share)
	a.Count, a.Note = len(a.Memories), leftOut(n, len(a.Memories), a.Note)
	return len(a.Memories) < n
}

func (a *listAnswer) text(r *Router) string { return r.listText(a.Memories, a.Note) }

func (r *Router) listText(ms []listedMemory, note string) string {
	if len(ms) == 0 {
		return "No memories yet."
	}
	lines := []string{"# Memories"}
	for _, m := range ms {
		lines = append(lines, fmt.Sprintf("- `%s` [%s, %s] %s", codememory.ShownID(m.ID), m.Metadata["type"], m.CreatedAt.Format(time.DateOnly), inline(m.Content, 400)))
	}
	if note != "" {
		lines = append(lines, "", note)
	}
	return strings.Join(lines, "\n")
}

// list returns the memories of one scope, last updated first.
func (r *Router) list(ctx context.Context, c call) (answer, error) {
	scope, err := c.scope(codememory.ScopeProject)
	if err != nil {
		return nil, err
	}
	a := &listAnswer{Success: true, Scope: scope}
	a.Memories, a.Note, err = r.listed(ctx, c, scope)
	a.Count = len(a.Memories)
	return a, err
}

func (r *Router) listed(ctx context.Context, c call, scope codememory.Scope) ([]listedMemory, string, error) {
	req := codememory.ListRequest{Project: c.Project, Reach: codememory.Reach(scope), PageRequest: codememory.PageRequest{Limit: c.args.number(20, 100, "limit")}}
	if t := codememory.Type(c.args.word("type")); t != "" {
		if !t.Valid() {
			return nil, "", codememory.Errorf(codememory.Invalid, "unknown type %q. memory({mode: \"help\"}) lists the types.", inline(string(t), 40))
		}
		req.Filter.Types = []codememory.Type{t}
	}
	page, err := r.opts.Memories.List(ctx, req)
	if err != nil {
		return nil, "", err
	}
	out := []listedMemory{}
	for _, m := range page.Memories {
		out = append(out, listedMemory{m.ID, r.content(m.Text), m.CreatedAt.In(r.opts.Location), metadata(m)})
	}
	note := ""
	if page.Total > len(out) {
		note = fmt.Sprintf("%d of %d memories are shown: raise limit, or search", len(out), page.Total)
	}
	return out, note, nil
}

// metadata is what older clients find beside the text.
func metadata(m codememory.Memory) map[string]any {
	out := map[string]any{}
	for k, v := range m.Metadata {
		out[k] = v
	}
	out["type"] = m.Type
	if m.Category != "" {
		out["category"] = m.Category
	}
	if m.Pinned {
		out["pinned"] = true
	}
	return out
}

type profileAnswer struct {
	Success bool    `json:"success"`
	Profile profile `json:"profile"`
}

type profile struct {
	Memories []listedMemory `json:"memories"`
	Note     string         `json:"note,omitempty"`
}

func (a *profileAnswer) shrink(share float64) bool {
	n := len(a.Profile.Memories)
	a.Profile.Memories = shrunk(a.Profile.Memories, share)
	a.Profile.Note = leftOut(n, len(a.Profile.Memories), a.Profile.Note)
	return len(a.Profile.Memories) < n
}

func (a *profileAnswer) text(r *Router) string { return r.listText(a.Profile.Memories, a.Profile.Note) }

// profile returns what is known of the user.
func (r *Router) profile(ctx context.Context, c call) (answer, error) {
	ms, note, err := r.listed(ctx, c, codememory.ScopeUser)
	return &profileAnswer{Success: true, Profile: profile{ms, note}}, err
}
