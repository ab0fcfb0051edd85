package lifecycle

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"codememory"
)

// Section is a generated part of a document.
type Section struct {
	Name  string // one word, for the markers
	Title string
	Lines []string
}

// The markers around a generated section. The hash is that of what was
// generated: another content means that a person edited it.
var (
	beginMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<!-- codememory:begin ([a-z-]+) ([0-9a-f]{16}) -->$`)
	})
	knownMark = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<!-- codememory:sections ([a-z ,-]*) -->$`)
	})
)

const endMark = "<!-- codememory:end -->"

// block is a run of lines of a document.
type block struct {
	name  string // of a section; "": a person's own lines
	hash  string // what the marker says
	lines []string
}

func (b block) edited() bool { return b.name != "" && b.hash != hashLines(b.lines) }

func hashLines(lines []string) string { return codememory.TextHash(strings.Join(lines, "\n"))[:16] }

// parse takes a document apart. A section whose end is missing is a person's.
func parse(doc string) (blocks []block, known []string) {
	var own []string
	flush := func() {
		if len(own) > 0 {
			blocks = append(blocks, block{lines: own})
			own = nil
		}
	}
	lines := strings.Split(strings.TrimSuffix(strings.ReplaceAll(doc, "\r\n", "\n"), "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if m := knownMark().FindStringSubmatch(lines[i]); m != nil {
			known = strings.Fields(strings.ReplaceAll(m[1], ",", " "))
			continue
		}
		m := beginMark().FindStringSubmatch(lines[i])
		end := -1
		if m != nil {
			end = slices.Index(lines[i+1:], endMark)
		}
		if end < 0 {
			own = append(own, lines[i])
			continue
		}
		flush()
		blocks = append(blocks, block{name: m[1], hash: m[2], lines: slices.Clone(lines[i+1 : i+1+end])})
		i += 1 + end
	}
	flush()
	return blocks, known
}

func render(blocks []block, known []string) string {
	var b strings.Builder
	for _, x := range blocks {
		if x.name != "" {
			fmt.Fprintf(&b, "<!-- codememory:begin %s %s -->\n", x.name, x.hash)
		}
		for _, l := range x.lines {
			b.WriteString(l + "\n")
		}
		if x.name != "" {
			b.WriteString(endMark + "\n")
		}
	}
	fmt.Fprintf(&b, "<!-- codememory:sections %s -->\n", strings.Join(known, ", "))
	return b.String()
}

// Update brings the generated sections of a document up to date. What a person
// wrote, inside a section or around it, stays as it is, and a section that a
// person took out does not come back. It names the sections it left alone.
func Update(doc, title string, sections []Section) (updated string, kept []string) {
	var blocks []block
	var known []string
	if strings.TrimSpace(doc) == "" {
		blocks = []block{{lines: []string{"# " + title, ""}}}
	} else {
		blocks, known = parse(doc)
	}
	for _, s := range sections {
		at := slices.IndexFunc(blocks, func(b block) bool { return b.name == s.Name })
		lines := append([]string{"## " + s.Title, ""}, s.Lines...)
		switch {
		case at >= 0 && blocks[at].edited():
			kept = append(kept, s.Name)
		case at >= 0:
			blocks[at].lines, blocks[at].hash = lines, hashLines(lines)
		case slices.Contains(known, s.Name):
			kept = append(kept, s.Name)
		case len(s.Lines) > 0:
			blocks = append(blocks, block{name: s.Name, hash: hashLines(lines), lines: lines})
			known = append(known, s.Name)
		}
	}
	return render(blocks, known), kept
}

// Clean names the sections of a document that nobody edited.
func Clean(doc string) []string {
	var names []string
	blocks, _ := parse(doc)
	for _, b := range blocks {
		if b.name != "" && !b.edited() {
			names = append(names, b.name)
		}
	}
	return names
}

// Seal makes the present content of sections count as generated, after a purge
// took lines out of them.
func Seal(doc string, names []string) string {
	blocks, known := parse(doc)
	for i, b := range blocks {
		if slices.Contains(names, b.name) {
			blocks[i].hash = hashLines(b.lines)
		}
	}
	return render(blocks, known)
}

// Line makes a line of a document from a memory: one line, without anything
// that could pass for a marker or a heading.
func Line(m codememory.Memory) string {
	s := strings.Join(strings.Fields(m.Text), " ")
	s = strings.NewReplacer("<!--", "<! --", "-->", "-- >").Replace(s)
	return fmt.Sprintf("- %s (%s, %s)", s, codememory.ShownID(m.ID), m.UpdatedAt.Format("2006-01-02"))
}
