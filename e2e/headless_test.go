//go:build e2e

package e2e

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"codememory/e2e/scriptedllm"
)

const (
	ledgerFact     = "We decided to use PostgreSQL 17 for the ledger because SQLite locks up during the nightly import."
	ledgerQuestion = "which database does the ledger use?"
	ledgerKnown    = "PostgreSQL 17"
)

// scriptedPrompt puts what the model is to do into a paragraph of its own: it
// looks like something pasted, and what stands with it counts as pasted too.
func scriptedPrompt(lines []string) string {
	return strings.TrimSpace(lines[0] + "\n\n" + strings.Join(lines[1:], "\n"))
}

// runs runs a program to its end and returns what it printed.
func (w *world) runs(dir string, command ...string) (out string, took time.Duration) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), 60*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(w.environ(), "PWD="+dir)
	cmd.WaitDelay = 5 * time.Second
	var output, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &errs
	began := time.Now()
	if err := cmd.Run(); err != nil {
		w.Fatalf("%s: %v: %s %s", filepath.Base(command[0]), err, output.String(), errs.String())
	}
	if strings.Contains(strings.ToLower(errs.String()), "codememory") {
		w.Errorf("it complains of us: %s", errs.String())
	}
	return output.String(), time.Since(began)
}

// starts starts a program that is not worth waiting for. It ends with end, or
// with the test.
func (w *world) starts(dir string, command ...string) (end func()) {
	w.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Env = dir, append(w.environ(), "PWD="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // with all that it starts itself
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	w.Cleanup(end)
	return end
}

// sessionRecord is a record as `codememory sessions` lists it, with its text.
type sessionRecord struct {
	ID     string `json:"session_id"`
	Agent  string `json:"agent"`
	Goal   string `json:"goal"`
	Status string `json:"status"`
	Path   string `json:"markdown_path"`
	text   string
}

// awaitRecord waits until the record of a session says all of this.
func (w *world) awaitRecord(dir, session string, wants ...string) sessionRecord {
	w.Helper()
	var r sessionRecord
	began := time.Now()
	met := func() bool {
		out, err := w.codememory(dir, "sessions", "--json")
		if err != nil {
			w.Fatal(err)
		}
		var list struct {
			Sessions []sessionRecord `json:"sessions"`
		}
		if err := json.Unmarshal([]byte(out), &list); err != nil {
			w.Fatalf("%v in %s", err, out)
		}
		i := slices.IndexFunc(list.Sessions, func(s sessionRecord) bool { return s.ID == session })
		if i < 0 {
			return false
		}
		r = list.Sessions[i]
		text, err := os.ReadFile(r.Path)
		if err != nil {
			return false
		}
		r.text = string(text)
		return !slices.ContainsFunc(wants, func(want string) bool { return !strings.Contains(r.text, want) })
	}
	for !met() {
		if time.Since(began) > 10*time.Second {
			w.Fatalf("the record of session %s should say %q:\n%s", session, wants, r.text)
		}
		time.Sleep(50 * time.Millisecond)
	}
	w.Logf("the record is complete after %v", time.Since(began).Round(10*time.Millisecond))
	return r
}

// notOurs fails when captured text holds what was put before the model.
func (w *world) notOurs(what, text string) {
	w.Helper()
	for _, mark := range []string{"<codememory", "&lt;codememory", "hook_context", "system_reminder", "remembered from earlier sessions"} {
		if strings.Contains(text, mark) {
			w.Errorf("%s has what we injected (%s):\n%s", what, mark, text)
		}
	}
}

// awaitClosed waits until the record of a session says that the agent left it.
func (w *world) awaitClosed(dir, session string) {
	w.Helper()
	w.awaitRecord(dir, session, "ended_at: 2", "trigger: end")
}

// injected counts the blocks of a kind in a request, however an agent escapes
// them on the way.
func injected(r scriptedllm.Request, kind string) int {
	text := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`).Replace(r.Text())
	return strings.Count(text, `<codememory kind="`+kind+`">`)
}

// expectInjected checks that a request has each block once, and the texts.
func (w *world) expectInjected(r scriptedllm.Request, stable, hud int, wants ...string) {
	w.Helper()
	if got := injected(r, "stable"); got != stable {
		w.Errorf("the stable block is there %d times, want %d:\n%s", got, stable, r.Users())
	}
	if got := injected(r, "hud"); got != hud {
		w.Errorf("the HUD is there %d times, want %d:\n%s", got, hud, r.Users())
	}
	for _, want := range wants {
		if !strings.Contains(r.Users(), want) {
			w.Errorf("%q is not before the model:\n%s", want, r.Users())
		}
	}
}

// expectOnce checks that a text is before the model, and only once.
func (w *world) expectOnce(r scriptedllm.Request, text string) {
	w.Helper()
	if got := strings.Count(r.Text(), text); got != 1 {
		w.Errorf("%q is %d times before the model:\n%s", text, got, r.Users())
	}
}

// journal is all of a project's journal.
func (w *world) journal(dir string) string {
	w.Helper()
	out, err := w.codememory(dir, "journal")
	switch {
	case err != nil && strings.Contains(err.Error(), "is empty"): // nothing was captured yet
		return ""
	case err != nil:
		w.Fatal(err)
	}
	return out
}

// buryDaemon ends the daemon and makes it impossible to start another.
func (w *world) buryDaemon() {
	w.Helper()
	if _, err := w.codememory(w.home, "stop"); err != nil {
		w.Fatal(err)
	}
	data := filepath.Join(w.home, ".local", "share", "codememory")
	if err := os.Rename(data, data+".gone"); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(data, []byte("no folder"), 0o600); err != nil {
		w.Fatal(err)
	}
}

// sameRequests compares what two runs sent to the model.
func (w *world) sameRequests(without, with []scriptedllm.Request, volatile func(string) string) {
	w.Helper()
	if len(without) != len(with) {
		w.Fatalf("%d requests without CodeMemory, %d with it", len(without), len(with))
	}
	for i := range without {
		if a, b := volatile(string(without[i].Body)), volatile(string(with[i].Body)); a != b {
			at := 0
			for at < min(len(a), len(b)) && a[at] == b[at] {
				at++
			}
			w.Errorf("request %d differs:\n%s\n---\n%s", i+1, a[max(0, at-200):min(len(a), at+300)], b[max(0, at-200):min(len(b), at+300)])
		}
	}
}
