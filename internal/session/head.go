package session

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// renderHead writes the entries that openCodeMemory has, always, and after them
// those of ours that say something.
func renderHead(b *strings.Builder, r Record) {
	b.WriteString("---\n")
	entry := func(key, value string) { fmt.Fprintf(b, "%s: %s\n", key, value) }
	entry("session_id", scalar(r.ID))
	entry("tool", scalar(r.Agent))
	entry("project", scalar(r.Project))
	entry("started_at", moment(r.StartedAt))
	entry("git_sha_start", scalar(r.GitStart))
	entry("git_sha_end", scalar(r.GitEnd))
	entry("trigger", scalar(r.Trigger))
	for _, e := range []struct{ key, value string }{
		{"status", strings.Replace(string(r.Status), string(StatusOpen), "", 1)},
		{"slug", r.Slug},
		{"parent", r.Parent},
		{"dir", r.Dir},
		{"files_from", filesFrom(r)},
	} {
		if e.value != "" {
			entry(e.key, scalar(e.value))
		}
	}
	if !r.UpdatedAt.IsZero() {
		entry("updated_at", moment(r.UpdatedAt))
	}
	if !r.EndedAt.IsZero() {
		entry("ended_at", moment(r.EndedAt))
	}
	if offset := offsetOf(r.StartedAt); offset != "" {
		entry("utc_offset", scalar(offset))
	}
	for _, f := range r.ExtraHead {
		b.WriteString(strings.TrimRight(f.YAML, "\n") + "\n")
	}
	b.WriteString("---\n\n")
}

func filesFrom(r Record) string {
	if r.FilesFromGit {
		return "git"
	}
	return ""
}

// scalar writes a text as YAML, quoted where it would be read as something else.
func scalar(s string) string {
	if s == "" {
		return "null"
	}
	quoted, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s)
	}
	return strings.TrimRight(string(quoted), "\n")
}

func moment(t time.Time) string {
	if t.IsZero() {
		return "null"
	}
	return t.Format(bareTime)
}

// maxHead is more than a head needs and less than what takes YAML long.
const maxHead = 64 << 10

// parseHead reads the entries into the record and keeps those it does not know.
// Times without a zone are in the one that utc_offset names, or else in loc.
func parseHead(text string, loc *time.Location) (Record, error) {
	var r Record
	var doc yaml.Node
	if len(text) > maxHead {
		return r, &ParseError{Line: 1, What: fmt.Sprintf("the head is %d bytes, at most %d are read", len(text), maxHead)}
	}
	if err := yaml.Unmarshal([]byte(text), &doc); err != nil {
		return r, headError(err)
	}
	if len(doc.Content) == 0 || doc.Content[0].Kind != yaml.MappingNode {
		return r, &ParseError{Line: 1, What: "the head holds no entries"}
	}
	if alias := findAlias(&doc); alias != nil {
		return r, &ParseError{Line: alias.Line + 1, What: "the head uses a YAML alias", Todo: "write the value itself"}
	}
	entries := doc.Content[0].Content
	texts := map[string]*string{
		"session_id": &r.ID, "tool": &r.Agent, "project": &r.Project, "git_sha_start": &r.GitStart, "git_sha_end": &r.GitEnd,
		"trigger": &r.Trigger, "slug": &r.Slug, "parent": &r.Parent, "dir": &r.Dir,
	}
	var status, from, offset string
	texts["status"], texts["files_from"], texts["utc_offset"] = &status, &from, &offset
	moments := map[string]*time.Time{"started_at": &r.StartedAt, "updated_at": &r.UpdatedAt, "ended_at": &r.EndedAt}
	var times []func() error
	for i := 0; i+1 < len(entries); i += 2 {
		key, value := entries[i], entries[i+1]
		field, isText := texts[key.Value]
		at, isTime := moments[key.Value]
		switch {
		case (isText || isTime) && value.Kind != yaml.ScalarNode:
			return r, &ParseError{Line: value.Line + 1, What: key.Value + " is not a single value"}
		case isText && value.Tag != "!!null":
			*field = oneLine(value.Value)
		case isTime && value.Tag != "!!null":
			times = append(times, func() (err error) {
				if *at, err = parseTime(value.Value, loc); err != nil {
					return &ParseError{Line: value.Line + 1, What: fmt.Sprintf("%s %q is not a time such as 2026-02-23T14:32:00", key.Value, value.Value)}
				}
				return nil
			})
		case !isText && !isTime:
			kept, err := yaml.Marshal(&yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, value}})
			if err != nil {
				return r, &ParseError{Line: key.Line + 1, What: "the entry " + key.Value + " cannot be kept"}
			}
			r.ExtraHead = append(r.ExtraHead, HeadField{Key: key.Value, YAML: string(kept)})
		}
	}
	if zone, err := time.Parse("-07:00", offset); err == nil {
		_, seconds := zone.Zone()
		loc = time.FixedZone("", seconds)
	}
	for _, read := range times {
		if err := read(); err != nil {
			return r, err
		}
	}
	switch r.Status = Status(strings.ToLower(status)); r.Status {
	case StatusOpen, StatusFrozen, StatusClosed:
	default:
		r.Status = StatusOpen
	}
	r.FilesFromGit = from == "git"
	if r.ID == "" {
		return r, &ParseError{Line: 1, What: "the head has no session_id"}
	}
	return r, nil
}

// findAlias returns an alias below n, or nil. Entries are written one by one, so
// that what an alias points to would be lost.
func findAlias(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n
	}
	for _, c := range n.Content {
		if alias := findAlias(c); alias != nil {
			return alias
		}
	}
	return nil
}

func parseTime(s string, loc *time.Location) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339, s); err == nil {
		return t, nil
	}
	for _, layout := range []string{bareTime, "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, loc); err == nil {
			return t, nil
		}
	}
	return time.Time{}, errors.New("not a time")
}

// headError names the line of the file: YAML counts from the one after the
// opening rule.
func headError(err error) error {
	msg := strings.TrimPrefix(err.Error(), "yaml: ")
	var line int
	if _, e := fmt.Sscanf(msg, "line %d:", &line); e == nil {
		_, rest, _ := strings.Cut(msg, ": ")
		return &ParseError{Line: line + 1, What: "the head is not valid: " + rest}
	}
	return &ParseError{Line: 1, What: "the head is not valid: " + msg}
}
