package redact

import "strings"

// assignment is what follows a name: an operator and a value, as in
// `name = "value"`, `"name": 'value'`, `name => value`, `("name", "value")` or
// `<name>value</name>`.
type assignment struct {
	between string // from the name's keyword to the operator
	op      string
	prefix  int  // where quotes, white space and equals signs before the value begin
	value   int  // where the value begins
	quote   byte // what it is quoted with, or 0
	spaced  bool // white space stands between name and value
}

// assignmentAfter reads the assignment that begins right after text[:at], the
// end of a name's keyword.
func assignmentAfter(text string, at int) (assignment, bool) {
	i := at
	for n := 0; n < 20 && i < len(text) && (isWord(text[i]) || strings.IndexByte(" \t.-", text[i]) >= 0); n++ {
		i++
	}
	for n := 0; n < 4 && i < len(text) && (isSpace(text[i]) || strings.IndexByte(`'"\]`, text[i]) >= 0); n++ {
		i++
	}
	a := assignment{between: text[at:i]}
	rest := text[i:]
	switch {
	case hasPrefixFold(rest, "value="): // <add key="name" value="…"/>
		a.op, i = "=", i+len("value=")
	default:
		a.op = operator(rest)
		if a.op == "" {
			return assignment{}, false
		}
		i += len(a.op)
	}
	if a.op == ":" {
		i = afterType(text, i)
	}
	a.prefix = i
	for n := 0; n < 6 && i < len(text) && (isSpace(text[i]) || strings.IndexByte("'\"`=\\", text[i]) >= 0); n++ {
		a.quote = 0
		if isQuote(text[i]) {
			a.quote = text[i]
		}
		i++
	}
	a.value = i
	a.spaced = strings.ContainsAny(a.between, " \t\n") || strings.ContainsAny(text[a.prefix:i], " \t\n")
	return a, i < len(text)
}

// operator returns the assignment operator at the beginning of s, or "".
func operator(s string) string {
	for _, op := range [...]string{":::=", "::=", ":=", "?=", "??=", "+=", "=>", "||", "=", ">", ":", ","} {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return ""
}

// afterType skips the type in `name: string = "value"`.
func afterType(text string, i int) int {
	j := i
	for j < len(text) && j < i+24 && (text[j] == ' ' || isWord(text[j])) {
		j++
	}
	if j > i && j+1 < len(text) && text[j] == '=' && text[j-1] == ' ' && text[j+1] == ' ' {
		return j + 1
	}
	return i
}

// valueEnds reports whether a value of an assignment may end before text[i].
func valueEnds(text string, i int) bool {
	if i == len(text) {
		return true
	}
	switch c := text[i]; {
	case isWord(c), strings.IndexByte("-+/=~%@:(#", c) >= 0:
		return false
	case c == '.':
		return i+1 == len(text) || isSpace(text[i+1])
	default:
		return true
	}
}

// maxJudged is how much of a value decides whether it is secret.
const maxJudged = 256

// valueAt returns the value of an assignment: to the closing quote, or to
// white space or punctuation, but no more than has to be judged.
func valueAt(text string, a assignment) string {
	value := text[a.value:valueEnd(text, a, a.value, min(len(text), a.value+maxJudged))]
	if a.quote != 0 || strings.HasSuffix(value, "...") {
		return value
	}
	return strings.TrimRight(value, ".:")
}

// valueEnd returns where the value of an assignment ends that reaches to i at
// least, and to limit at most.
func valueEnd(text string, a assignment, i, limit int) int {
	if i < a.value+maxJudged-len("..") && i > a.value {
		return i // all of it was judged
	}
	for ; i < limit; i++ {
		c := text[i]
		if a.quote != 0 {
			if c == a.quote || c == '\n' || c == '\\' && endsAtEscape(text[i+1:], a.quote) {
				break
			}
			continue
		}
		switch c {
		case ' ', '\t', '\n', '\v', '\f', '\r', '"', '\'', '`', ';', ',', ')', '}', ']', '<', '>', '&', '|', '\\':
			return i
		}
	}
	return i
}

// endsAtEscape reports whether a backslash before rest ends a quoted value: it
// escapes the closing quote of a string within a string, or is a line break.
func endsAtEscape(rest string, quote byte) bool {
	return rest == "" || rest[0] == quote || rest[0] == 'n' || rest[0] == 'r'
}
