package extract

import (
	"regexp"
	"strings"
	"sync"
	"unicode"

	"codememory"
)

// RuleOutside is the rule that sets aside what a tool's output tells the agent
// to do.
const RuleOutside = "outside-instruction"

type commanding struct{ hostile, override, order *regexp.Regexp }

var commandingPatterns = sync.OnceValue(func() commanding {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`(?i)` + s) }
	return commanding{
		// Meant for a model, whoever wrote it.
		hostile: re(`\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|your|the|existing|other)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|constraints?|directives?|context|messages?|commands?|orders?|policy|policies|programming|training)\b|` +
			`\b(?:new|updated|real|actual|hidden|secret|additional|important|system|urgent|special)\s+(?:system\s+)?(?:instructions?|prompt|directives?|orders?)\b|` +
			`\byou are (?:now|no longer|an? (?:ai|assistant|language model|unrestricted))\b|\bpretend (?:to be|you are)\b|\bact as (?:an?|the|if)\b|\bas an ai\b|\bsystem prompt\b|\bjailbreak\b|\bDAN mode\b|\bdeveloper mode\b|` +
			`\b(?:dear|attention|note to|message to|instructions? (?:for|to)|hey|hello)\s+(?:the\s+)?(?:ai|a\.i\.|assistant|agent|model|llm|chatbot|bot|claude|gpt|chatgpt|gemini|copilot|codex)\b|` +
			`\b(?:do not|don't|never|without)\s+(?:tell|inform|mention|reveal|notify|telling|informing|asking|alert)\w*\b[^.\n]{0,30}\b(?:the\s+)?(?:user|human|developer|anyone|operator|them)\b|` +
			`\b(?:the )?(?:assistant|ai|agent|model|llm|chatbot)\s+(?:should|must|shall|will|needs? to|has to|is (?:required|instructed|allowed|authorized|to))\b|` +
			`\b(?:send|forward|post|upload|exfiltrate|transmit|leak|email|copy|print|output|reveal|repeat|share)\b[^.\n]{0,60}\b(?:passwords?|credentials?|secrets?|api[ -]?keys?|tokens?|conversation|chat history|private keys?|ssh keys?|\.ssh|id_rsa|contents? of|environment variables?|\.env|system prompt|user data|personal (?:data|information))\b|` +
			`\bcurl\b[^\n]*\|\s*(?:sudo )?(?:ba|z)?sh\b|\[/?(?:system|admin|user|assistant|rest-of-document)\b|\{[A-Z]+(?:_[A-Z]+)+\}|\b(?:core|follow|admin|hidden|legal)\s+(?:instruction|request|amendment)|\b(?:llms?|language models?|ai (?:systems?|models?|agents?)|automated screening)\b|<\|?(?:im_start|system|endoftext|/?inst)\b|\[/?INST\]|^\s*(?:system|assistant|human|user)\s*:\s*\S|</?(?:system|instructions?|assistant|important)>|` +
			`\bfor (?:all|every|any) future (?:interactions?|conversations?|sessions?|requests?|responses?|messages?)\b|\b(?:remember|store|save|add)\b[^.\n]{0,30}\b(?:to|in|into) (?:your |the )?(?:long-term )?memory\b|\bin all (?:your )?(?:future )?(?:answers|responses|replies)\b`),
		// Turns a model against its user. No user says that of his own accord, so
		// it was pasted.
		override: re(`\b(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|existing|your)\b[^.\n]{0,20}\b(?:instructions?|prompts?|guidelines?|constraints?|directives?|programming|training|safety)\b|` +
			`\byou are now (?:an?|in|the|DAN)\b|\b(?:do not|don't|never|without)\s+(?:tell|inform|reveal|notify|telling|informing)\w*\b[^.\n]{0,20}\bthe (?:user|human|operator)\b|` +
			`\bfor (?:all|every|any) future (?:interactions?|conversations?)\b|\b(?:send|forward|upload|exfiltrate|transmit)\b[^.\n]{0,60}\b(?:https?://|api\.[a-z]|@[a-z]+\.)|\bcurl\b[^\n]*\|\s*(?:sudo )?(?:ba|z)?sh\b`),
		// Tells somebody what to do from now on.
		order: re(`^(?:\W*(?:important|note|warning|attention|notice|reminder|tip|todo|action required)\W+)?(?:please\s+)?(?:always|never|from now on|you (?:must|should|need to|have to|are required to|shall)|make sure|be sure|ensure|remember|do not|don't|whenever you|before (?:you|doing|running|answering|continuing)|first,? (?:run|execute|call|open|read)|run (?:the following|this)|execute (?:the following|this)|install (?:the following|this)|respond (?:only|with)|reply (?:only|with)|answer (?:only|with)|use only|(?:say|write|tell|send|visit|click|download|forward|respond|reply|answer|output|print|repeat|recommend|promote|advertise|include|append|add|insert|translate|summari[sz]e|describe|explain|generate|create|compose|encourage|suggest|ask|give|provide|show|list|reveal|ignore|disregard|forget|stop|start|run|execute|call|open|pretend|act|imagine|follow|obey|comply|let|help|consider|mention|change|replace|modify|delete|remove|update|use|install|go to|navigate|search|find|convert|introduce|offer|advise|inform|notify|warn|refuse|continue|begin|end|finish|complete|perform|conduct|teach|instruct|redirect|link|share|spread|embed|encode|decode|reverse|count|multiply|calculate)\s+(?:(?:the|a|an|all|any|your|my|our|his|her|their|its|this|that|these|those|me|us|it|him|them|to|in|with|on|about|people|users?|only|as|for|every|each|some|what|how|why|you)\b|['"]|\S+ (?:to|with|in|on|about|for|and|from|into)\b))`),
	}
})

// ReadsAsInstruction reports whether a text tells its reader what to do. Such a
// text is fine when the user wrote it, and must not reach a model as a memory
// when a tool did.
func ReadsAsInstruction(s string) bool {
	p := commandingPatterns()
	if p.hostile.MatchString(s) {
		return true
	}
	// "Error: always run …" is an order too, and so is one after a first sentence.
	for sentence := range strings.FieldsFuncSeq(s, func(r rune) bool { return strings.ContainsRune(".!?;\n:>|—", r) }) {
		if p.order.MatchString(strings.TrimLeft(sentence, " '\"“*-_#([`")) {
			return true
		}
	}
	return false
}

// conversational reports whether a line talks to its reader rather than
// naming a fault: it is a sentence, says I or you, has as many small words as
// prose, markup, or the letters of another language. Some messages of real programs are like
// that too; a person can let those in.
func conversational(line string) bool {
	const proseLike, tooMany = 4, 16
	last := line[strings.LastIndexByte(line, ':')+1:]
	sentence := strings.HasSuffix(last, ".") && len(strings.Fields(last)) >= proseLike && !numbered().MatchString(line)
	if sentence || strings.ContainsAny(line, "?¿？") || len(strings.Fields(line)) > tooMany || markedUp().MatchString(line) ||
		strings.IndexFunc(line, func(r rune) bool { return r > 0x7f && unicode.IsLetter(r) }) >= 0 {
		return true
	}
	small := 0
	for word := range wordsOf(line) {
		switch word {
		case "i", "you", "your", "we", "us", "our", "my", "me", "please", "let":
			return true
		case "the", "a", "an", "of", "about", "with", "is", "are", "was", "this", "that", "these", "if", "it", "its", "and", "or", "then", "be", "been", "as", "at", "who", "will", "should", "must", "have", "has", "here", "all", "any", "by", "on":
			small++
		}
	}
	return small >= proseLike
}

// numbered are the messages of compilers, which are sentences with a number.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\berror:? (?:TS|CS|E|C|MSB|NU)\d{3,5}\b|error\[E\d+\]`)
})

var markedUp = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<\/?[a-z]|!\[|\*\*|[{<]\s*[a-z]+ of `) })

// maxOutside bounds how much one turn can put before a person.
const maxOutside = 2

// Outside sets aside the lines of tools' output that pose as something to
// remember or to obey, for a person to look at. They are never active.
func Outside(t codememory.Turn) []Candidate {
	var found []Candidate
	seen := map[string]bool{}
	for _, step := range t.Steps {
		if step.Tool == nil || len(found) == maxOutside {
			continue
		}
		from := fromOutside(*step.Tool)
		if from == "" {
			continue
		}
		for line := range strings.Lines(step.Tool.Output) {
			line = strings.Join(strings.Fields(listMark().ReplaceAllString(strings.TrimSpace(line), "")), " ")
			if len(line) < 20 || len(line) > maxStatementBytes || seen[strings.ToLower(line)] || !posing(line) {
				continue
			}
			seen[strings.ToLower(line)] = true
			found = append(found, Candidate{
				Rule: RuleOutside, Text: line, Type: codememory.LearnedPattern, Importance: 0.3, Class: codememory.ClassTool,
				Excerpt: cut(step.Tool.Target, 200), Quarantine: from + " that reads as an instruction",
			})
			if len(found) == maxOutside {
				break
			}
		}
	}
	return found
}

// posing reports whether a line wants to be remembered or obeyed by a model.
func posing(line string) bool {
	if commandingPatterns().hostile.MatchString(line) {
		return true
	}
	return wantsMemory().MatchString(line)
}

var wantsMemory = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(?:please\s+)?(?:(?:always |you must |you should )?remember\b(?:\s*:|,| that| to| this)|memori[sz]e|commit (?:this )?to memory|from now on\b|save this to)`)
})

var fetches = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(?:curl|wget|http|https|lynx|w3m|gh)\s`) })

// fromOutside names the source of a tool's output when others than the user
// and the project may have written it; "" when not.
func fromOutside(c codememory.ToolCall) string {
	name := strings.ToLower(c.Name)
	switch {
	case strings.Contains(name, "codememory") || name == "memory":
		return "" // our own answers
	case strings.Contains(name, "fetch"), strings.Contains(name, "web"), strings.Contains(name, "browser"), strings.Contains(name, "url"):
		return "a web page"
	case strings.HasPrefix(name, "mcp"), strings.Contains(name, "__"):
		return "the output of the tool " + c.Name
	case isCommand(c) && fetches().MatchString(c.Target):
		return "the output of a command"
	}
	return ""
}
