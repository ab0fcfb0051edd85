//go:build e2e

package e2e

import (
	"strings"
	"time"

	"codememory/e2e/scriptedllm"
)

// compacted checks what a compaction sent, and that memory is back after it.
func compacted(w *world, o *openCode, session string, n int) {
	w.Helper()
	w.await(30*time.Second, "a compaction", func() bool { return len(w.model.Since(n, scriptedllm.Compaction)) > 0 })
	for _, r := range w.model.Since(n, scriptedllm.Compaction) {
		// What is given to be kept is a block of ours at the end; the
		// conversation itself must have none.
		conversation, _, _ := strings.Cut(r.Users(), "<template>")
		if strings.Contains(r.Users(), hudOpens) || strings.Contains(conversation, "<codememory") || strings.Contains(r.System(), "<codememory") {
			w.Errorf("our own block goes into the summary: %q", r.Users())
		}
		if !strings.Contains(r.Users(), "ping every 30 s") && !strings.Contains(r.Users(), briefFact) {
			w.Errorf("no memory goes into the prompt of the compaction: %q", tail(r.Users()))
		}
	}
	after := w.model.Count()
	o.prompt(session, poolPrompt, "@@text fine")
	r := w.model.Since(after, scriptedllm.Chat)[0]
	if !hasHUD(r) || !strings.Contains(r.System(), stableOpens) {
		w.Errorf("after the compaction the last message is %q", r.Last().Text)
	}
	if !strings.Contains(string(r.Body), "SCRIPTED-SUMMARY") {
		w.Error("the session was not compacted")
	}
}

func manualCompaction(w *world, o *openCode) {
	session, n := o.session("manual"), w.model.Count()
	o.prompt(session, poolPrompt, "@@text fine")
	o.call("POST", "/session/"+session+"/summarize", map[string]any{"providerID": "scripted", "modelID": "m"}, nil)
	compacted(w, o, session, n)
}

func autoCompaction(w *world, o *openCode) {
	session, n := o.session("auto"), w.model.Count()
	o.prompt(session, poolPrompt, "@@usage 125000", "@@text fine")
	o.prompt(session, "go on", "@@text fine")
	compacted(w, o, session, n)
}

// overflowCompaction: the provider refuses the prompt, so OpenCode compacts and
// then asks it once more, as a new message with the same words. That is one turn.
func overflowCompaction(w *world, o *openCode) {
	session, n := o.session("overflow"), w.model.Count()
	o.prompt(session, poolPrompt, "@@text fine")
	o.prompt(session, "rename the turnstile counter", "@@overflow", "@@text renamed the turnstile counter")
	compacted(w, o, session, n)
	w.await(10*time.Second, "the turn is in the journal", func() bool {
		journal, err := w.codememory(o.dir, "journal")
		return err == nil && strings.Contains(journal, "renamed the turnstile counter")
	})
	journal, err := w.codememory(o.dir, "journal")
	if err != nil {
		w.Fatal(err)
	}
	if got := strings.Count(journal, "rename the turnstile counter"); got != 1 {
		w.Errorf("the prompt is in the journal %d times:\n%s", got, journal)
	}
}

// preemptiveCompaction is on request: a turn ends with the window nearly full,
// and the session is compacted before OpenCode itself would do it.
func preemptiveCompaction(w *world, dir string) {
	o := w.serve(dir, `CODEMEMORY_OPENCODE={"preemptiveCompaction":true}`)
	session, n := o.session("preemptive"), w.model.Count()
	o.prompt(session, poolPrompt, "@@usage 100000", "@@text fine")
	compacted(w, o, session, n)
}

func toolCompaction(w *world, o *openCode) {
	session, n := o.session("by the model"), w.model.Count()
	o.prompt(session, poolPrompt, "@@usage 90000", "@@text fine")
	o.prompt(session, "compact now", "@@tool memory_compact {}", "@@text fine")
	if got := o.toolOutput(session, "memory_compact"); !strings.Contains(got, "asked for") {
		w.Errorf("memory_compact gave %q", got)
	}
	var order []string
	for _, r := range w.model.Since(n) {
		order = append(order, string(r.Kind))
	}
	if got := strings.Join(order, " "); got != "chat chat compaction chat" {
		w.Errorf("the requests are %s; the work goes on right after the compaction", got)
	}
	compacted(w, o, session, n)
}
