package extract

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"codememory"
)

// A naming convention has an object (method names), a facet (how they begin,
// end, what they contain, their case) and a value. Read that far, it gets the
// same words however it was said, and a later one about the same object and
// facet replaces it.

type namingPatterns struct {
	object, value, start, end, contain, digit, cases, asAffix, after, rejected, task, past, theName *regexp.Regexp
}

const (
	objectNouns = `functions?|methods?|class(?:es)?|attributes?|variables?|arguments?|parameters?|params?|args?|constants?|fields?|propert(?:y|ies)|props?|columns?|tables?|files?|folders?|director(?:y|ies)|modules?|packages?|components?|hooks?|branch(?:es)?|tests?|interfaces?|types?|structs?|enums?|endpoints?|routes?|events?|env(?:ironment)? vars?|environment variables?|migrations?|fixtures?|mocks?`
	objectKinds = `function|method|class|test|instance|private|public|local|global|boolean|react|component|feature|database|table|constructor|module|keyword|type|env|environment|custom`
)

var naming = sync.OnceValue(func() namingPatterns {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	object := `((?:(?:` + objectKinds + `)\s+)?(?:` + objectNouns + `))`
	const determiner = `(?:(?:all|any|each|every|your|our|new|the)\s+)*`
	return namingPatterns{
		object:  re(`\b(` + determiner + `)` + object + `(?:'s?)?(?:\s+variable)?\s+(?:nam(?:es?|ing)|identifiers?)\b|\bnames?\s+(?:of|for)\s+(` + determiner + `)` + object + `\b|\b(?:naming|declaring|defining|creating|writing|name|prefix|suffix|name\s+of)\s+(?:convention\s+for\s+)?(` + determiner + `)` + object + `(?:\s+variables?)?\b|\bfor\s+(` + determiner + `)` + object + `(?:\s+variables?)?\b|^(` + determiner + `)` + object + `\s+(?:must|should|always|are|start|end|begin)\b`),
		value:   re("['\"“”‘’`]([A-Za-z0-9_@.-]{1,24})['\"“”‘’`]|(?:^|\\s)([A-Za-z][A-Za-z0-9]{0,11}[_-]|[_.-][a-z][a-z0-9]{0,11}(?:\\.[a-z]{1,5})?)(?:[\\s.,;!]|$)"),
		start:   re(`\b(?:start|starts|starting|begin|begins|beginning|prefix|prefixed|prefixing)\b`),
		end:     re(`\b(?:end|ends|ending|suffix|suffixed|suffixing)\b`),
		contain: re(`\b(?:include|includes|including|contain|contains|containing)\b`),
		digit:   re(`\b(?:include|contain|have|includes|contains)\b[^.]{0,20}\b(?:a |one )?(?:single )?digit\b`),
		cases:   re(`\b(camel ?case|pascal ?case|snake[ _-]?case|kebab[ -]?case|screaming[ _]snake[ _]case|(?:all )?upper ?case|(?:all )?lower ?case)\b`),
		asAffix: re(`^\W{0,2}\s*(?:as\s+)?(?:a|an|the)?\s*(prefix|suffix)\b`),
		after:   re(`^\W{0,2}\s+(?:somewhere\s+)?(?:in|within|into|for|to|of)\s+`),
		// What may stand between the verb and the value.
		rejected: re(`\b(?:instead of|rather than|not|named?|called|like|as in|e\.g\.|for example|such as|it|be|was|is|from|old)\s+(?:the\s+|an?\s+)?(?:prefix\s+|suffix\s+)?$`),
		task:     re(`^(?:rename|change|update|convert|refactor|fix|replace|migrate|make)\b`),
		past:     re(`^(?:i|we|you|they|it)(?:'ve| have| had)?\s+(?:renamed|changed|updated|used|found|noticed|saw|started|see|wanted)\b`),
		theName:  re(`(?i)\b(?:them|they|the (?:argument |attribute |method |function |variable |class )?names?|their names)\b|^(?:always |never )*(?:start|begin|end|include|use|prefix|suffix)\b`),
	}
})

// mention is an object of a sentence and where it stands.
type mention struct {
	at, end int
	object  string
	certain bool // "the x name" in a task is a certain one
}

// naming reads naming conventions.
func (v *conversation) naming(sentence string, c clause) []Candidate {
	p := naming()
	full := c.text()
	if p.past.MatchString(c.core) || p.task.MatchString(c.core) && !c.standing || len(full) > maxStatementBytes {
		return nil
	}
	values := p.value.FindAllStringSubmatchIndex(full, -1)
	digit, cased := p.digit.FindStringIndex(full), p.cases.FindStringSubmatchIndex(full)
	if len(values) == 0 && digit == nil && cased == nil {
		return nil
	}
	objects := p.mentions(full)
	if len(objects) == 0 {
		objects = v.referred(full)
	}
	if len(objects) == 0 || !c.told && !c.standing && !c.imperative() && !ruleLike().MatchString(full) {
		return nil
	}
	var found []Candidate
	add := func(at int, facet, value string) {
		o, ok := p.objectOf(full, at, objects)
		if !ok || o.certain && !c.standing && c.lead == "" {
			return
		}
		found = append(found, convention(o.object, facet, value))
	}
	for _, m := range values {
		value, at := submatch(full, m, 1, 2)
		before := strings.TrimRight(full[:at], "'\"“”‘’`")
		if facet := p.facet(before, full[m[1]:]); facet != "" && !p.rejected.MatchString(before) && affix(facet, value) {
			add(afterQuote(full, at+len(value)), facet, value)
		}
	}
	if digit != nil {
		add(digit[1], "content", "a single digit")
	}
	if cased != nil && len(values) == 0 && !startsWithLetter().MatchString(full) {
		add(cased[1], "case", caseName(full[cased[2]:cased[3]]))
	}
	return found
}

// afterQuote skips the mark that closes a quotation.
func afterQuote(s string, at int) int {
	rest := strings.TrimLeft(s[at:], "'\"“”‘’`")
	return len(s) - len(rest)
}

// namingValue reports whether a text holds something that names could begin,
// end or be written with.
func namingValue(s string) bool {
	return naming().value.MatchString(s) || naming().cases.MatchString(s)
}

// startsWithLetter is about a letter within a name, not about its case.
var startsWithLetter = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:start|begin|end)s? with an? (?:upper|lower) ?case`)
})

var ruleLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:must|should|always|we (?:start|begin|end|use|name|prefix|suffix)|are (?:always |all )?(?:named|prefixed|suffixed|written|in)|we(?:'re| are) (?:now )?standardi[sz]ing|convention|standard)\b`)
})

func submatch(s string, m []int, groups ...int) (string, int) {
	for _, g := range groups {
		if m[2*g] >= 0 {
			return s[m[2*g]:m[2*g+1]], m[2*g]
		}
	}
	return "", -1
}

// mentions finds the objects of a sentence.
func (p namingPatterns) mentions(s string) []mention {
	var all []mention
	for _, m := range p.object.FindAllStringSubmatchIndex(s, -1) {
		name, at := submatch(s, m, 2, 4, 6, 8, 10)
		determiner, _ := submatch(s, m, 1, 3, 5, 7, 9)
		whole := strings.ToLower(s[m[0]:m[1]])
		single := !strings.HasSuffix(strings.ToLower(name), "s") && !strings.Contains(whole, "names") && !strings.Contains(whole, "naming")
		all = append(all, mention{at: at, end: m[1], object: objectName(name), certain: strings.Contains(strings.ToLower(determiner), "the") && single})
	}
	return all
}

// referred finds the object in the sentence before, when this one says "them"
// or nothing at all, and there is just one.
func (v *conversation) referred(s string) []mention {
	if !naming().theName.MatchString(s) {
		return nil
	}
	all := naming().mentions(v.before)
	slices.SortFunc(all, func(a, b mention) int { return cmp.Compare(a.object, b.object) })
	all = slices.CompactFunc(all, func(a, b mention) bool { return a.object == b.object })
	if len(all) != 1 {
		return nil
	}
	return []mention{{at: -1, end: 0, object: all[0].object}}
}

// objectOf returns the object that the value which ends at at is for: the one
// named right after it ("'x' in method names"), or the last one before it.
func (p namingPatterns) objectOf(s string, at int, objects []mention) (mention, bool) {
	if p.after.MatchString(s[at:]) {
		for _, o := range objects {
			if o.at >= at && o.at-at < 40 {
				return o, true
			}
		}
	}
	for i := len(objects) - 1; i >= 0; i-- {
		if objects[i].at >= at || objects[i].certain && i > 0 {
			continue // "when naming attributes, end the variable name with": of the attribute
		}
		return objects[i], true
	}
	return mention{}, false
}

// facet says what a value is to a name, by the verb before it or the word after it.
func (p namingPatterns) facet(before, after string) string {
	if m := p.asAffix.FindStringSubmatch(after); m != nil {
		return strings.ToLower(m[1])
	}
	last := func(re *regexp.Regexp) int {
		all := re.FindAllStringIndex(before, -1)
		for i := len(all) - 1; i >= 0; i-- {
			next, _, _ := strings.Cut(strings.TrimSpace(before[all[i][1]:]), " ")
			if !strings.HasSuffix(next, "ing") && next != "up" { // "start using", "end up"
				return all[i][0]
			}
		}
		return -1
	}
	start, end, contain := last(p.start), last(p.end), last(p.contain)
	switch most := max(start, end, contain); {
	case most < 0 || len(before)-most > 80:
		return ""
	case most == start:
		return "prefix"
	case most == end:
		return "suffix"
	default:
		return "content"
	}
}

// affix reports whether a value can be what the facet wants.
func affix(facet, value string) bool {
	switch facet {
	case "prefix":
		return !strings.HasPrefix(value, "@") && value != ""
	case "suffix":
		return !strings.HasPrefix(value, "@") && value != ""
	default:
		return !strings.HasPrefix(value, "@") && len(value) >= 2
	}
}

// objectName gives an object one name, whatever its number.
func objectName(s string) string {
	words := strings.Fields(strings.ToLower(s))
	last := words[len(words)-1]
	switch {
	case strings.HasSuffix(last, "classes"), strings.HasSuffix(last, "branches"):
		last = strings.TrimSuffix(last, "es")
	case strings.HasSuffix(last, "ies"):
		last = strings.TrimSuffix(last, "ies") + "y"
	case strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss"):
		last = strings.TrimSuffix(last, "s")
	}
	switch last {
	case "param", "parameter", "arg":
		last = "argument"
	case "prop":
		last = "property"
	}
	words[len(words)-1] = last
	if last == "argument" && (len(words) == 1 || words[0] != "constructor" && words[0] != "class") {
		return "function argument" // what else has arguments
	}
	return strings.Join(words, " ")
}

func caseName(s string) string {
	switch plain := strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(s)); plain {
	case "camelcase":
		return "camelCase"
	case "pascalcase":
		return "PascalCase"
	case "snakecase":
		return "snake_case"
	case "kebabcase":
		return "kebab-case"
	case "screamingsnakecase":
		return "SCREAMING_SNAKE_CASE"
	case "alluppercase", "uppercase":
		return "UPPERCASE"
	default:
		return "lowercase"
	}
}

// convention puts a naming convention into words.
func convention(object, facet, value string) Candidate {
	var words string
	switch facet {
	case "prefix":
		words = fmt.Sprintf("Start %s names with '%s'", object, value)
	case "suffix":
		words = fmt.Sprintf("End %s names with '%s'", object, value)
	case "case":
		words = fmt.Sprintf("Use %s for %s names", value, object)
	default:
		if value != "a single digit" {
			value = "'" + value + "'"
		}
		words = fmt.Sprintf("Include %s in %s names", value, object)
	}
	subject := fmt.Sprintf("%s of %s names", facet, object)
	if facet == "content" {
		subject = "" // names can contain several things
	}
	return Candidate{
		Rule: "naming-convention", Text: words, Type: codememory.LearnedPattern, Category: codememory.NamingConvention,
		Subject: subject, Value: strings.Trim(value, "'"),
	}
}
