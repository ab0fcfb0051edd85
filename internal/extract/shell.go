package extract

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// shellLine is a command line taken apart as far as its exit code can tell
// what succeeded.
type shellLine struct {
	dir     string   // where cd went first, "" for where the session works
	parts   []string // the simple commands, in order
	certain []bool   // exit code 0 of the whole means that this part succeeded
}

// parseShell takes a command line apart. ok is false for what needs a real
// shell to be understood: here-documents, loops, background jobs.
func parseShell(command string) (line shellLine, ok bool) {
	command = strings.TrimSpace(command)
	if command == "" || strings.Contains(command, "<<") || control().MatchString(command) {
		return line, false
	}
	var operators []string
	var part strings.Builder
	flush := func(operator string) {
		line.parts = append(line.parts, strings.Join(strings.Fields(part.String()), " "))
		operators = append(operators, operator)
		part.Reset()
	}
	quote := byte(0)
	for i := 0; i < len(command); i++ {
		c := command[i]
		switch {
		case quote != 0:
			if c == quote && (quote == '\'' || command[i-1] != '\\') {
				quote = 0
			}
			part.WriteByte(c)
		case c == '\\' && i+1 < len(command):
			i++
			if command[i] != '\n' {
				part.WriteByte(c)
				part.WriteByte(command[i])
			}
		case c == '\'' || c == '"':
			quote = c
			part.WriteByte(c)
		case strings.HasPrefix(command[i:], "&&"), strings.HasPrefix(command[i:], "||"):
			flush(command[i : i+2])
			i++
		case c == '&' && (i == 0 || command[i-1] != '>') && !strings.HasPrefix(command[i:], "&>"):
			return line, false // in the background
		case c == ';', c == '|', c == '\n':
			flush(string(c))
		default:
			part.WriteByte(c)
		}
	}
	if quote != 0 {
		return line, false
	}
	flush("")
	return line.judged(operators), true
}

var control = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(?:^|[;&|]\s*)(?:for|while|until|if|case|function|exec|trap)\s|\beval\s|^\s*[({]`)
})

// judged finds out which parts succeeded when the whole did: those that end
// it, and those joined to them by "and".
func (l shellLine) judged(operators []string) shellLine {
	l.certain = make([]bool, len(l.parts))
	piped := func(i int) bool { return operators[i] == "|" || i > 0 && operators[i-1] == "|" }
	for i := len(l.parts) - 1; i >= 0; i-- {
		if operators[i] == "||" || i > 0 && operators[i-1] == "||" {
			break
		}
		// Of a pipe only the last command is known to have succeeded, and that
		// says nothing of what was tested.
		l.certain[i] = !piped(i)
		if i > 0 && operators[i-1] != "&&" {
			break
		}
	}
	for len(l.parts) > 1 && operators[0] == "&&" {
		dir, ok := strings.CutPrefix(l.parts[0], "cd ")
		if !ok {
			break
		}
		l.dir = path.Join(l.dir, strings.Trim(strings.TrimSpace(dir), `'"`))
		if strings.HasPrefix(strings.Trim(strings.TrimSpace(dir), `'"`), "/") {
			l.dir = path.Clean(strings.Trim(strings.TrimSpace(dir), `'"`))
		}
		l.parts, l.certain, operators = l.parts[1:], l.certain[1:], operators[1:]
	}
	return l
}

var shellNoise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s*(?:\d?>>?\s*(?:&\d|/dev/null)|&>\s*/dev/null|<\s*/dev/null)`)
})

var shellPrefix = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:time|nice|command|timeout\s+(?:-\S+\s+)*\S+)\s+`)
})

var shellAssignments = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:[A-Za-z_]\w*=(?:'[^']*'|"[^"]*"|\S*)\s+)+`) })

// bare returns a simple command without redirections and wrappers. The
// settings before it stay: it may need them.
func bare(part string) string {
	part = strings.TrimSpace(shellNoise().ReplaceAllString(part, ""))
	return shellPrefix().ReplaceAllString(part, "")
}

// program returns a simple command without the settings before it.
func program(part string) string { return shellAssignments().ReplaceAllString(bare(part), "") }

// runKey is what makes two runs of a command line the same run: its last
// part, without what only changes how much is printed.
func runKey(command string) string {
	line, ok := parseShell(command)
	if !ok || len(line.parts) == 0 {
		return strings.Join(strings.Fields(command), " ")
	}
	var words []string
	for _, part := range line.parts {
		p := program(part)
		name, _, _ := strings.Cut(p, " ")
		switch name {
		case "tail", "head", "grep", "tee", "cat", "echo", "sed", "wc", "sort", "less", "true", "set", "export":
			continue
		}
		words = append(words, quietly(p))
	}
	return line.dir + "$" + strings.Join(words, " && ")
}

var noisyFlags = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\s+(?:-v|-vv|--verbose|-q|--quiet|--silent|-s|-count=1|--color(?:=\S+)?|--no-color|--tb=\S+|-x|--bail|--no-header|--reporter=\S+)(?:\s|$)`)
})

// quietly drops flags that only change what is printed.
func quietly(part string) string {
	for {
		next := strings.TrimSpace(noisyFlags().ReplaceAllString(part, " "))
		if next == part {
			return strings.Join(strings.Fields(part), " ")
		}
		part = next
	}
}
