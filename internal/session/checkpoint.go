package session

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"codememory"
)

// Checkpoint is what a model states about its session. What it leaves out
// stays as it is; only Pending tells "nothing stated" (nil) from "nothing left"
// (empty).
type Checkpoint struct {
	Session    string      `json:"session_id"`
	Agent      string      `json:"tool,omitempty"`
	Slug       string      `json:"slug,omitempty"`
	Goal       string      `json:"goal,omitempty"`
	Completed  []string    `json:"work_completed,omitempty"`
	Pending    []string    `json:"work_pending,omitempty"`
	Summary    []string    `json:"work_summary,omitempty"`
	Decisions  []string    `json:"decisions,omitempty"`
	Plans      []PlanFile  `json:"plan_files,omitempty"`
	References []Reference `json:"references,omitempty"`
	Status     Status      `json:"status,omitempty"`
	Trigger    string      `json:"trigger,omitempty"` // empty: manual, or end when it closes the session
	At         time.Time   `json:"-"`                 // zero: now
}

// Semantic reports whether the checkpoint says anything about the work, and
// not only that the session exists or ends.
func (c Checkpoint) Semantic() bool {
	return c.Goal != "" || len(c.Completed) > 0 || c.Pending != nil || len(c.Summary) > 0 ||
		len(c.Decisions) > 0 || len(c.Plans) > 0 || len(c.References) > 0
}

// Map returns the checkpoint with fn applied to all that a model wrote, for
// redaction.
func (c Checkpoint) Map(fn func(string) string) Checkpoint {
	each := func(list []string) []string {
		if list == nil {
			return nil
		}
		out := make([]string, len(list))
		for i, s := range list {
			out[i] = fn(s)
		}
		return out
	}
	c.Slug, c.Goal = fn(c.Slug), fn(c.Goal)
	c.Completed, c.Pending = each(c.Completed), each(c.Pending)
	c.Summary, c.Decisions = each(c.Summary), each(c.Decisions)
	plans := make([]PlanFile, len(c.Plans))
	for i, p := range c.Plans {
		plans[i] = PlanFile{Path: fn(p.Path), Header: fn(p.Header)}
	}
	refs := make([]Reference, len(c.References))
	for i, r := range c.References {
		refs[i] = Reference{URL: fn(r.URL), Title: fn(r.Title)}
	}
	c.Plans, c.References = plans, refs
	return c
}

// DecodeCheckpoint reads a checkpoint from JSON: the arguments of the tool, or
// what a hook gets, which names the session conversation_id and may hold the
// fields under "checkpoint". Fields it does not know are left alone. A field of
// the wrong type is an Invalid error that names it, and all others like it.
func DecodeCheckpoint(data []byte) (Checkpoint, error) {
	var none Checkpoint
	fields, err := object(data)
	if err != nil {
		return none, codememory.Errorf(codememory.Invalid, "checkpoint %w", err)
	}
	if nested, ok := fields["checkpoint"]; ok && !isNull(nested) {
		inner, err := object(nested)
		if err != nil {
			return none, codememory.Errorf(codememory.Invalid, "field checkpoint %w", err)
		}
		for name, value := range inner {
			fields[name] = value
		}
	}
	d := decoder{fields: fields}
	c := Checkpoint{
		Session: d.text("session_id"), Agent: d.text("tool"), Slug: d.text("slug"), Goal: d.text("goal"),
		Completed: d.texts("work_completed"), Pending: d.texts("work_pending"),
		Summary: d.texts("work_summary"), Decisions: d.texts("decisions"),
		Status: Status(d.text("status")), Trigger: d.text("trigger"),
	}
	if c.Session == "" {
		if c.Session = d.text("conversation_id"); c.Session != "" && c.Agent == "" {
			c.Agent = "cursor" // the only agent that calls a session a conversation
		}
	}
	d.objects("plan_files", "path", "header", func(path, header string) {
		c.Plans = append(c.Plans, PlanFile{path, header})
	})
	d.objects("references", "url", "title", func(url, title string) {
		c.References = append(c.References, Reference{url, title})
	})
	if len(d.wrong) == 0 {
		if err := c.check(); err != nil {
			return none, err
		}
		c.Status, _ = c.Status.known()
		return c, nil
	}
	return none, codememory.Errorf(codememory.Invalid, "checkpoint not saved: %s", strings.Join(d.wrong, "; "))
}

// known returns the status in our spelling; active is what some callers call
// an open session.
func (s Status) known() (Status, bool) {
	switch lower := Status(strings.ToLower(string(s))); lower {
	case "", StatusOpen, StatusFrozen, StatusClosed:
		return lower, true
	case "active":
		return StatusOpen, true
	}
	return s, false
}

// check refuses values that have the right type and still cannot be.
func (c Checkpoint) check() error {
	if _, ok := c.Status.known(); !ok {
		return codememory.Errorf(codememory.Invalid, "status %q is not known: use open, frozen or closed", c.Status)
	}
	for i, p := range c.Plans {
		if leadsOut(p.Path) {
			return codememory.Errorf(codememory.Invalid, "plan_files[%d].path %q leads out of the project: give a path in it, or an absolute one", i, p.Path)
		}
	}
	return nil
}

// decoder takes fields out of an object and notes those of the wrong type.
type decoder struct {
	fields map[string]json.RawMessage
	wrong  []string
}

func (d *decoder) text(name string) string {
	raw, ok := d.fields[name]
	if !ok || isNull(raw) {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) != nil {
		d.miss(name, "a string", raw)
	}
	return strings.TrimSpace(s)
}

// texts returns nil when the field is absent and an empty list when it is empty.
func (d *decoder) texts(name string) []string {
	raw, ok := d.fields[name]
	if !ok || isNull(raw) {
		return nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		d.miss(name, "a list of strings", raw)
		return nil
	}
	list := make([]string, 0, len(items))
	for i, item := range items {
		var s string
		if isNull(item) || json.Unmarshal(item, &s) != nil {
			d.miss(fmt.Sprintf("%s[%d]", name, i), "a string", item)
			continue
		}
		list = append(list, s)
	}
	return list
}

// objects reads a list of objects with two texts, of which the first must be there.
func (d *decoder) objects(name, first, second string, add func(first, second string)) {
	raw, ok := d.fields[name]
	if !ok || isNull(raw) {
		return
	}
	want := fmt.Sprintf("a list of objects with %s and %s", first, second)
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		d.miss(name, want, raw)
		return
	}
	for i, item := range items {
		at := fmt.Sprintf("%s[%d]", name, i)
		fields, err := object(item)
		if err != nil {
			d.miss(at, fmt.Sprintf("an object with %s and %s", first, second), item)
			continue
		}
		inner := decoder{fields: fields}
		a, b := inner.text(first), inner.text(second)
		for _, w := range inner.wrong {
			d.wrong = append(d.wrong, at+"."+w)
		}
		if len(inner.wrong) == 0 && a == "" {
			d.wrong = append(d.wrong, fmt.Sprintf("%s.%s is missing", at, first))
			continue
		}
		add(a, b)
	}
}

func (d *decoder) miss(name, want string, got json.RawMessage) {
	d.wrong = append(d.wrong, fmt.Sprintf("%s must be %s, not %s", name, want, kindOf(got)))
}

func object(data []byte) (map[string]json.RawMessage, error) {
	fields := map[string]json.RawMessage{}
	if !json.Valid(data) {
		return nil, fmt.Errorf("is not valid JSON")
	}
	if err := json.Unmarshal(data, &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("must be an object, not %s", kindOf(data))
	}
	return fields, nil
}

func isNull(raw json.RawMessage) bool { return string(bytes.TrimSpace(raw)) == "null" }

// kindOf names the type of a JSON value.
func kindOf(raw json.RawMessage) string {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 {
		return "nothing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	default:
		return "a number"
	}
}
