package session

import (
	"fmt"
	"strings"
	"time"

	"codememory"
)

const (
	bareTime = "2006-01-02T15:04:05"
	rule     = "---\n\n"
)

// Render writes the record as its file. All sections are always there, and
// times are in the zone of StartedAt, which the head names unless it is UTC.
func Render(r Record) string {
	r = clean(r)
	var b strings.Builder
	renderHead(&b, r)
	if len(r.Extra) > 0 && r.Extra[0].Title == "" {
		fmt.Fprintf(&b, "%s\n\n", r.Extra[0].Body)
		r.Extra = r.Extra[1:]
	}
	b.WriteString("## Goal\n")
	b.WriteString(escapeLines(r.Goal) + "\n\n")
	b.WriteString(rule + "## Todos\n\n### ✅ Work Completed\n")
	renderItems(&b, r.Completed)
	b.WriteString("\n### 🔲 Work To Be Completed\n")
	renderItems(&b, r.Pending)
	b.WriteString("\n" + rule + "## Files Touched\n\n")
	renderFiles(&b, r.Files)
	b.WriteString(rule + "## Git Diff Summary\n")
	if diff := joinDiff(r.DiffNote, r.DiffStat); diff != "" {
		b.WriteString(escapeLines(diff) + "\n")
	}
	b.WriteString("\n" + rule + "## Work Done\n")
	renderItems(&b, r.Summary)
	b.WriteString("\n" + rule + "## Plan Files\n\n")
	renderPlans(&b, r.Plans)
	b.WriteString("\n" + rule + "## Architecture Decisions\n\n")
	renderItems(&b, r.Decisions)
	b.WriteString("\n" + rule + "## References\n\n")
	for _, ref := range r.References {
		b.WriteString("- " + renderReference(ref) + "\n")
	}
	if len(r.Turns) > 0 {
		b.WriteString("\n" + rule + "## Last Turns\n\n")
		renderTurns(&b, r.Turns)
	}
	for _, s := range r.Extra {
		fmt.Fprintf(&b, "\n%s## %s\n%s\n", rule, s.Title, s.Body)
	}
	return b.String()
}

// renderItems writes bullets; further lines of an item are indented.
func renderItems(b *strings.Builder, items []string) {
	for _, item := range items {
		b.WriteString("- " + strings.ReplaceAll(item, "\n", "\n  ") + "\n")
	}
}

func renderFiles(b *strings.Builder, files []codememory.FileChange) {
	for _, k := range []struct {
		kind  codememory.ChangeKind
		title string
	}{{codememory.FileCreated, "Created"}, {codememory.FileModified, "Modified"}, {codememory.FileDeleted, "Deleted"}} {
		begun := false
		for _, f := range files {
			if f.Change != k.kind {
				continue
			}
			if !begun {
				b.WriteString("### " + k.title + "\n")
				begun = true
			}
			b.WriteString("- " + codeSpan(f.Path) + "\n")
		}
		if begun {
			b.WriteString("\n")
		}
	}
}

func renderPlans(b *strings.Builder, plans []PlanFile) {
	if len(plans) == 0 {
		return
	}
	b.WriteString("| File | Description |\n|------|-------------|\n")
	for _, p := range plans {
		fmt.Fprintf(b, "| %s | %s |\n", escapeCell(codeSpan(p.Path)), escapeCell(p.Header))
	}
}

func renderTurns(b *strings.Builder, turns []TurnNote) {
	for _, n := range turns {
		b.WriteString("- " + n.Asked)
		if n.ID != "" {
			b.WriteString(" " + anchorOpen + n.ID)
			if !n.At.IsZero() {
				b.WriteString(" " + n.At.Format(bareTime))
			}
			b.WriteString(" -->")
		}
		b.WriteString("\n")
		if n.Done != "" {
			b.WriteString("  - Done: " + n.Done + "\n")
		}
		if n.Failed != "" {
			b.WriteString("  - Failed: " + n.Failed + "\n")
		}
		if n.Open != "" {
			b.WriteString("  - Left open: " + n.Open + "\n")
		}
	}
}

// joinDiff puts the note before what git says.
func joinDiff(note, stat string) string {
	if note == "" || stat == "" {
		return note + stat
	}
	return note + "\n" + stat
}

// splitDiff takes the two apart: the first line is the note unless it looks
// like git's.
func splitDiff(diff string) (note, stat string) {
	first, rest, _ := strings.Cut(diff, "\n")
	if isStatLine(oneLine(first)) {
		return "", diff
	}
	return oneLine(first), cleanBlock(rest)
}

func isStatLine(line string) bool {
	return strings.Contains(line, "|") || strings.Contains(line, " changed, ") || strings.HasSuffix(line, " changed")
}

func offsetOf(t time.Time) string {
	if _, offset := t.Zone(); offset == 0 {
		return ""
	}
	return t.Format("-07:00")
}
