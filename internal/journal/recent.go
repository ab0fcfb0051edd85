package journal

import (
	"strings"
)

// Digest is what a session did, as the journal tells it.
type Digest struct {
	Session string
	Agent   string
	Title   string
	Day     string
	Bullets []string // of its turns, oldest first
}

// Recent returns the sessions that wrote last, newest first, without the one
// named: its work is still in the conversation.
func (j *Journal) Recent(n int, except string) ([]Digest, error) {
	days, err := j.Days()
	if err != nil {
		return nil, err
	}
	var out []Digest
	seen := map[string]bool{word(except): except != ""}
	for _, day := range days {
		if len(out) >= n {
			break
		}
		text, err := j.Day(day)
		if err != nil {
			return nil, err
		}
		found := digests(text, day)
		for i := len(found) - 1; i >= 0 && len(out) < n; i-- {
			if !seen[found[i].Session] && len(found[i].Bullets) > 0 {
				seen[found[i].Session] = true
				out = append(out, found[i])
			}
		}
	}
	return out, nil
}

// digests reads the sessions of a day, in the order in which they last wrote.
func digests(text, day string) []Digest {
	var all []Digest
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch {
		case strings.HasPrefix(line, "## Session "):
			id, rest, _ := strings.Cut(strings.TrimPrefix(line, "## Session "), " ")
			agent, title, _ := strings.Cut(strings.TrimPrefix(rest, "("), ")")
			all = append(all, Digest{Session: id, Agent: agent, Title: strings.TrimSpace(title), Day: day})
		case strings.HasPrefix(line, "- ") && len(all) > 0:
			d := &all[len(all)-1]
			d.Bullets = append(d.Bullets, strings.TrimPrefix(line, "- "))
		}
	}
	return all
}
