package session

import (
	"path"
	"slices"
	"strings"
	"time"
	"unicode"

	"codememory"
	"codememory/internal/text"
)

// Apply puts what a model stated into the record: the goal replaces the former
// one, a slug counts once, pending work is replaced as a whole, and everything
// else is added to what is there, without repeating it. A record that was
// closed goes on with a checkpoint that does not close it. When Apply fails
// nothing has changed.
func (r *Record) Apply(c Checkpoint) error {
	switch {
	case r.ID == "" && c.Session == "":
		return codememory.Errorf(codememory.Invalid, "a checkpoint needs a session_id: pass the id of the conversation")
	case r.ID != "" && c.Session != "" && r.ID != c.Session:
		return codememory.Errorf(codememory.Invalid, "the checkpoint is of session %q, the record of %q", c.Session, r.ID)
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.At.IsZero() {
		c.At = time.Now()
	}
	c.Status, _ = c.Status.known()
	next := r.clone()
	next.begin(c.Session, c.Agent, c.At)
	if s := strings.TrimSpace(c.Goal); s != "" {
		next.Goal = s
	}
	if next.Slug == "" {
		next.Slug = slugOf(c.Slug)
	}
	if c.Pending != nil {
		next.Pending = appendNew(nil, c.Pending)
	}
	next.Completed = appendNew(next.Completed, c.Completed)
	next.Summary = appendNew(next.Summary, c.Summary)
	next.Decisions = appendNew(next.Decisions, c.Decisions)
	next.addPlans(c.Plans)
	next.addReferences(c.References)
	next.setStatus(c.Status, c.At)
	next.Trigger = c.Trigger
	if next.Trigger == "" {
		next.Trigger = TriggerManual
		if c.Status == StatusClosed {
			next.Trigger = TriggerEnd
		}
	}
	*r = next
	return nil
}

// begin fills in what a fresh record lacks and notes that something happened.
func (r *Record) begin(id, agent string, at time.Time) {
	if r.ID == "" {
		r.ID = strings.TrimSpace(id)
	}
	if r.Agent == "" {
		r.Agent = strings.TrimSpace(agent)
	}
	if r.StartedAt.IsZero() {
		r.StartedAt = at
	}
	if r.Status == "" {
		r.Status = StatusOpen
	}
	if at.After(r.ActiveAt()) {
		r.UpdatedAt = at
	}
}

// setStatus follows a stated status. Without one a session that was over goes
// on: whoever saves a checkpoint is still working.
func (r *Record) setStatus(s Status, at time.Time) {
	switch s {
	case StatusClosed:
		r.Status, r.EndedAt = StatusClosed, at
	case StatusOpen, StatusFrozen:
		r.Status, r.EndedAt = s, time.Time{}
	default:
		r.Status, r.EndedAt = StatusOpen, time.Time{}
	}
}

// End closes an open record because the agent left the session.
func (r *Record) End(at time.Time) {
	if r.Status == StatusOpen || r.Status == "" {
		r.setStatus(StatusClosed, at)
		r.Trigger = TriggerEnd
	}
}

func (r *Record) addPlans(plans []PlanFile) {
	for _, p := range plans {
		p.Path, p.Header = path.Clean(oneLine(p.Path)), oneLine(p.Header)
		if p.Path == "." {
			continue
		}
		at := slices.IndexFunc(r.Plans, func(o PlanFile) bool { return o.Path == p.Path })
		switch {
		case at < 0:
			r.Plans = append(r.Plans, p)
		case p.Header != "":
			r.Plans[at].Header = p.Header
		}
	}
}

func (r *Record) addReferences(refs []Reference) {
	for _, ref := range refs {
		ref = cleanReference(ref)
		if ref.URL == "" && ref.Title == "" {
			continue
		}
		at := slices.IndexFunc(r.References, func(o Reference) bool { return o.URL == ref.URL && (ref.URL != "" || o.Title == ref.Title) })
		switch {
		case at < 0:
			r.References = append(r.References, ref)
		case ref.Title != ref.URL:
			r.References[at].Title = ref.Title
		}
	}
}

// appendNew adds the bullets of more that list does not say yet.
func appendNew(list, more []string) []string {
	known := map[string]bool{}
	for _, s := range list {
		known[sameWords(s)] = true
	}
	for _, s := range more {
		for _, item := range bullets(s) {
			if key := sameWords(item); !known[key] {
				known[key] = true
				list = append(list, item)
			}
		}
	}
	return list
}

// sameWords is equal for two wordings that differ in case, space or the full
// stop at the end.
func sameWords(s string) string {
	if n := text.Normalize(s); n != "" {
		return n
	}
	return s
}

// bullets takes a text that may hold a list apart: each line is an item, and
// indented lines belong to the item before them.
func bullets(s string) []string {
	var items []string
	for line := range strings.SplitSeq(unixLines(s), "\n") {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" {
			continue
		}
		body, marked := cutBullet(trimmed)
		if body = strings.TrimSpace(body); body == "" {
			continue
		}
		if indented := line[0] == ' ' || line[0] == '\t'; indented && !marked && len(items) > 0 {
			items[len(items)-1] += "\n" + body
			continue
		}
		items = append(items, body)
	}
	return items
}

// maxSlug keeps file names readable.
const maxSlug = 48

// slugOf makes a part of a file name out of what a model calls the session.
func slugOf(s string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(s) {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
			continue
		}
		gap = true
	}
	slug := b.String()
	if len(slug) > maxSlug {
		slug = slug[:maxSlug]
		if at := strings.LastIndexByte(slug, '-'); at > maxSlug/2 {
			slug = slug[:at]
		}
	}
	return strings.Trim(slug, "-")
}

// leadsOut reports whether a relative path ends up above where it starts.
func leadsOut(p string) bool {
	p = path.Clean(strings.ReplaceAll(p, `\`, "/"))
	return p == ".." || strings.HasPrefix(p, "../")
}
