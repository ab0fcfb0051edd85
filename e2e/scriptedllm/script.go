package scriptedllm

import (
	"fmt"
	"strings"
	"time"
)

// script is what the directives of a message ask for, one on a line:
//
//	@@tool NAME {json}   a round with this tool call; @@par before it joins the round before
//	@@text WORDS         the final answer
//	@@usage N            tokens of the prompt to report with the final answer
//	@@usage-always N     the same, with every answer
//	@@usage-tools N      the same, with those that call a tool
//	@@overflow           once, an error that the context window is exceeded
//	@@delay MS           wait before answering
//
// In the Responses protocol, a JSON string in place of the object makes a custom
// tool call with that input, and mcp__server__tool is taken apart.
type script struct {
	source    string
	steps     [][]call
	text      string
	input     int
	inputWith string // the directive that said so
	overflow  bool
	delay     time.Duration
}

// summary is what a compaction answers, long enough to be worth keeping. It says
// how many rounds are behind, as some agents keep the user's message but not
// what followed it.
const summary = "SCRIPTED-SUMMARY %d of %d rounds: the goal is the work at hand, there is progress, and the next step is the one that the user asks for."

// scriptOf reads the last message of the user that has directives, and counts
// the rounds of tools since.
func scriptOf(r Request) (sc script, rounds int) {
	at := -1
	for i, m := range r.Messages {
		if m.Role == "user" && strings.Contains("\n"+m.Text, "\n@@") {
			at = i
		}
	}
	if at < 0 {
		return script{}, 0
	}
	for _, m := range r.Messages[at+1:] {
		if m.Role == "assistant" && m.ToolCalls > 0 {
			rounds++
		}
		said, _, _ := strings.Cut(m.Text, "<codememory") // a summary may be remembered, too
		if _, after, ok := strings.Cut(said, "SCRIPTED-SUMMARY "); ok && m.Role == "user" {
			var id, before int
			fmt.Sscanf(after, "%d of %d rounds", &id, &before)
			rounds += before
		}
	}
	return parse(r.Messages[at].Text), rounds
}

func parse(text string) script {
	sc := script{source: text}
	join := false
	for line := range strings.Lines(text) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch word {
		case "@@par":
			join = true
		case "@@tool":
			name, args, _ := strings.Cut(rest, " ")
			if args == "" {
				args = "{}"
			}
			c := call{name, args}
			if join && len(sc.steps) > 0 {
				sc.steps[len(sc.steps)-1] = append(sc.steps[len(sc.steps)-1], c)
			} else {
				sc.steps = append(sc.steps, []call{c})
			}
			join = false
		case "@@text":
			sc.text = rest
		case "@@usage", "@@usage-always", "@@usage-tools":
			fmt.Sscan(rest, &sc.input)
			sc.inputWith = word
		case "@@overflow":
			sc.overflow = true
		case "@@delay":
			var ms int
			fmt.Sscan(rest, &ms)
			sc.delay = time.Duration(ms) * time.Millisecond
		}
	}
	return sc
}
