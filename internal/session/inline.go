package session

import "strings"

// The lines of a free text that would be read as something else.
var hazards = []string{"## ", "---", "```", "~~~", "<<<<<<<", "=======", ">>>>>>>"}

func isHazard(line string) bool {
	line = strings.TrimLeft(line, `\`)
	for _, h := range hazards {
		if strings.HasPrefix(line, h) {
			return true
		}
	}
	return line == "##"
}

// escapeLines puts a backslash before lines that are not what they look like.
func escapeLines(s string) string {
	if s == "" {
		return ""
	}
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if isHazard(line) {
			lines[i] = `\` + line
		}
	}
	return strings.Join(lines, "\n")
}

func unescapeLines(lines []string) string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if strings.HasPrefix(line, `\`) && isHazard(line) {
			line = line[1:]
		}
		out[i] = line
	}
	return cleanBlock(strings.Join(out, "\n"))
}

// codeSpan quotes s with as many backticks as it takes.
func codeSpan(s string) string {
	longest, run := 0, 0
	for _, c := range s {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	mark := strings.Repeat("`", longest+1)
	if strings.HasPrefix(s, "`") || strings.HasSuffix(s, "`") {
		s = " " + s + " "
	}
	return mark + s + mark
}

// uncodeSpan returns what a code span at the start of s holds and what follows
// it, or s itself when there is none.
func uncodeSpan(s string) (code, rest string) {
	n := len(s) - len(strings.TrimLeft(s, "`"))
	if n == 0 {
		return s, ""
	}
	for at := n; at < len(s); {
		if s[at] != '`' {
			at++
			continue
		}
		run := len(s[at:]) - len(strings.TrimLeft(s[at:], "`"))
		if run == n {
			return strings.TrimSpace(s[n:at]), strings.TrimSpace(s[at+n:])
		}
		at += run
	}
	return s, ""
}

// escapeCell lets a text hold the bars that end cells of a table.
func escapeCell(s string) string {
	var b strings.Builder
	slashes := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\':
			slashes++
		case '|':
			b.WriteString(strings.Repeat(`\`, slashes+1))
			slashes = 0
		default:
			slashes = 0
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// cells takes a row of a table apart.
func cells(row string) []string {
	row = strings.TrimSpace(row)
	row = strings.TrimPrefix(row, "|")
	var out []string
	var cell strings.Builder
	slashes := 0
	flush := func(n int) {
		cell.WriteString(strings.Repeat(`\`, n))
		slashes = 0
	}
	for i := 0; i < len(row); i++ {
		switch c := row[i]; {
		case c == '\\':
			slashes++
		case c == '|' && slashes%2 == 1:
			flush(slashes / 2)
			cell.WriteByte('|')
		case c == '|':
			flush(slashes / 2)
			out = append(out, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			flush(slashes)
			cell.WriteByte(c)
		}
	}
	flush(slashes)
	if last := strings.TrimSpace(cell.String()); last != "" {
		out = append(out, last)
	}
	return out
}

// renderReference writes a link, or the bare title of something without one.
func renderReference(ref Reference) string {
	title := strings.NewReplacer(`\`, `\\`, `[`, `\[`, `]`, `\]`).Replace(ref.Title)
	switch {
	case ref.URL == "":
		return title
	case strings.ContainsAny(ref.URL, "()"):
		return "[" + title + "](<" + ref.URL + ">)"
	}
	return "[" + title + "](" + ref.URL + ")"
}

// parseReference reads a link or whatever else somebody wrote.
func parseReference(s string) Reference {
	var title strings.Builder
	rest, linked := strings.CutPrefix(s, "[")
	end := -1
	for i := 0; i < len(rest); i++ {
		c := rest[i]
		if c == '\\' && i+1 < len(rest) && strings.IndexByte(`\[]`, rest[i+1]) >= 0 {
			i++
			title.WriteByte(rest[i])
			continue
		}
		if linked && c == ']' {
			end = i
			break
		}
		title.WriteByte(c)
	}
	if !linked {
		return cleanReference(Reference{Title: title.String()})
	}
	if end < 0 {
		return Reference{Title: s}
	}
	url, ok := strings.CutPrefix(rest[end+1:], "(")
	closed := strings.TrimSuffix(url, ")")
	if !ok || closed == url {
		return Reference{Title: s}
	}
	if inner, ok := strings.CutPrefix(closed, "<"); ok {
		closed = strings.TrimSuffix(inner, ">")
	}
	return cleanReference(Reference{URL: closed, Title: title.String()})
}
