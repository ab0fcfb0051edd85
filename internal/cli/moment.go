package cli

import (
	"strconv"
	"strings"
	"time"

	"codememory/internal/timerange"
)

// moment reads a point in time as people type it: a date, a time, how long ago,
// or words, which mean the beginning of what they name. An empty word is no
// restriction.
func (p *program) moment(flag, word string) (time.Time, error) {
	word = strings.TrimSpace(word)
	if word == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly, "2006-01"} {
		if t, err := time.ParseInLocation(layout, word, time.Local); err == nil {
			return t, nil
		}
	}
	if d, ok := parseSpan(word); ok {
		return p.now().Add(-d), nil
	}
	if r, rest, ok := timerange.Find(word, p.now().Local()); ok && strings.TrimSpace(rest) == "" {
		if r.From.IsZero() {
			return r.To, nil
		}
		return r.From, nil
	}
	return time.Time{}, usagef("%s %q is not a time: use 2026-05-01, \"2026-05-01 14:30\", 7d, 12h or \"last week\"", flag, word)
}

// parseSpan reads 30m, 12h, 7d, 2w.
func parseSpan(word string) (time.Duration, bool) {
	units := map[byte]time.Duration{'m': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour, 'w': 7 * 24 * time.Hour}
	unit, ok := units[word[len(word)-1]]
	if !ok {
		return 0, false
	}
	n, err := strconv.Atoi(word[:len(word)-1])
	const longest = 100 * 365 // days; more overflows a Duration or is a typing mistake
	if err != nil || n < 0 || time.Duration(n) > longest*24*time.Hour/unit {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
