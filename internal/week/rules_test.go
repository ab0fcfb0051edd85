package week_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

var update = flag.Bool("update", false, "write the golden files anew")

// colleague is what a careful colleague would have written down during the week,
// by project, without a model: state, text, [type; scope; whose words; rule].
var colleague = map[string][]string{
	"ledger": {
		"active: A double-entry ledger with an HTTP API, used by billing and payouts. [project-brief; project; file; project-brief]",
		"active: Amounts must always be stored as integer cents, never as floats. [learned-pattern; project; user; standing-rule]",
		"active: Build with `go build ./...` (passed on 2026-11-16) [learned-pattern; project; tool; verified-command]",
		"active: I prefer small commits over one big commit at the end. [preference; project; user; preference] said 1 times more",
		"active: Made with Go 1.26 (module example.com/ledger) [tech-context; project; file; tech-context]",
		"active: Never log card numbers, not even in debug builds. [learned-pattern; project; user; standing-rule] said 1 times more",
		"active: Run the tests with `go test ./...` (passed on 2026-11-20) [learned-pattern/testing_convention; project; tool; verified-command]",
		"active: Start the services with `docker compose up -d db` (passed on 2026-11-18) [learned-pattern; project; tool; verified-command]",
		"active: The API listens on port 8443 behind the proxy. [learned-pattern; project; user; correction]",
		"active: We moved from SQLite to PostgreSQL 17 for the ledger database because the nightly import locks the file. [architecture/decision_rationale; project; user; decision]",
		"active: `go test ./...` failed with \"dial tcp 127.0.0.1:5432: connect: connection refused\" → fixed by running `docker compose up -d db` [error-solution/error_handling; project; tool; error-fix]",
		"active: `go test ./...` failed with \"migrate: open migrations/001_init.sql: no such file or directory\" → fixed by editing internal/storage/db.go: The cause is that the migrations are read relative to the working directory, so they must be embedded with go:embed. [error-solution/error_handling; project; tool; error-fix]",
		"superseded: The API listens on port 8080 behind the proxy. [learned-pattern; project; user; remember] replaced by \"The API listens on port 8443 behind the proxy.\": the user corrected it: The port is 8443, not 8080.",
		"superseded: We decided to use SQLite for the ledger database because a single file is easy to back up. [architecture/decision_rationale; project; user; decision] replaced by \"We moved from SQLite to PostgreSQL 17 for the ledger database because the nightly import locks the file.\": the user decided otherwise: database in ledger",
	},
	"shopfront": {
		"active: Build with `pnpm build` (passed on 2026-11-19) [learned-pattern; project; tool; verified-command]",
		"active: Commands: pnpm run build, pnpm run test [project-config; project; file; project-commands]",
		"active: Deploys to production need a green run of the smoke tests first. [learned-pattern/testing_convention; project; user; remember]",
		"active: I prefer small commits over one big commit at the end. [preference; project; user; preference]",
		"active: I tried Jest for the checkout tests but it was too slow with ESM packages. [learned-pattern/rejected_alternative; project; user; rejected-alternative]",
		"active: Install the dependencies with `pnpm install` (passed on 2026-11-17) [learned-pattern; project; tool; verified-command]",
		"active: Made with TypeScript on Node.js with pnpm, using react [tech-context; project; file; tech-context]",
		"active: Run the tests with `pnpm test` (passed on 2026-11-17) [learned-pattern/testing_convention; project; tool; verified-command]",
		"active: Use pnpm, not npm. [learned-pattern; project; user; standing-rule]",
		"active: We decided to render product pages on the server because search engines see nothing otherwise. [architecture/decision_rationale; project; user; decision]",
		"active: `pnpm test` failed with \"Error: Cannot find module '@shop/money' imported from src/checkout.ts\" → fixed by running `pnpm install`: the workspace package was not linked yet. [error-solution/error_handling; project; tool; error-fix]",
		"active: shopfront: The web shop: product pages, cart and checkout for all brands. [project-brief; project; file; project-brief]",
		"quarantined: " + evil + " [learned-pattern; project; tool; outside-instruction] waits: a web page that reads as an instruction",
	},
	"user": {}, // a preference becomes the user's own only when he says so
}

func TestAWeekByRulesAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.open("")
	w.play(nil)
	w.holds(colleague)
	w.golden("sessions", w.records())
	w.golden("rules", w.seen())
	w.nothingInjected()

	// What a person is asked about.
	w.asks("ledger", "promotion: I prefer small commits over one big commit at the end.",
		"unsure: `go test ./...` failed with \"dial tcp 127.0.0.1:5432: connect: connection refused\" → fixed by running `docker compose up -d db`")
	w.asks("shopfront", "promotion: I prefer small commits over one big commit at the end.", "quarantine: "+evil)

	before := w.bytes()
	w.replay()
	if diff := cmp.Diff(before, w.bytes()); diff != "" {
		t.Errorf("reading everything again changed the store (-before +after):\n%s", diff)
	}
	w.holds(colleague)

	for _, m := range w.memories("ledger") {
		if m.Type == codememory.Preference {
			if _, err := w.svc.Promote(t.Context(), codememory.Ref{Project: w.dirs["ledger"], ID: m.ID}, false); err != nil {
				t.Error(err)
			}
		}
	}
	if got := w.told("user"); len(got) != 1 || !strings.HasPrefix(got[0], "active: I prefer small commits over one big commit at the end. [preference; user; user;") {
		t.Errorf("the user's own: %q", got)
	}
	w.noSecret()
}

// holds compares the memories of all stores with what is expected.
func (w *world) holds(want map[string][]string) {
	w.t.Helper()
	for project, lines := range want {
		lines = slices.Sorted(slices.Values(lines))
		if diff := cmp.Diff(lines, w.told(project)); diff != "" && len(lines)+len(w.told(project)) > 0 {
			w.t.Errorf("%s (-want +got):\n%s", project, diff)
		}
	}
}

// asks compares what a person is asked to decide with what is expected.
func (w *world) asks(project string, want ...string) {
	w.t.Helper()
	items, err := w.svc.Review(w.t.Context(), codememory.ReviewRequest{Project: w.dirs[project]})
	w.must(err)
	var got []string
	for _, i := range items {
		got = append(got, string(i.Kind)+": "+i.Memories[0].Text)
	}
	slices.Sort(got)
	if diff := cmp.Diff(want, got); diff != "" {
		w.t.Errorf("review of %s (-want +got):\n%s", project, diff)
	}
}

// records are those of the five sessions.
func (w *world) records() string {
	var all []string
	for _, s := range w.sessions {
		all = append(all, strings.ReplaceAll(w.record(s), w.root, "/w"))
	}
	return strings.Join(all, "\n")
}

// seen is what models see on the Monday after: three messages, and the start of
// a session in each project.
func (w *world) seen() string {
	var all []string
	for _, q := range questions {
		all = append(all, "User in "+q.project+": "+q.text+"\n"+w.hud(q))
	}
	for _, project := range []string{"ledger", "shopfront"} {
		all = append(all, "A session in "+project+":\n"+w.stable(project))
	}
	return strings.Join(all, "\n\n") + "\n"
}

// nothingInjected fails if a model would see what the page said, what was
// pasted, or the key.
func (w *world) nothingInjected() {
	w.t.Helper()
	for _, m := range slices.Concat(w.memories("ledger"), w.memories("shopfront"), w.memories("user")) {
		for _, junk := range []string{"evil.example", "curl ", "MongoDB", "TLS verification", "4 threads", "restart the worker", "two workers", "weekend", "lunch", "Bitcoin", secret} {
			if strings.Contains(m.Text, junk) {
				w.t.Errorf("%q is active", m.Text)
			}
		}
	}
	if seen := w.seen(); strings.Contains(seen, "evil.example") || strings.Contains(seen, secret) {
		w.t.Error("a model would see it")
	}
}

// golden compares a text that people or models read with the one in testdata.
func (w *world) golden(name, got string) {
	w.t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		w.must(os.MkdirAll("testdata", 0o755))
		w.must(os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	w.must(err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		w.t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
