package session

import (
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
// state, what was decided, what is left, which files, and how to learn more.
// The text is data out of a record; whoever shows it to a model marks it so.
func Handoff(r Record, to string) string {
	r = clean(r)
	var b strings.Builder
	fmt.Fprintf(&b, "# Handoff: %s\n\n", r.Title())
	fmt.Fprintf(&b, "Session %s of %s", r.ID, orUnknown(r.Agent))
	if r.Project != "" {
		fmt.Fprintf(&b, " in %s", r.Project)
	}
	if to = oneLine(to); to != "" {
		fmt.Fprintf(&b, ", handed over to %s", to)
	}
	fmt.Fprintf(&b, ". It is %s, began %s and was last active %s.\n", r.Status, r.StartedAt.Format("2006-01-02 15:04"), r.ActiveAt().Format("2006-01-02 15:04"))
	if r.Dir != "" {
		fmt.Fprintf(&b, "Folder: %s\n", r.Dir)
	}
	if r.GitStart != "" {
		fmt.Fprintf(&b, "Commits: %s to %s\n", short(r.GitStart), short(r.GitEnd))
	}
	if r.Goal != "" {
		fmt.Fprintf(&b, "\n## Goal\n%s\n", r.Goal)
	}
	handList(&b, "Left to do", r.LeftOpen(), handoffItems, false)
	if len(r.LeftOpen()) == 0 {
		b.WriteString("\n## Left to do\nNothing was stated as open.\n")
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
		fmt.Fprintf(&b, "\n%s\n", r.DiffNote)
	}
	var reading []string
	for _, p := range r.Plans {
		reading = append(reading, strings.TrimSpace(p.Path+" "+p.Header))
	}
	for _, ref := range r.References {
		reading = append(reading, renderReference(ref))
	}
	handList(&b, "Plans and references", reading, handoffItems, true)
	b.WriteString("\n## To learn more\n")
	fmt.Fprintf(&b, "- codememory sessions show %s: the whole record\n- codememory transcript %s: what was said and done\n", r.ID, r.ID)
	if r.GitStart != "" {
		fmt.Fprintf(&b, "- git diff %s: all changes since it began\n", short(r.GitStart))
	}
	return b.String()
}

// handList writes at most so many entries, of a list that grew the newest.
func handList(b *strings.Builder, title string, list []string, most int, newest bool) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "\n## %s\n", title)
	more := len(list) - most
	if more > 0 && newest {
		fmt.Fprintf(b, "(%d earlier ones are in the record)\n", more)
		list = list[more:]
	} else if more > 0 {
		list = list[:most]
	}
	renderItems(b, list)
	if more > 0 && !newest {
		fmt.Fprintf(b, "(%d more are in the record)\n", more)
	}
}

func turnLines(turns []TurnNote) []string {
	var lines []string
	for _, n := range turns {
		line := n.Asked
		if n.Done != "" {
			line += "\nDone: " + n.Done
		}
		if n.Failed != "" {
			line += "\nFailed: " + n.Failed
		}
		if n.Open != "" {
			line += "\nLeft open: " + n.Open
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
