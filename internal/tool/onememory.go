package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"codememory"
)

type doneAnswer struct {
	Success bool   `json:"success"`
	Message string `json:"message"`
}

func (a *doneAnswer) text(*Router) string { return a.Message }

// about reads which memory a call is about.
func (c call) about(example string, names ...string) (string, error) {
	id := c.args.word(names...)
	if id == "" {
		return "", missing(names[0], example)
	}
	return id, nil
}

// anywhere does something with a memory of the project or of the user, or else
// of any project: ids are short, and what is near is what is meant.
func anywhere[T any](c call, id string, do func(ref codememory.Ref) (T, error)) (T, error) {
	v, err := do(codememory.Ref{Project: c.Project, ID: id})
	if c.Project != "" && codememory.CodeOf(err) == codememory.NotFound {
		return do(codememory.Ref{ID: id})
	}
	return v, err
}

func (r *Router) forget(ctx context.Context, c call) (answer, error) {
	id, err := c.about(`memory({mode: "forget", memoryId: "mem_..."})`, "memoryId", "id")
	if err != nil {
		return nil, err
	}
	m, err := anywhere(c, id, func(ref codememory.Ref) (codememory.Memory, error) {
		return r.opts.Memories.Forget(ctx, ref, c.args.word("reason"))
	})
	if err != nil {
		return nil, err
	}
	return &doneAnswer{true, fmt.Sprintf("Memory %s removed from %s scope; undo brings it back", codememory.ShownID(m.ID), m.Scope)}, nil
}

func (r *Router) undo(ctx context.Context, c call) (answer, error) {
	id, err := c.about(`memory({mode: "undo", memoryId: "mem_..."})`, "memoryId", "id")
	if err != nil {
		return nil, err
	}
	what := ""
	m, err := anywhere(c, id, func(ref codememory.Ref) (m codememory.Memory, err error) {
		m, what, err = r.opts.Memories.Undo(ctx, ref)
		return m, err
	})
	if err != nil {
		return nil, err
	}
	return &doneAnswer{true, fmt.Sprintf("Memory %s: %s", codememory.ShownID(m.ID), what)}, nil
}

// link states how one memory relates to another.
func (r *Router) link(ctx context.Context, c call) (answer, error) {
	const example = `memory({mode: "link", memoryId: "mem_...", to: "mem_...", type: "refines"})`
	id, err := c.about(example, "memoryId", "id", "from")
	if err != nil {
		return nil, err
	}
	kind := codememory.LinkType(c.args.word("type", "linkType"))
	if !kind.Valid() {
		return nil, codememory.Errorf(codememory.Invalid, "unknown link type %q: use corroborates, conflicts, supersedes, refines or contextualizes", inline(string(kind), 40))
	}
	to, err := r.fullID(ctx, c, example, "to", "target")
	if err != nil {
		return nil, err
	}
	m, err := r.edit(ctx, c, id, codememory.Edit{Link: []codememory.Link{{To: to, Type: kind, Reason: c.args.word("reason")}}})
	if err != nil {
		return nil, err
	}
	return &doneAnswer{true, fmt.Sprintf("Memory %s now %s %s", codememory.ShownID(m.ID), kind, codememory.ShownID(to))}, nil
}

// supersede says that one memory makes another obsolete.
func (r *Router) supersede(ctx context.Context, c call) (answer, error) {
	const example = `memory({mode: "supersede", memoryId: "<the newer>", supersedes: "<the older>", reason: "..."})`
	id, err := c.about(example, "memoryId", "id", "by")
	if err != nil {
		return nil, err
	}
	old, err := r.fullID(ctx, c, example, "supersedes", "old")
	if err != nil {
		return nil, err
	}
	m, err := r.edit(ctx, c, id, codememory.Edit{Supersede: []codememory.Supersession{{ID: old, Reason: c.args.word("reason")}}})
	if err != nil {
		return nil, err
	}
	return &doneAnswer{true, fmt.Sprintf("Memory %s supersedes %s, which is hidden now; undo takes that back", codememory.ShownID(m.ID), codememory.ShownID(old))}, nil
}

func (r *Router) fullID(ctx context.Context, c call, example string, names ...string) (string, error) {
	id, err := c.about(example, names...)
	if err != nil {
		return "", err
	}
	m, err := r.memoryByID(ctx, c, id)
	return m.ID, err
}

func (r *Router) edit(ctx context.Context, c call, id string, e codememory.Edit) (codememory.Memory, error) {
	return anywhere(c, id, func(ref codememory.Ref) (codememory.Memory, error) { return r.opts.Memories.Edit(ctx, ref, e) })
}

// memoryByID returns a memory that a model may read: what waits for a person's
// review is kept from it.
func (r *Router) memoryByID(ctx context.Context, c call, id string) (codememory.Memory, error) {
	m, err := anywhere(c, id, func(ref codememory.Ref) (codememory.Memory, error) { return r.opts.Memories.Get(ctx, ref) })
	if err == nil && m.State() == codememory.Quarantined {
		return codememory.Memory{}, codememory.Errorf(codememory.Forbidden, "%s waits for the user's review: codememory review", codememory.ShownID(m.ID))
	}
	return m, err
}

type historyAnswer struct {
	Success bool      `json:"success"`
	ID      string    `json:"id"`
	Count   int       `json:"count"`
	History []wording `json:"history"` // oldest first
	Note    string    `json:"note,omitempty"`
}

type wording struct {
	ID      string    `json:"id"`
	Content string    `json:"content"`
	From    time.Time `json:"from"`
	Until   time.Time `json:"until,omitzero"`
	What    string    `json:"what"`
	Reason  string    `json:"reason,omitempty"`
}

func (a *historyAnswer) shrink(share float64) bool {
	n := len(a.History)
	a.History = a.History[n-len(shrunk(a.History, share)):] // the newest say most
	a.Count, a.Note = len(a.History), leftOut(n, len(a.History), a.Note)
	return len(a.History) < n
}

func (a *historyAnswer) text(r *Router) string {
	lines := []string{"# History of " + codememory.ShownID(a.ID)}
	for _, w := range a.History {
		line := fmt.Sprintf("- %s `%s` %s: %s", r.clock(w.From), codememory.ShownID(w.ID), w.What, inline(w.Content, 600))
		if w.Reason != "" {
			line += " (" + inline(w.Reason, 200) + ")"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func (r *Router) history(ctx context.Context, c call) (answer, error) {
	id, err := c.about(`memory({mode: "history", memoryId: "mem_..."})`, "memoryId", "id")
	if err != nil {
		return nil, err
	}
	chain, err := anywhere(c, id, func(ref codememory.Ref) ([]codememory.HistoryEntry, error) { return r.opts.Memories.History(ctx, ref) })
	if err != nil {
		return nil, err
	}
	a := &historyAnswer{Success: true, ID: inline(id, 40), Count: len(chain), History: []wording{}}
	for _, e := range chain {
		if e.What == string(codememory.Quarantined) {
			e.Text, e.Reason = "(waits for the user's review)", ""
		}
		if known, ok := codememory.NormalizeIDPrefix(id); ok && (strings.HasPrefix(e.ID, known) || strings.HasPrefix(codememory.ShortID(e.ID), known)) {
			a.ID = e.ID
		}
		w := wording{ID: e.ID, Content: r.content(e.Text), From: e.From.In(r.opts.Location), What: e.What, Reason: harmless(e.Reason)}
		if !e.Until.IsZero() {
			w.Until = e.Until.In(r.opts.Location)
		}
		a.History = append(a.History, w)
	}
	return a, nil
}

type getAnswer struct {
	Success bool       `json:"success"`
	Memory  fullMemory `json:"memory"`
	Next    []string   `json:"next,omitempty"` // the calls that show its source
	links   []codememory.Link
	record  codememory.Memory
}

type fullMemory struct {
	listedMemory
	Scope        codememory.Scope          `json:"scope"`
	State        codememory.State          `json:"state"`
	UpdatedAt    time.Time                 `json:"updatedAt"`
	Source       codememory.Source         `json:"source"`
	Links        []codememory.Link         `json:"links,omitempty"`
	Supersedes   []codememory.Supersession `json:"supersedes,omitempty"`
	SupersededBy string                    `json:"supersededBy,omitempty"`
	Entities     []codememory.Entity       `json:"entities,omitempty"`
}

// shrink cuts the text: the rest of a record is small.
func (a *getAnswer) shrink(share float64) bool {
	n := chars(a.Memory.Content)
	if n < 1000 {
		return false
	}
	a.Memory.Content = first(a.Memory.Content, int(float64(n)*share*0.9)) + "… (cut)"
	return true
}

// get returns a whole memory and how to see where it came from.
func (r *Router) get(ctx context.Context, c call) (answer, error) {
	id, err := c.about(`memory({mode: "get", memoryId: "mem_..."})`, "memoryId", "id", "chunkHash")
	if err != nil {
		return nil, err
	}
	m, err := r.memoryByID(ctx, c, id)
	if err != nil {
		return nil, err
	}
	return r.whole(m), nil
}

func (r *Router) whole(m codememory.Memory) *getAnswer {
	source := m.Source
	source.Excerpt = harmless(source.Excerpt)
	return &getAnswer{
		Success: true,
		Memory: fullMemory{
			listedMemory: listedMemory{m.ID, harmless(m.Text), m.CreatedAt.In(r.opts.Location), metadata(m)},
			Scope:        m.Scope, State: m.State(), UpdatedAt: m.UpdatedAt.In(r.opts.Location), Source: source,
			Links: m.Links, Supersedes: m.Supersedes, SupersededBy: m.SupersededBy, Entities: m.Entities,
		},
		Next: sourceCalls(m.Source), links: m.Links, record: m,
	}
}

// sourceCalls are the calls that lead from a memory to the turns it came from.
func sourceCalls(s codememory.Source) []string {
	if s.Session == "" {
		return nil
	}
	if len(s.Turns) == 0 {
		return []string{fmt.Sprintf("memory({tool: \"transcript\", args: {session: %q}})", s.Session)}
	}
	var out []string
	for _, t := range s.Turns[:min(len(s.Turns), 5)] {
		out = append(out, fmt.Sprintf("memory({tool: \"transcript\", args: {session: %q, turn: %q}})", s.Session, t))
	}
	return out
}

func (a *getAnswer) text(r *Router) string {
	m := a.record
	lines := []string{fmt.Sprintf("# %s (%s, %s)", codememory.ShownID(m.ID), m.Type, m.Scope), "", a.Memory.Content, ""}
	say := func(format string, args ...any) { lines = append(lines, "- "+fmt.Sprintf(format, args...)) }
	if m.State() != codememory.Active {
		state := string(m.State())
		if m.SupersededBy != "" {
			state += " by " + codememory.ShownID(m.SupersededBy)
		}
		say("State: %s", state)
	}
	say("Created: %s, updated: %s", r.clock(m.CreatedAt), r.clock(m.UpdatedAt))
	if s := m.Source; s.Agent != "" || s.Session != "" {
		parts := slices.DeleteFunc([]string{s.Agent, prefixed("session ", s.Session), prefixed("turns ", strings.Join(s.Turns, ", ")), prefixed("written by ", string(s.Author))},
			func(p string) bool { return p == "" })
		say("Source: %s", inline(strings.Join(parts, ", "), 400))
	}
	for _, f := range m.Files {
		if f.State != "" {
			say("Stale: %s is %s since this was stored", inline(f.Path, 200), f.State)
		}
	}
	if n := len(m.Seen); n > 0 {
		say("Said again since: %d times", n)
	}
	if m.Source.Excerpt != "" {
		say("Taken from: \"%s\"", inline(m.Source.Excerpt, 600))
	}
	for _, s := range m.Supersedes {
		say("Supersedes: %s %s", codememory.ShownID(s.ID), inline(s.Reason, 200))
	}
	for _, l := range a.links {
		from := ""
		if l.Inbound {
			from = "(from there) "
		}
		say("Link: %s%s %s %s", from, l.Type, codememory.ShownID(l.To), inline(l.Reason, 200))
	}
	if len(a.Next) > 0 {
		lines = append(lines, "", "To see the turns it came from:")
		lines = append(lines, a.Next...)
	}
	return strings.Join(lines, "\n")
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}
