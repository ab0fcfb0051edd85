//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"codememory/e2e/scriptedllm"
)

const (
	hudOpens    = `<codememory kind="hud">`
	stableOpens = `<codememory kind="stable">`

	poolFact   = "The staging database drops idle connections after 60 s; the pool must ping every 30 s."
	briefFact  = "Velodrome is a benchmark runner in Go with a web report."
	poolPrompt = "why does the connection pool of the staging database lose connections?"
)

// hasHUD reports whether a request ends with a HUD.
func hasHUD(r scriptedllm.Request) bool {
	return r.Last().Role == "user" && strings.HasPrefix(r.Last().Text, hudOpens)
}

// TestOpenCode goes through what a user of OpenCode meets, with one server for
// all of it: starting one takes seconds.
func TestOpenCode(t *testing.T) {
	for _, version := range openCodeVersions {
		t.Run(version, func(t *testing.T) {
			w := openCodeWorld(t, version)
			w.install("opencode")
			dir := w.project("velodrome")
			w.remember(dir, poolFact)
			w.remember(dir, "--type", "project-brief", briefFact)
			o := w.serve(dir)
			for _, s := range []struct {
				name string
				test func(*world, *openCode)
			}{
				{"the first call already has both blocks", firstCall},
				{"every round of tools gets the HUD anew", toolRounds},
				{"a window that fills up is announced", fillingWindow},
				{"titles are asked for without memory", titles},
				{"the model can use the tools", tools},
				{"a wish to remember is passed on to the model", nudge},
				{"earlier messages never change", stablePrefix},
				{"a killed daemon does not disturb the turn and comes back", killedDaemon},
				{"a daemon that hangs costs the deadline at most", hangingDaemon},
				{"a manual compaction keeps the memory and none of our blocks", manualCompaction},
				{"so does an automatic one", autoCompaction},
				{"so does one that the model asks for", toolCompaction},
				{"a subagent works without memory", subagent},
			} {
				t.Run(s.name, func(t *testing.T) {
					w, o := *w, *o
					w.T, o.T = t, t
					s.test(&w, &o)
				})
			}
		})
	}
}

func firstCall(w *world, o *openCode) {
	session, n := o.session("first"), w.model.Count()
	began := time.Now()
	o.prompt(session, poolPrompt)
	requests := w.model.Since(n, scriptedllm.Chat)
	if len(requests) != 1 {
		w.Fatalf("%d requests", len(requests))
	}
	r := requests[0]
	w.Logf("the first prompt took %v", time.Since(began).Round(time.Millisecond))
	if !hasHUD(r) || !strings.Contains(r.Last().Text, "ping every 30 s") {
		w.Errorf("the last message is %q", r.Last().Text)
	}
	if r.Messages[0].Role != "system" || !strings.Contains(r.Messages[0].Text, stableOpens) || !strings.Contains(r.Messages[0].Text, briefFact) {
		w.Errorf("the system message ends with %q", tail(r.Messages[0].Text))
	}
	for _, m := range r.Messages[1:] {
		if m.Role == "system" {
			w.Error("there is a second system message, which some servers refuse")
		}
	}
	for _, m := range o.messages(session) {
		if strings.Contains(m.text(), "<codememory") {
			w.Errorf("stored in the session: %q", m.text())
		}
	}
}

func tail(text string) string { return text[max(0, len(text)-300):] }

func toolRounds(w *world, o *openCode) {
	session, n := o.session("rounds"), w.model.Count()
	answer := o.prompt(session, poolPrompt, `@@tool bash {"command":"echo one","description":"one"}`, `@@tool bash {"command":"exit 3","description":"two"}`, "@@text all done")
	if answer.text() != "all done" {
		w.Errorf("answered %q", answer.text())
	}
	requests := w.model.Since(n, scriptedllm.Chat)
	if len(requests) != 3 {
		w.Fatalf("%d requests, want 3", len(requests))
	}
	for i, r := range requests {
		if !hasHUD(r) {
			w.Errorf("request %d ends with %s %q", i+1, r.Last().Role, r.Last().Text)
		}
		if got := strings.Count(string(r.Body), `codememory kind=\"hud`); got != 1 {
			w.Errorf("request %d has %d HUDs", i+1, got)
		}
	}
}

func fillingWindow(w *world, o *openCode) {
	session, n := o.session("filling"), w.model.Count()
	o.prompt(session, poolPrompt, "@@usage 40000", "@@text fine")
	o.prompt(session, poolPrompt, "@@usage 90000", "@@text fine")
	o.prompt(session, poolPrompt, "@@text fine")
	for i, want := range []string{"", "", "Context window: 75% used (90k of 120k tokens, scripted/m), growing"} {
		hud := w.model.Since(n, scriptedllm.Chat)[i].Last().Text
		if strings.Contains(hud, "Context window") != (want != "") || !strings.Contains(hud, want) {
			w.Errorf("request %d ends with %q, want %q", i+1, hud, want)
		}
	}
}

func titles(w *world, o *openCode) {
	session, n := o.session(""), w.model.Count()
	o.prompt(session, poolPrompt)
	w.await(10*time.Second, "a title is asked for", func() bool { return len(w.model.Since(n, scriptedllm.Title)) > 0 })
	for _, r := range w.model.Since(n, scriptedllm.Title) {
		if bytes.Contains(r.Body, []byte("<codememory")) {
			w.Errorf("a title was asked for with %s", r.Body)
		}
	}
}

func tools(w *world, o *openCode) {
	session, n := o.session("tools"), w.model.Count()
	o.prompt(session, "look it up", `@@tool memory {"mode":"search","query":"connection pool staging"}`, "@@text done")
	if got := o.toolOutput(session, "memory"); !strings.Contains(got, "ping every 30 s") {
		w.Errorf("search gave %q", got)
	}
	o.prompt(session, "keep it", `@@tool memory {"mode":"add","content":"Reports are rendered with templ.","type":"tech-context"}`, "@@text done")
	if got := o.toolOutput(session, "memory"); !strings.Contains(got, `"success":true`) {
		w.Errorf("add gave %q", got)
	}
	requests := w.model.Since(n, scriptedllm.Chat)
	if last := requests[len(requests)-1]; !strings.Contains(last.System(), "rendered with templ") {
		w.Errorf("after an explicit save the stable block lacks it: %q", tail(last.System()))
	}
	o.prompt(session, "compact", "@@tool memory_compact {}", "@@text done")
	if got := o.toolOutput(session, "memory_compact"); !strings.Contains(got, "Not compacted") {
		w.Errorf("memory_compact gave %q", got)
	}
	size := 0
	for _, tool := range requests[0].Tools {
		if tool.Name != "memory" && tool.Name != "memory_compact" {
			continue
		}
		size += len(tool.Schema)
		var definition struct {
			Function struct {
				Parameters struct {
					Required []string `json:"required"`
				} `json:"parameters"`
			} `json:"function"`
		}
		if err := json.Unmarshal(tool.Schema, &definition); err != nil || len(definition.Function.Parameters.Required) > 0 {
			w.Errorf("%s requires %q, %v", tool.Name, definition.Function.Parameters.Required, err)
		}
	}
	if size == 0 || size > 3072 {
		w.Errorf("the tools take %d bytes of every request, want at most 3072", size)
	}
}

func nudge(w *world, o *openCode) {
	session, n := o.session("nudge"), w.model.Count()
	o.prompt(session, "Remember that the nightly import starts at 02:00 UTC.", "@@text noted")
	r := w.model.Since(n, scriptedllm.Chat)[0]
	if !strings.Contains(r.Users(), `<codememory kind="nudge">`) {
		w.Errorf("the user said %q", r.Users())
	}
	parts := o.messages(session)[0].Parts
	if len(parts) != 2 || !strings.HasPrefix(parts[0].Text, "Remember") || !parts[1].Synthetic {
		w.Errorf("stored as %+v", parts)
	}
	w.await(10*time.Second, "the wish is noted even though the model saved nothing", func() bool {
		out, _ := w.codememory(o.dir, "search", "nightly import")
		return strings.Contains(out, "02:00 UTC")
	})
}

func killedDaemon(w *world, o *openCode) {
	session := o.session("killed")
	o.prompt(session, poolPrompt)
	w.signal(syscall.SIGKILL)
	n := w.model.Count()
	if answer := o.prompt(session, "and then?", "@@text fine"); answer.text() != "fine" {
		w.Errorf("answered %q", answer.text())
	}
	o.prompt(session, poolPrompt, "@@text fine")
	requests := w.model.Since(n, scriptedllm.Chat)
	if last := requests[len(requests)-1]; !hasHUD(last) {
		w.Errorf("after the restart the last message is %q", last.Last().Text)
	}
}

func hangingDaemon(w *world, o *openCode) {
	session := o.session("hanging")
	until := func() time.Duration {
		n, began := w.model.Count(), time.Now()
		o.prompt(session, poolPrompt, "@@text fine")
		return w.model.Since(n, scriptedllm.Chat)[0].At.Sub(began)
	}
	until()
	usual := max(until(), until())
	w.signal(syscall.SIGSTOP)
	hanging := until()
	second := until()
	w.signal(syscall.SIGCONT)
	w.Logf("to the request: %v, with a daemon that hangs %v, then %v", usual, hanging, second)
	const noise = 250 * time.Millisecond
	if hanging > usual+350*time.Millisecond+noise || second > usual+350*time.Millisecond+noise {
		w.Errorf("a daemon that hangs delays the request to %v and %v, usually %v", hanging, second, usual)
	}
	time.Sleep(time.Second) // the breaker closes
	n := w.model.Count()
	o.prompt(session, poolPrompt, "@@text fine")
	if r := w.model.Since(n, scriptedllm.Chat)[0]; !hasHUD(r) {
		w.Errorf("it answers again, but the last message is %q", r.Last().Text)
	}
}

func subagent(w *world, o *openCode) {
	session, n := o.session("parent"), w.model.Count()
	o.prompt(session, poolPrompt, `@@tool task {"description":"explore","prompt":"SUBAGENT-WORK remember the connection pool\n@@text found it","subagent_type":"general"}`, "@@text done")
	var children, own int
	for _, r := range w.model.Since(n, scriptedllm.Chat) {
		if strings.Contains(r.Users(), "@@tool task") {
			own++
			continue
		}
		children++
		if bytes.Contains(r.Body, []byte("codememory kind=")) {
			w.Errorf("the subagent was sent %q after %q", r.Users(), tail(r.System()))
		}
	}
	if children == 0 || own < 2 {
		w.Errorf("%d requests of the subagent, %d of its parent", children, own)
	}
}
