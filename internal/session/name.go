package session

import (
	"fmt"
	"strings"
)

// nameTime is how file names begin, so that they sort by time.
const nameTime = "2006-01-02_15-04"

// idChars is how much of an id stands for a session without a slug.
const idChars = 8

// fileNames returns the names a record's file may have, the best first. The
// times are in the zone of StartedAt.
func fileNames(r Record) []string {
	base := nameStart(r)
	id := safe(r.ID)
	names := []string{base + id[:min(len(id), idChars)] + ".md", base + id + ".md"}
	if r.Slug != "" {
		base += safe(r.Slug)
		names = []string{base + ".md", base + "_" + id[:min(len(id), idChars)] + ".md", base + "_" + id + ".md"}
	}
	last := strings.TrimSuffix(names[len(names)-1], ".md")
	for n := 2; n < 100; n++ {
		names = append(names, fmt.Sprintf("%s_%d.md", last, n))
	}
	return names
}

// isUnnamed reports whether the file was named before the session had a slug.
// The time in the name may differ: the beginning of a session can turn out to
// be earlier than its first checkpoint.
func isUnnamed(name string, r Record) bool {
	id, stem := safe(r.ID), strings.TrimSuffix(name, ".md")
	if strings.Contains(stem, "_"+safe(r.Slug)) {
		return false
	}
	return strings.HasSuffix(stem, "_"+id[:min(len(id), idChars)]) || strings.Contains(stem, "_"+id)
}

func nameStart(r Record) string {
	return r.StartedAt.Format(nameTime) + "_" + safe(r.Agent) + "_"
}

// maxNamePart keeps names within what file systems allow.
const maxNamePart = 64

// safe keeps what is harmless in a file name on every system.
func safe(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '-'
	}, s)
	if s = strings.Trim(s, "-"); s == "" {
		return "x"
	}
	return s[:min(len(s), maxNamePart)]
}
