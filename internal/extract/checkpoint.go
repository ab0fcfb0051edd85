package extract

import (
	"strings"

	"codememory"
)

// RuleCheckpoint is the rule that takes decisions from checkpoints.
const RuleCheckpoint = "checkpoint-decision"

// minDecisionWords is what a decision takes to be understood later.
const minDecisionWords = 5

// Decided makes memories of the decisions that an agent states in a
// checkpoint. They are the agent's words, so they count less than the user's.
func Decided(decisions []string) []Candidate {
	var found []Candidate
	for _, d := range decisions {
		text := strings.Join(strings.Fields(d), " ")
		c := dissect(text)
		if len(strings.Fields(text)) < minDecisionWords || len(text) > 2*maxStatementBytes || dangling(c) || !technical(text) || unfitPatterns().asking.MatchString(text) {
			continue
		}
		found = append(found, Candidate{
			Rule: RuleCheckpoint, Text: text, Type: codememory.Architecture, Category: codememory.DecisionRationale, Importance: 0.5,
			Class: codememory.ClassAgent, Quarantine: reviewed(text, "an agent's checkpoint"),
		})
	}
	return found
}

// reviewed is why a text that others than the user wrote needs a person's eye,
// or "".
func reviewed(text, from string) string {
	if commandingPatterns().hostile.MatchString(text) {
		return from + " holds what reads as an instruction to a model"
	}
	return ""
}
