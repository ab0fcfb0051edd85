//go:build e2e

package e2e

import (
	"reflect"
	"testing"

	"codememory/e2e/scriptedllm"
)

// conversation is a session with rounds of tools, several turns and a change of
// subject.
func conversation(o *openCode) {
	session := o.session("conversation")
	o.prompt(session, poolPrompt, `@@tool bash {"command":"echo one","description":"one"}`, `@@tool read {"filePath":"main.go"}`, "@@text first")
	o.prompt(session, "what is velodrome?", `@@tool bash {"command":"echo two","description":"two"}`, "@@text second")
	o.prompt(session, "thanks", "@@text third")
}

// stablePrefix checks that each request begins with the one before it, less its HUD.
func stablePrefix(w *world, o *openCode) {
	n := w.model.Count()
	conversation(o)
	requests := w.model.Since(n, scriptedllm.Chat)
	for i := 1; i < len(requests); i++ {
		before, after := requests[i-1].Messages, requests[i].Messages
		if hasHUD(requests[i-1]) {
			before = before[:len(before)-1]
		}
		if len(after) < len(before) || !reflect.DeepEqual(before, after[:len(before)]) {
			w.Errorf("request %d does not begin with request %d", i+1, i)
		}
	}
}

// TestPromptCacheSurvives compares consecutive requests byte by byte: with
// CodeMemory they have at least as long a beginning in common as without.
func TestPromptCacheSurvives(t *testing.T) {
	w := openCodeWorld(t, openCodeVersions[0])
	dir := w.project("velodrome")
	w.remember(dir, poolFact)
	w.remember(dir, "--type", "project-brief", briefFact)
	lengths := func(extra ...string) []int {
		n := w.model.Count()
		conversation(w.serve(dir, extra...))
		var list []int
		requests := w.model.Since(n, scriptedllm.Chat)
		for i := 1; i < len(requests); i++ {
			list = append(list, common(requests[i-1].Body, requests[i].Body))
		}
		return list
	}
	without := lengths()
	w.install("opencode")
	with := lengths()
	t.Logf("bytes in common with the request before: without %v, with %v", without, with)
	if len(with) != len(without) || len(with) == 0 {
		t.Fatalf("%d requests with, %d without", len(with)+1, len(without)+1)
	}
	for i := range with {
		if with[i] < without[i] {
			t.Errorf("requests %d and %d have %d bytes in common, without CodeMemory %d", i+1, i+2, with[i], without[i])
		}
	}
}

func common(a, b []byte) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
