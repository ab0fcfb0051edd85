package journal

import (
	"fmt"
	"slices"
	"strings"

	"codememory"
)

// The limits that keep an entry readable.
const (
	maxBullets  = 10
	maxCommands = 4
	promptChars = 220
	answerChars = 320
)

// Bullets sums up a turn without a model: what the user wanted, what was done
// to files, which commands ran with what outcome, and what came of it.
func Bullets(t codememory.Turn) []string {
	if t.Kind == codememory.CompactionTurn {
		return compactionBullets(t)
	}
	b := []string{wish(t)}
	b = append(b, fileBullets(t)...)
	b = append(b, commandBullets(t)...)
	b = append(b, delegated(t)...)
	if looked := lookedAt(t); looked != "" && len(b) < maxBullets-2 {
		b = append(b, looked)
	}
	if answer := sayings(t.Answer(), answerChars); answer != "" {
		b = append(b, "Agent: "+answer)
	}
	switch t.State {
	case codememory.TurnAborted:
		b = append(b, "The user stopped the turn before it was done.")
	case codememory.TurnFailed:
		b = append(b, "The turn failed: "+oneLine(t.Error, 160))
	case codememory.TurnOpen, codememory.TurnDone:
	}
	if len(b) == 1 {
		b = append(b, "The agent gave no answer.")
	}
	return b[:min(len(b), maxBullets)]
}

func compactionBullets(t codememory.Turn) []string {
	b := []string{fmt.Sprintf("The conversation was compacted (%s).", orWord(t.Prompt, "automatically"))}
	if s := sayings(t.Answer(), answerChars*2); s != "" {
		b = append(b, "Summary: "+s)
	}
	return b
}

func orWord(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}

// wish is the first bullet: what the user wanted.
func wish(t codememory.Turn) string {
	if t.Kind == codememory.ShellTurn {
		return "User ran: " + oneLine(t.Prompt, promptChars)
	}
	text := sayings(t.Prompt, promptChars)
	switch {
	case text == "":
		return "User sent something without text."
	case strings.HasSuffix(text, "?"):
		return "User asked: " + text
	}
	return "User: " + text
}

// sayings reduces a message to its first sentences: code blocks, tables,
// headings and list marks carry little on one line.
func sayings(s string, most int) string {
	var kept []string
	fenced := false
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced || line == "" || strings.HasPrefix(line, "|") || strings.Trim(line, "-=*_ ") == "" {
			continue
		}
		kept = append(kept, strings.TrimLeft(line, "#>*-• "))
	}
	if len(kept) == 0 && fenced {
		return ""
	}
	return sentences(strings.Join(kept, " "), most)
}

// sentences cuts after the last whole sentence that fits, or at a word.
func sentences(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	for i := most; i > most/3; i-- {
		if strings.ContainsRune(".!?", rune(s[i-1])) && (i == len(s) || s[i] == ' ') {
			return s[:i]
		}
	}
	return oneLine(s, most)
}

// fileBullets names what happened to files, one bullet for each kind of change.
func fileBullets(t codememory.Turn) []string {
	changes := NetChanges(t)
	var b []string
	for _, k := range []struct {
		kind codememory.ChangeKind
		verb string
	}{{codememory.FileCreated, "Created"}, {codememory.FileModified, "Edited"}, {codememory.FileDeleted, "Deleted"}} {
		var names []string
		for _, c := range changes {
			if c.Change == k.kind {
				names = append(names, relative(c.Path, t.Dir))
			}
		}
		if len(names) > 0 {
			b = append(b, k.verb+" "+listed(names, 8))
		}
	}
	return b
}

// NetChanges returns the files a turn touched with their net effect: created
// and then edited is created, created and then deleted is nothing.
func NetChanges(t codememory.Turn) []codememory.FileChange {
	var order []string
	net := map[string]codememory.ChangeKind{}
	for _, s := range t.Steps {
		if s.Tool == nil || s.Tool.Error != "" {
			continue
		}
		for _, c := range s.Tool.Changed {
			old, seen := net[c.Path]
			if !seen {
				order = append(order, c.Path)
			}
			net[c.Path] = combine(old, c.Change)
		}
	}
	var out []codememory.FileChange
	for _, p := range order {
		if net[p] != "" {
			out = append(out, codememory.FileChange{Path: p, Change: net[p]})
		}
	}
	return out
}

func combine(old, next codememory.ChangeKind) codememory.ChangeKind {
	switch {
	case old == codememory.FileCreated && next == codememory.FileModified:
		return codememory.FileCreated
	case old == codememory.FileCreated && next == codememory.FileDeleted:
		return ""
	case old == codememory.FileDeleted && next == codememory.FileCreated:
		return codememory.FileModified
	}
	return next
}

func listed(names []string, most int) string {
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// commandBullets names the commands: failures first come first served, a
// repeated command once with how it ended.
func commandBullets(t codememory.Turn) []string {
	type run struct {
		call  codememory.ToolCall
		times int
		fails int
	}
	var order []string
	runs := map[string]*run{}
	for _, s := range t.Steps {
		if s.Tool == nil || !isCommand(*s.Tool) || s.Tool.Target == "" {
			continue
		}
		key := strings.Join(strings.Fields(s.Tool.Target), " ")
		r := runs[key]
		if r == nil {
			r = &run{}
			runs[key] = r
			order = append(order, key)
		}
		r.call = *s.Tool
		r.times++
		if failed(*s.Tool) {
			r.fails++
		}
	}
	// What failed says more than what worked.
	slices.SortStableFunc(order, func(a, b string) int { return min(runs[b].fails, 1) - min(runs[a].fails, 1) })
	var b []string
	for _, key := range order[:min(len(order), maxCommands)] {
		r := runs[key]
		line := "Ran " + ToolLine(r.call, t.Dir)
		if r.fails > 0 && !failed(r.call) {
			line += fmt.Sprintf(" (after %d failed %s)", r.fails, plural(r.fails, "run", "runs"))
		}
		b = append(b, line)
	}
	if more := len(order) - maxCommands; more > 0 {
		b = append(b, fmt.Sprintf("Ran %d more %s", more, plural(more, "command", "commands")))
	}
	return b
}

func failed(c codememory.ToolCall) bool { return c.Error != "" || c.Exit != nil && *c.Exit != 0 }

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// delegated names what subagents were asked to do.
func delegated(t codememory.Turn) []string {
	var b []string
	for _, s := range t.Steps {
		if s.Tool != nil && s.Tool.Child != "" {
			b = append(b, "Delegated: "+oneLine(orWord(s.Tool.Title, s.Tool.Target), 120))
		}
	}
	return b[:min(len(b), 2)]
}

// lookedAt sums up reading and searching.
func lookedAt(t codememory.Turn) string {
	var files, searches []string
	for _, s := range t.Steps {
		if s.Tool == nil || s.Tool.Target == "" {
			continue
		}
		target := relative(s.Tool.Target, t.Dir)
		switch strings.ToLower(s.Tool.Name) {
		case "read", "read_file", "view":
			if !slices.Contains(files, target) {
				files = append(files, target)
			}
		case "grep", "glob", "search", "search_file_content", "webfetch", "websearch":
			if q := "\"" + oneLine(target, 60) + "\""; !slices.Contains(searches, q) {
				searches = append(searches, q)
			}
		}
	}
	var parts []string
	if len(files) > 0 {
		parts = append(parts, "read "+listed(files, 4))
	}
	if len(searches) > 0 {
		parts = append(parts, "searched for "+listed(searches, 3))
	}
	if len(parts) == 0 {
		return ""
	}
	return "Looked around: " + strings.Join(parts, "; ")
}
