package git

import "strings"

// remoteInConfig returns the URL of origin in the text of a git configuration,
// else that of the first remote, else "".
func remoteInConfig(text string) string {
	first, origin, section := "", "", ""
	for len(text) > 0 {
		var line string
		line, text = cutLine(text)
		line = strings.TrimLeft(line, " \t")
		if strings.HasPrefix(line, "[") {
			section, line = cutSection(line)
			line = strings.TrimLeft(line, " \t")
		}
		name, isRemote := strings.CutPrefix(section, "remote.")
		key, value, _ := strings.Cut(line, "=")
		if !isRemote || !strings.EqualFold(strings.TrimSpace(key), "url") {
			continue
		}
		url := unquote(value)
		switch {
		case url == "": // names no place
		case name == "origin" && origin == "":
			origin = url
		case first == "" && name != "origin":
			first = url
		}
	}
	if origin != "" {
		return origin
	}
	return first
}

// cutLine takes the first line off text. A backslash at the end continues it.
func cutLine(text string) (line, rest string) {
	var joined strings.Builder
	for {
		line, rest, _ = strings.Cut(text, "\n")
		line = strings.TrimSuffix(line, "\r")
		trailing := len(line) - len(strings.TrimRight(line, `\`))
		if trailing%2 == 0 || rest == "" {
			joined.WriteString(line)
			return joined.String(), rest
		}
		joined.WriteString(line[:len(line)-1])
		text = rest
	}
}

// cutSection parses `[remote "name"] rest` into "remote.name" and the rest. A
// section that is not understood has the name "".
func cutSection(line string) (section, rest string) {
	body := line[1:]
	quote := strings.IndexByte(body, '"')
	end := strings.IndexByte(body, ']')
	if end < 0 {
		return "", ""
	}
	if quote < 0 || end < quote {
		return strings.ToLower(strings.TrimSpace(body[:end])), body[end+1:]
	}
	kind := strings.ToLower(strings.TrimSpace(body[:quote]))
	var name strings.Builder
	for i := quote + 1; i < len(body); i++ {
		switch body[i] {
		case '\\':
			if i++; i < len(body) {
				name.WriteByte(body[i])
			}
		case '"':
			_, rest, _ = strings.Cut(body[i+1:], "]")
			return kind + "." + name.String(), rest
		default:
			name.WriteByte(body[i])
		}
	}
	return "", ""
}

// unquote returns a configuration value without comment, quotes and escapes.
func unquote(value string) string {
	var b strings.Builder
	quoted := false
	keep := 0 // spaces at the end count only inside quotes
	value = strings.TrimLeft(value, " \t")
	for i := 0; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '"':
			quoted = !quoted
			keep = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			i = len(value)
			continue
		case c == '\\' && i+1 < len(value):
			i++
			switch value[i] {
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			default:
				c = value[i]
			}
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' {
			keep = b.Len()
		}
	}
	return b.String()[:keep]
}
