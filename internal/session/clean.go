package session

import (
	"slices"
	"strings"
	"time"

	"codememory"
)

// clean returns the record in the form in which it survives a round trip
// through its file: text without stray white space, times in whole seconds of
// one zone, no empty entries.
func clean(r Record) Record {
	r = r.clone()
	for _, field := range []*string{&r.ID, &r.Agent, &r.Project, &r.Dir, &r.Parent, &r.Slug, &r.Trigger, &r.GitStart, &r.GitEnd} {
		*field = oneLine(*field)
	}
	if r.Status != StatusFrozen && r.Status != StatusClosed {
		r.Status = StatusOpen
	}
	zone := zoneOf(r.StartedAt)
	r.StartedAt, r.EndedAt = cleanTime(r.StartedAt, zone), cleanTime(r.EndedAt, zone)
	if r.UpdatedAt = cleanTime(r.UpdatedAt, zone); !r.UpdatedAt.After(r.StartedAt) {
		r.UpdatedAt = time.Time{}
	}
	r.Goal = cleanBlock(r.Goal)
	r.DiffNote, r.DiffStat = splitDiff(cleanBlock(joinDiff(oneLine(r.DiffNote), cleanBlock(r.DiffStat))))
	r.Completed, r.Pending = cleanItems(r.Completed), cleanItems(r.Pending)
	r.Summary, r.Decisions = cleanItems(r.Summary), cleanItems(r.Decisions)
	r.Plans = cleanList(r.Plans, func(p PlanFile) (PlanFile, bool) {
		p.Path, p.Header = oneLine(p.Path), oneLine(p.Header)
		return p, p.Path != ""
	})
	r.References = cleanList(r.References, func(ref Reference) (Reference, bool) {
		ref = cleanReference(ref)
		return ref, ref.Title != ""
	})
	r.Files = cleanFiles(r.Files)
	r.FilesFromGit = r.FilesFromGit && len(r.Files) > 0
	r.Turns = cleanList(r.Turns, func(n TurnNote) (TurnNote, bool) {
		n = TurnNote{ID: cleanTurnID(n.ID), At: cleanTime(n.At, zone), Asked: strings.ReplaceAll(oneLine(n.Asked), anchorOpen, "turn:"), Done: oneLine(n.Done), Failed: oneLine(n.Failed), Open: oneLine(n.Open)}
		if n.Asked == "" {
			n.Asked = noText
		}
		if n.ID == "" {
			n.At = time.Time{}
		}
		return n, true
	})
	r.Extra = cleanExtra(r.Extra)
	return r
}

func cleanList[T any](list []T, fn func(T) (T, bool)) []T {
	var out []T
	for _, v := range list {
		if v, ok := fn(v); ok {
			out = append(out, v)
		}
	}
	return out
}

// cleanItems makes each item lines without margins.
func cleanItems(list []string) []string {
	return cleanList(list, func(s string) (string, bool) {
		var lines []string
		for line := range strings.SplitSeq(unixLines(s), "\n") {
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
		return strings.Join(lines, "\n"), len(lines) > 0
	})
}

// cleanBlock keeps the lines of a free text and drops white space around it.
func cleanBlock(s string) string {
	lines := strings.Split(unixLines(s), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func cleanReference(ref Reference) Reference {
	ref.URL, ref.Title = strings.ReplaceAll(oneLine(ref.URL), " ", "%20"), oneLine(ref.Title)
	if ref.URL == "" && strings.Contains(ref.Title, "://") && !strings.Contains(ref.Title, " ") {
		ref.URL, ref.Title = strings.Trim(ref.Title, "<>"), ""
	}
	ref.URL = strings.ReplaceAll(strings.ReplaceAll(ref.URL, "<", "%3C"), ">", "%3E")
	if ref.Title == "" {
		ref.Title = ref.URL
	}
	return ref
}

// cleanFiles sorts the files and keeps the last word on each path.
func cleanFiles(files []codememory.FileChange) []codememory.FileChange {
	seen := map[string]bool{}
	var out []codememory.FileChange
	for _, f := range slices.Backward(files) {
		f.Path = oneLine(f.Path)
		if changeRank(f.Change) < 0 || f.Path == "" || seen[f.Path] {
			continue
		}
		seen[f.Path] = true
		out = append(out, f)
	}
	return sortedFiles(out)
}

// cleanTurnID makes an id that fits into an anchor.
func cleanTurnID(id string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '<' || r == '>' {
			return '_'
		}
		return r
	}, oneLine(id))
}

func cleanTime(t time.Time, zone *time.Location) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.In(zone).Truncate(time.Second)
}

// zoneOf is the zone of t as a file can say it: a distance to UTC in minutes.
func zoneOf(t time.Time) *time.Location {
	if _, offset := t.Zone(); !t.IsZero() && offset%60 == 0 && offset != 0 {
		return time.FixedZone("", offset)
	}
	return time.UTC
}

// cleanExtra gives each foreign section a title that is none of ours and a body
// that ends where it should.
func cleanExtra(list []Section) []Section {
	var before []string
	var titled []Section
	for _, s := range list {
		s = Section{Title: oneLine(s.Title), Body: cleanSection(s.Body)}
		if slices.Contains(ownSections, strings.ToLower(s.Title)) {
			s.Title = "Other " + s.Title
		}
		switch {
		case s.Title != "":
			titled = append(titled, s)
		case s.Body != "":
			before = append(before, s.Body)
		}
	}
	if before == nil {
		return titled
	}
	return append([]Section{{Body: strings.Join(before, "\n\n")}}, titled...)
}

// cleanSection closes a code block that the body leaves open, which would
// swallow what follows, and drops rules at its end, which separate sections.
func cleanSection(body string) string {
	lines := strings.Split(cleanMargins(body), "\n")
	fences := fenceFinder{lines: lines}
	for i := 0; i < len(lines); i++ {
		if mark := fenceMark(lines[i]); mark != "" {
			end := fences.end(i)
			if end < 0 {
				lines = append(lines, mark)
				break
			}
			i = end
		}
	}
	return strings.Join(lines, "\n")
}

// cleanMargins trims blank lines around a body and rules after it.
func cleanMargins(body string) string {
	lines := strings.Split(unixLines(body), "\n")
	for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
		lines = lines[1:]
	}
	for len(lines) > 0 {
		if last := lines[len(lines)-1]; strings.TrimSpace(last) != "" && strings.TrimRight(last, " \t") != "---" {
			break
		}
		lines = lines[:len(lines)-1]
	}
	return strings.Join(lines, "\n")
}
