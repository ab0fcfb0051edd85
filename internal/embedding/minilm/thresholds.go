package minilm

import "codememory"

// thresholds were read off the pairs in testdata/pairs.jsonl, and a test keeps
// them true there. The pairs were written for this purpose, so expect somewhat
// less on other data. What cosines of this model can and cannot tell:
//
//   - A changed value ("port 8080", "port 9090") is as close as other wording of
//     the same fact. Above Duplicate two statements have the same subject, but
//     whether they agree must be seen from their words and numbers.
//   - Above SameSubject one pair in fifty only shares the pattern of the
//     sentence ("the mobile app is released…", "the desktop app is released…").
//   - Unrelated statements stay below 0.15, two random ones below Related in
//     98 % of cases.
//   - Below Relevant lies no answer among the pairs; a question about the right
//     project without an answer in store often lies above.
var thresholds = codememory.Thresholds{
	Duplicate:   0.86,
	SameSubject: 0.70,
	Related:     0.42,
	Cluster:     0.60,
	Relevant:    0.30,
}
