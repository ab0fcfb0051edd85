package session

import (
	"strings"
	"time"

	"codememory"
)

// anchorOpen begins the comment that names the turn of a note.
const anchorOpen = "<!-- turn:"

// ownSections are the titles that take knows.
var ownSections = []string{
	"goal", "todos", "files touched", "git diff summary", "work done", "plan files", "architecture decisions", "references", "last turns",
}

// take reads one section into the record.
func (r *Record) take(p part) {
	switch strings.ToLower(p.title) {
	case "goal":
		r.Goal = unescapeLines(p.lines)
	case "todos":
		r.takeTodos(p)
	case "files touched":
		r.takeFiles(p)
	case "git diff summary":
		r.DiffNote, r.DiffStat = splitDiff(unescapeLines(p.lines))
	case "work done":
		r.Summary = append(r.Summary, items(p.lines)...)
	case "plan files":
		r.takePlans(p.lines)
	case "architecture decisions":
		r.Decisions = append(r.Decisions, items(p.lines)...)
	case "references":
		for _, item := range items(p.lines) {
			r.References = append(r.References, parseReference(oneLine(item)))
		}
	case "last turns":
		r.takeTurns(p.lines)
	default:
		r.keep(p)
	}
}

// keep stores a part that means nothing to us as it is.
func (r *Record) keep(p part) {
	body := cleanMargins(strings.Join(p.lines, "\n"))
	if p.title != "" || body != "" {
		r.Extra = append(r.Extra, Section{Title: p.title, Body: body})
	}
}

// cutBullet takes the mark of a list item off a line.
func cutBullet(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest, true
		}
	}
	return line, line == "-" || line == "*" || line == "+"
}

// items reads a list: bullets, and the lines that continue them. A line that
// is neither counts as an item too, since people forget the mark.
func items(lines []string) []string {
	var list [][]string
	for _, line := range lines {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if indented := line[0] == ' ' || line[0] == '\t'; indented && len(list) > 0 {
			list[len(list)-1] = append(list[len(list)-1], strings.TrimSpace(line))
			continue
		}
		item, marked := cutBullet(line)
		if marked && (item == line || strings.TrimSpace(item) == "") {
			continue // an empty bullet
		}
		list = append(list, []string{item})
	}
	var out []string
	for _, item := range list {
		out = append(out, strings.Join(item, "\n"))
	}
	return out
}

// subsections cuts a section at its "### " headings.
func subsections(lines []string) []part {
	parts := []part{{}}
	for _, line := range lines {
		if title, ok := heading(line, "###"); ok {
			parts = append(parts, part{title: title})
			continue
		}
		last := &parts[len(parts)-1]
		last.lines = append(last.lines, line)
	}
	return parts
}

func (r *Record) takeTodos(p part) {
	for _, sub := range subsections(p.lines) {
		title := strings.ToLower(sub.title)
		switch {
		case strings.Contains(title, "to be completed"), strings.Contains(title, "pending"), title == "":
			r.Pending = append(r.Pending, items(sub.lines)...)
		case strings.Contains(title, "completed"):
			r.Completed = append(r.Completed, items(sub.lines)...)
		default:
			r.keep(sub)
		}
	}
}

func (r *Record) takeFiles(p part) {
	for _, sub := range subsections(p.lines) {
		kind := codememory.ChangeKind(strings.ToLower(sub.title))
		if kind == "" {
			kind = codememory.FileModified
		}
		if changeRank(kind) < 0 {
			r.keep(sub)
			continue
		}
		for _, item := range items(sub.lines) {
			file, _ := uncodeSpan(oneLine(item))
			r.Files = append(r.Files, codememory.FileChange{Path: file, Change: kind})
		}
	}
}

func (r *Record) takePlans(lines []string) {
	for _, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "|") {
			for _, item := range items([]string{strings.TrimSpace(line)}) {
				file, header := uncodeSpan(oneLine(item))
				r.Plans = append(r.Plans, PlanFile{Path: file, Header: header})
			}
			continue
		}
		row := cells(line)
		if len(row) == 0 || strings.EqualFold(row[0], "file") || strings.Trim(strings.Join(row, ""), "-:") == "" {
			continue
		}
		file, _ := uncodeSpan(row[0])
		plan := PlanFile{Path: file}
		if len(row) > 1 {
			plan.Header = row[1]
		}
		r.Plans = append(r.Plans, plan)
	}
}

func (r *Record) takeTurns(lines []string) {
	for _, item := range items(lines) {
		first, rest, _ := strings.Cut(item, "\n")
		n := TurnNote{Asked: first}
		if at := strings.LastIndex(first, anchorOpen); at >= 0 && strings.HasSuffix(first, "-->") {
			n.Asked = strings.TrimSpace(first[:at])
			id, when, _ := strings.Cut(strings.TrimSpace(strings.TrimSuffix(first[at+len(anchorOpen):], "-->")), " ")
			n.ID = id
			if t, err := time.ParseInLocation(bareTime, strings.TrimSpace(when), zoneOf(r.StartedAt)); err == nil {
				n.At = t
			}
		}
		var done, failed, open []string
		for line := range strings.SplitSeq(rest, "\n") {
			line, _ = cutBullet(line)
			if left, ok := strings.CutPrefix(line, "Left open: "); ok {
				open = append(open, left)
			} else if commands, ok := strings.CutPrefix(line, "Failed: "); ok {
				failed = append(failed, commands)
			} else {
				done = append(done, strings.TrimPrefix(line, "Done: "))
			}
		}
		n.Done, n.Failed, n.Open = oneLine(strings.Join(done, " ")), oneLine(strings.Join(failed, " ")), oneLine(strings.Join(open, " "))
		r.Turns = append(r.Turns, n)
	}
}
