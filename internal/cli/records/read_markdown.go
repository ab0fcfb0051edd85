package records

import (
	"encoding/json"
	"strings"

	"codememory"
	"codememory/internal/memfile"
)

// readMarkdown reads an export, one memory file of a store, or a list somebody
// wrote: every top-level bullet is a memory, and a heading that names a type or
// a category gives it to the bullets below.
func (c *Contents) readMarkdown(text string) error {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	switch {
	case strings.HasPrefix(text, "---\n"):
		m, err := memfile.Decode([]byte(text))
		if err != nil {
			c.bad(1, "%s", err)
			return nil
		}
		c.add(1, m)
	case hasRecords(text):
		c.readSections(strings.Split(text, "\n"))
	default:
		c.readList(strings.Split(text, "\n"))
		if len(c.Records) == 0 && len(c.Bad) == 0 {
			return codememory.Errorf(codememory.Invalid, `the markdown has no list: write each memory as a line that begins with "- "`)
		}
	}
	return nil
}

func hasRecords(text string) bool {
	return strings.HasPrefix(text, recordMark) || strings.Contains(text, "\n"+recordMark) || strings.HasPrefix(text, markdownTitle+"\n")
}

// readSections reads an export: from each record comment to the next heading.
func (c *Contents) readSections(lines []string) {
	start, head := -1, ""
	var body []string
	flush := func() {
		if start >= 0 {
			c.addSection(start+1, head, strings.Join(body, "\n"))
		}
		start, body = -1, nil
	}
	for i, line := range lines {
		switch {
		case strings.HasPrefix(line, recordMark):
			flush()
			start, head = i, line
		case strings.HasPrefix(line, recordHeading):
			flush()
		case start >= 0:
			body = append(body, line)
		}
	}
	flush()
}

func (c *Contents) addSection(line int, head, body string) {
	head, ok := strings.CutSuffix(strings.TrimSpace(strings.TrimPrefix(head, recordMark)), strings.TrimSpace(recordEnd))
	if !ok {
		c.bad(line, "the comment of the record does not end on its line")
		return
	}
	var m codememory.Memory
	if err := json.Unmarshal([]byte(head), &m); err != nil {
		c.bad(line, "%s", explain(err))
		return
	}
	// The body can be edited; the text in the comment is only there when the
	// body cannot show it exactly, and holds as long as the body was not touched.
	body = bodyOf(unescape(body))
	if m.Text == "" || bodyOf(m.Text) != body {
		m.Text = body
	}
	c.add(line, m)
}

// readList reads bullets. Indented lines continue the bullet above.
func (c *Contents) readList(lines []string) {
	var kind codememory.Type
	var category codememory.Category
	start := -1
	var text []string
	flush := func() {
		if start < 0 {
			return
		}
		t := kind
		if t == "" {
			t = codememory.TypeOf(category)
		}
		c.add(start+1, codememory.Memory{
			Text: strings.TrimSpace(strings.Join(text, "\n")), Type: t, Category: category,
			Importance: codememory.DefaultImportance(t, category),
		})
		start, text = -1, nil
	}
	for i, line := range lines {
		bullet, isBullet := cutBullet(line)
		switch {
		case strings.HasPrefix(line, "#"):
			flush()
			kind, category = subjectOf(strings.TrimLeft(line, "# "))
		case isBullet:
			flush()
			start, text = i, []string{bullet}
		case start >= 0 && strings.HasPrefix(line, "  "):
			text = append(text, strings.TrimPrefix(line, "  "))
		case start >= 0 && strings.TrimSpace(line) != "":
			flush()
		}
	}
	flush()
}

func cutBullet(line string) (string, bool) {
	for _, mark := range []string{"- ", "* ", "+ "} {
		if rest, ok := strings.CutPrefix(line, mark); ok {
			return rest, true
		}
	}
	return "", false
}

// subjectOf reads "Learned patterns", "learned-pattern" and "Preferences" alike.
func subjectOf(heading string) (codememory.Type, codememory.Category) {
	name := strings.Join(strings.Fields(strings.ToLower(heading)), "-")
	for _, form := range []string{name, strings.TrimSuffix(name, "s"), strings.TrimSuffix(name, "ies") + "y"} {
		if t := codememory.Type(form); t.Valid() {
			return t, ""
		}
		if c := codememory.Category(strings.ReplaceAll(form, "-", "_")); c != "" && c.Valid() {
			return "", c
		}
	}
	return "", ""
}
