package hook_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory/internal/hook"
)

var update = flag.Bool("update", false, "write the golden files anew")

// vars makes an environment of names and values.
func vars(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i+1 < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// lines returns the payloads of a recorded session.
func lines(tb testing.TB, file string) [][]byte {
	tb.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		tb.Fatal(err)
	}
	return bytes.Split(bytes.TrimSpace(data), []byte("\n"))
}

// parsed reads one payload, which must be right.
func parsed(tb testing.TB, agent string, args []string, stdin string, env func(string) string) hook.Event {
	tb.Helper()
	e, err := hook.Parse(agent, args, []byte(stdin), env)
	if err != nil {
		tb.Fatal(err)
	}
	return e
}

// golden compares got with a file of testdata.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
