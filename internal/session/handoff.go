package session

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Limits of what is handed over: the newest entries of long lists.
const (
	handoffItems = 12
	handoffFiles = 25
)

// Handoff is what another agent needs to go on with the session: the goal, the
// state, what was decided, what is left, which files, and how to learn more. The
// lines hold text out of the record; whoever shows them to a model makes that
// text harmless first (Map) and marks them as data.
func Handoff(r Record, to string) string {
	r = clean(r)
	var b strings.Builder
	fmt.Fprintf(&b, "- Session %s of %s", r.ID, orUnknown(r.Agent))
	if r.Project != "" {
		fmt.Fprintf(&b, " in %s", r.Project)
	}
	if to = oneLine(to); to != "" {
		fmt.Fprintf(&b, ", handed over to %s", to)
	}
	fmt.Fprintf(&b, ". It is %s, began %s and was last active %s.\n", r.Status, r.StartedAt.Format("2006-01-02 15:04"), r.ActiveAt().Format("2006-01-02 15:04"))
	if r.Dir != "" {
		fmt.Fprintf(&b, "- Folder: %s\n", r.Dir)
	}
	if r.GitStart != "" {
		fmt.Fprintf(&b, "- Commits: %s to %s\n", short(r.GitStart), short(r.GitEnd))
	}
	handList(&b, "Goal", []string{cmp.Or(r.Goal, r.Title())}, 1, false)
	handList(&b, "Left to do", r.LeftOpen(), handoffItems, false)
	if len(r.LeftOpen()) == 0 {
		b.WriteString("\n## Left to do\n- Nothing was stated as open.\n")
	}
	handList(&b, "Decisions", r.Decisions, handoffItems, true)
	handList(&b, "Done", slices.Concat(r.Completed, r.Summary), handoffItems, true)
	if len(r.Completed)+len(r.Summary) == 0 || len(r.Turns) > 0 && r.Trigger != TriggerManual {
		handList(&b, "Last turns", turnLines(r.Turns), 5, true)
	}
	var files []string
	for _, f := range r.Files {
		files = append(files, fmt.Sprintf("%s (%s)", f.Path, f.Change))
	}
	handList(&b, "Files", files, handoffFiles, false)
	if r.DiffNote != "" {
		handList(&b, "Changes", []string{r.DiffNote}, 1, false)
	}
	var reading []string
	for _, p := range r.Plans {
		reading = append(reading, strings.TrimSpace(p.Path+" "+p.Header))
	}
	for _, ref := range r.References {
		reading = append(reading, strings.TrimSpace(ref.Title+" "+ref.URL))
	}
	handList(&b, "Plans and references", reading, handoffItems, true)
	b.WriteString("\n## To learn more\n")
	fmt.Fprintf(&b, "- codememory sessions show %s: the whole record\n- codememory transcript %s: what was said and done\n", r.ID, r.ID)
	if r.GitStart != "" {
		fmt.Fprintf(&b, "- git diff %s: all changes since it began\n", short(r.GitStart))
	}
	return b.String()
}

// Map returns the record with fn applied to every text in it.
func (r Record) Map(fn func(string) string) Record {
	r = r.clone()
	for _, field := range []*string{
		&r.ID, &r.Agent, &r.Project, &r.Dir, &r.Parent, &r.Slug, &r.Goal, &r.Trigger, &r.GitStart, &r.GitEnd, &r.DiffStat, &r.DiffNote,
	} {
		*field = fn(*field)
	}
	for _, list := range [][]string{r.Completed, r.Pending, r.Summary, r.Decisions} {
		for i := range list {
			list[i] = fn(list[i])
		}
	}
	for i, p := range r.Plans {
		r.Plans[i] = PlanFile{Path: fn(p.Path), Header: fn(p.Header)}
	}
	for i, ref := range r.References {
		r.References[i] = Reference{URL: fn(ref.URL), Title: fn(ref.Title)}
	}
	for i := range r.Files {
		r.Files[i].Path = fn(r.Files[i].Path)
	}
	for i := range r.Turns {
		n := &r.Turns[i]
		for _, field := range []*string{&n.ID, &n.Asked, &n.Done, &n.Failed, &n.Open} {
			*field = fn(*field)
		}
	}
	for i, s := range r.Extra {
		r.Extra[i] = Section{Title: fn(s.Title), Body: fn(s.Body)}
	}
	for i, h := range r.ExtraHead {
		r.ExtraHead[i] = HeadField{Key: fn(h.Key), YAML: fn(h.YAML)}
	}
	return r
}

// handList writes at most so many entries, of a list that grew the newest.
func handList(b *strings.Builder, title string, list []string, most int, newest bool) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	more := len(list) - most
	if more > 0 && newest {
		fmt.Fprintf(b, "- (%d earlier ones are in the record)\n", more)
		list = list[more:]
	} else if more > 0 {
		list = list[:most]
	}
	renderItems(b, list)
	if more > 0 && !newest {
		fmt.Fprintf(b, "- (%d more are in the record)\n", more)
	}
}

func turnLines(turns []TurnNote) []string {
	var lines []string
	for _, n := range turns {
		line := n.Asked
		if n.Done != "" {
			line += "; done: " + n.Done
		}
		if n.Failed != "" {
			line += "; failed: " + n.Failed
		}
		if n.Open != "" {
			line += "; left open: " + n.Open
		}
		lines = append(lines, line)
	}
	return lines
}

func orUnknown(agent string) string {
	if agent == "" {
		return "an unknown agent"
	}
	return agent
}

func short(commit string) string { return commit[:min(len(commit), 12)] }
