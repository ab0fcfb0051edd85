//go:build e2e

package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestDecisionReachesTheOtherAgents: what was decided in OpenCode is before the
// models of Claude Code and Codex, and what they were told is not told again by
// each other.
func TestDecisionReachesTheOtherAgents(t *testing.T) {
	w := openCodeWorld(t, openCodeVersions[0])
	w.install("opencode")
	for _, agent := range hookAgents {
		agent.add(w)
		w.install(agent.installed)
	}
	dir := w.project("ledger")
	o := w.serve(dir)
	o.prompt(o.session("decide"), ledgerFact, "@@text understood")
	w.known(dir, ledgerQuestion, ledgerKnown)
	for _, agent := range hookAgents {
		n := w.model.Count()
		agent.run(w, dir, "", ledgerQuestion, "@@text it is known")
		r := w.model.Since(n)[0]
		if got := strings.Count(r.Text(), ledgerFact); got != 1 || injected(r, "stable") != 1 {
			t.Errorf("%s is told the decision %d times in %d stable blocks: %s", agent.name, got, injected(r, "stable"), r.Body)
		}
	}
	out, err := w.codememory(dir, "list", "--json")
	if err != nil || strings.Count(out, ledgerFact) != 1+strings.Count(out, `"excerpt"`) {
		t.Errorf("remembered again by those who were told: %v\n%s", err, out)
	}
}

// TestUninstalledAgentsAreAsBefore installs, removes and runs.
func TestUninstalledAgentsAreAsBefore(t *testing.T) {
	for _, agent := range hookAgents {
		t.Run(agent.name, func(t *testing.T) {
			w := newWorld(t)
			agent.add(w)
			dir := w.project("ledger")
			w.remember(dir, poolFact)
			run := func() string {
				n := w.model.Count()
				agent.run(w, dir, "", poolPrompt, "@@text fine")
				return steady(w, w.model.Since(n)[0].Body)
			}
			before := run()
			w.install(agent.installed)
			with := run()
			if _, err := w.codememory(dir, "uninstall", agent.installed); err != nil {
				t.Fatal(err)
			}
			after := run()
			if !strings.Contains(with, "ping every 30 s") || before != after {
				at := common([]byte(before), []byte(after))
				t.Errorf("before and after differ at %d:\n%.300s\nafter:\n%.300s", at, before[max(0, at-50):], after[max(0, at-50):])
			}
		})
	}
}

// alone is set in the process that runs without a network.
const alone = "E2E_ALONE"

// TestAgentsNeedNoNetwork runs in a network namespace that has nothing but the
// loopback: nothing of CodeMemory or of the agents may need more.
func TestAgentsNeedNoNetwork(t *testing.T) {
	if os.Getenv(alone) == "" {
		for _, agent := range hookAgents {
			agent.add(newWorld(t)) // fetched while there is a network
		}
		test := exec.Command("unshare", "--net", "--map-root-user", "sh", "-c", `ip link set lo up && exec "$@"`, "sh", os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
		if out, err := exec.Command("unshare", "--net", "--map-root-user", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
			t.Skipf("no network namespace can be made here: %v %s", err, out)
		}
		test.Env = append(os.Environ(), alone+"=1", "E2E_PROGRAM="+program)
		if out, err := test.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	for _, agent := range hookAgents {
		w := newWorld(t)
		agent.add(w)
		w.install(agent.installed)
		dir := w.project("ledger")
		w.remember(dir, "--type", "project-brief", briefFact)
		if got := agent.run(w, dir, "", "hello", "@@text all is well"); got.Result != "all is well" {
			t.Errorf("%s said %q", agent.name, got.Result)
		}
		if r := w.model.Since(0)[0]; !strings.Contains(r.Text(), briefFact) || w.model.Count() != 1 || len(w.model.Others()) > 0 {
			t.Errorf("%s asked %d times and for %q: %s", agent.name, w.model.Count(), w.model.Others(), r.Body)
		}
	}
}
