package extract

import "testing"

func TestACorrectionPutsAValueRight(t *testing.T) {
	for name, tt := range map[string]struct{ message, text, old, want string }{
		"one sentence":        {"No, that's wrong: the port is 8443, not 8080.", "The port is 8443, not 8080.", "The API listens on port 8080 behind the proxy.", "The API listens on port 8443 behind the proxy."},
		"two sentences":       {"That's wrong. The default branch is main-v2, not master.", "The default branch is main-v2, not master.", "Releases are cut from the default branch (master).", "Releases are cut from the default branch (main-v2)."},
		"another thing":       {"No, the port is 8443, not 8080.", "The port is 8443, not 8080.", "Keep at most 8080 sockets open.", ""},
		"another number":      {"No, the port is 8443, not 80.", "The port is 8443, not 80.", "The port is 8080.", ""},
		"at the end":          {"Wrong, the timeout is 30s, not 5s!", "The timeout is 30s, not 5s!", "The timeout of the server is 5s.", "The timeout of the server is 30s."},
		"twice is not clear":  {"No, the port is 8443, not 8080.", "The port is 8443, not 8080.", "Port 8080 of the host is port 8080 of the container.", ""},
		"a name with its dot": {"Nope, the config file is app.toml, not app.yaml.", "The config file is app.toml, not app.yaml.", "The config file app.yaml is read at the start.", "The config file app.toml is read at the start."},
	} {
		t.Run(name, func(t *testing.T) {
			got := Said(tt.message)
			if len(got) != 1 || got[0].Rule != RuleCorrection || got[0].Text != tt.text || got[0].Corrects == nil {
				t.Fatalf("%+v", got)
			}
			if amended, ok := got[0].Corrects.Amend(tt.old); amended != tt.want || ok != (tt.want != "") {
				t.Errorf("%q became %q", tt.old, amended)
			}
		})
	}
}

func TestWhatCorrectsNothing(t *testing.T) {
	for _, message := range []string{
		"The port is 8443, not 8080.",              // nobody said otherwise
		"No, the test is fine, not great.",         // a matter of taste
		"No, for now the port is 8443, not 8080.",  // today only
		"No, I think the port is 8443, not 8080.",  // a guess
		"No, is the port 8443, not 8080?",          // a question
		"No, it is 8443, not 8080.",                // what?
		"No, the dinner is at 8, not 9.",           // not about software
		"The log says:\nNo, the port is 1, not 2.", // pasted
	} {
		for _, c := range Said(message) {
			if c.Rule == RuleCorrection {
				t.Errorf("%q gave %q", message, c.Text)
			}
		}
	}
}

func TestAMoveFromOneToAnotherIsAChoice(t *testing.T) {
	for message, want := range map[string][2]string{
		"We moved from SQLite to PostgreSQL 17 for the ledger database because the import locks the file.": {"database in ledger", "postgres"},
		"We migrated from npm to pnpm because installs took minutes.":                                      {"package manager", "pnpm"},
		"We moved away from npm to pnpm because installs took minutes.":                                    {"package manager", "pnpm"},
		"We switched from Jest to Vitest because it is faster.":                                            {"JavaScript test runner", "vitest"},
	} {
		got := Said(message)
		if len(got) != 1 || got[0].Subject != want[0] || got[0].Value != want[1] {
			t.Errorf("%q gave %+v", message, got)
		}
	}
}

func TestTextsBeginLikeSentences(t *testing.T) {
	for message, want := range map[string]string{
		"remember that deploys need a green run of the smoke tests": "Deploys need a green run of the smoke tests",
		"remember that pnpm must be used for the web project":       "pnpm must be used for the web project",
		"remember that go.mod must name the patch version":          "go.mod must name the patch version",
	} {
		if got := Said(message); len(got) != 1 || got[0].Text != want {
			t.Errorf("%q gave %+v", message, got)
		}
	}
}

func TestWhatGoTestsPassOnIsTelling(t *testing.T) {
	for output, want := range map[string]string{
		"--- FAIL: TestMigrate (0.00s)\n    db_test.go:21: dial tcp 127.0.0.1:5432: connect: connection refused\nFAIL": "dial tcp 127.0.0.1:5432: connect: connection refused",
		"--- FAIL: TestSum (0.00s)\n    sum_test.go:9: got 3, want 4\nFAIL":                                            "",
		"--- FAIL: TestSum (0.00s)\n    sum_test.go:9: parse failed for the second line\nFAIL":                         "",
	} {
		if got, _ := telling(output, "/w"); got != want {
			t.Errorf("%q tells %q, want %q", output, got, want)
		}
	}
}

func TestAnExplanationLeavesOutThatAllIsWell(t *testing.T) {
	for said, want := range map[string]string{
		"The tests pass; the workspace package was not linked yet.":      "the workspace package was not linked yet.",
		"The config was missing; now it is read from the right folder.":  "The config was missing; now it is read from the right folder.",
		"The cause is that migrations are read relative to the package.": "The cause is that migrations are read relative to the package.",
	} {
		if got := explanation([]string{said}); got != want {
			t.Errorf("%q: %q", said, got)
		}
	}
}
