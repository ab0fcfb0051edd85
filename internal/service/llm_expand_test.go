package service_test

import (
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/llm"
	"codememory/internal/llm/llmtest"
)

const expandSettings = "[llm.roles.expand]\nprovider = \"scripted\"\ntimeout = \"300ms\"\n"

func expanding(reply llmtest.Reply) func(llm.Role, llmtest.Request) llmtest.Reply {
	return func(role llm.Role, _ llmtest.Request) llmtest.Reply {
		if role == llm.Expand {
			return reply
		}
		return llmtest.Reply{}
	}
}

// remembered is a service that knows two things, one of which no word of the
// question has.
func remembered(t *testing.T, reply llmtest.Reply) (*withModel, codememory.ContextRequest) {
	t.Helper()
	w := openWithModel(t, expandSettings, expanding(reply))
	dir := t.TempDir()
	for _, text := range []string{"The zebra-printer driver needs firmware 8.2 or labels come out mirrored", "Cookies are called biscuits in the glossary"} {
		if _, err := w.Add(t.Context(), codememory.AddRequest{Project: dir, Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	return w, codememory.ContextRequest{Project: dir, Session: "ses_1", Goal: "customers complain about the parcel output", Parts: []codememory.Part{codememory.HUDPart}}
}

func TestAModelSaysWhatElseToLookFor(t *testing.T) {
	w, r := remembered(t, llmtest.Text(`{"queries":["zebra-printer driver firmware labels mirrored"],"entities":[],"keep":[]}`))
	for range 3 {
		ans, err := w.Context(t.Context(), r)
		if err != nil || !strings.Contains(ans.HUD, "firmware 8.2") {
			t.Fatalf("%s, %v", ans.HUD, err)
		}
		r.Actions = append(r.Actions, codememory.Action{Tool: "read", Target: "labels.go"})
	}
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("asked %d times for one message", n)
	}
	r.Goal = "another message about something else"
	if _, err := w.Context(t.Context(), r); err != nil || len(w.model.Requests()) != 2 {
		t.Errorf("asked %d times for two messages, %v", len(w.model.Requests()), err)
	}
}

func TestNobodyWaitsForASlowModel(t *testing.T) {
	answer := make(chan struct{})
	reply := llmtest.Text(`{"queries":["zebra-printer driver firmware labels mirrored"],"entities":[],"keep":[]}`)
	reply.Wait = answer
	w, r := remembered(t, reply)
	began := time.Now()
	ans, err := w.Context(t.Context(), r)
	if took := time.Since(began); err != nil || strings.Contains(ans.HUD, "firmware") || took < 250*time.Millisecond || took > 2*time.Second {
		t.Errorf("after %s: %s, %v", took, ans.HUD, err)
	}
	close(answer) // it comes late, and is there for the next call of the same message
	eventually(t, "the late answer", func() bool {
		ans, err := w.Context(t.Context(), r)
		return err == nil && strings.Contains(ans.HUD, "firmware 8.2")
	})
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestAFailedExpansionLeavesTheRules(t *testing.T) {
	w, r := remembered(t, llmtest.Reply{Status: 500})
	r.Goal = "what are cookies called in the glossary?"
	for range 2 {
		ans, err := w.Context(t.Context(), r)
		if err != nil || !strings.Contains(ans.HUD, "biscuits") {
			t.Errorf("%s, %v", ans.HUD, err)
		}
	}
	if n := len(w.model.Requests()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

func TestExpansionIsOffUnlessSomebodyAskedForIt(t *testing.T) {
	w := openWithModel(t, "", expanding(llmtest.Text(`{"queries":["x"]}`)))
	dir := t.TempDir()
	if _, err := w.Add(t.Context(), codememory.AddRequest{Project: dir, Text: "Cookies are called biscuits in the glossary"}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Context(t.Context(), codememory.ContextRequest{Project: dir, Goal: "cookies"}); err != nil || len(w.model.Requests()) != 0 {
		t.Errorf("asked %d times, %v", len(w.model.Requests()), err)
	}
}
