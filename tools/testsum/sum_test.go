package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// run writes a module of one package, tests it and summarises the run.
func run(t *testing.T, testFile string) (Sum, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"go.mod": "module example\n\ngo 1.26\n", "x.go": "package x\n", "x_test.go": testFile} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-vet=off", "-json", "./...")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	raw, _ := cmd.CombinedOutput() // it fails when its tests do
	var out strings.Builder
	sum, err := Summarize(strings.NewReader(string(raw)), &out)
	if err != nil {
		t.Fatal(err)
	}
	return sum, out.String()
}

func TestSummarizeARealRun(t *testing.T) {
	tests := map[string]struct {
		file    string
		want    Sum
		line    string
		says    []string
		saysNot string
	}{
		"subtests count instead of their test": {
			file: `package x
import "testing"
func TestA(t *testing.T) { t.Run("one", func(*testing.T) {}); t.Run("two", func(*testing.T) {}) }
func TestB(t *testing.T) { t.Log("chatter"); t.Skip() }`,
			want: Sum{Passed: 2, Skipped: 1}, line: "2 passed, 0 failed", says: []string{"ok  \texample", "1 skipped"}, saysNot: "chatter",
		},
		"a failing test says why": {
			file: `package x
import "testing"
func TestA(*testing.T) {}
func TestB(t *testing.T) { t.Run("one", func(t *testing.T) { t.Error("the reason") }) }`,
			want: Sum{Passed: 1, Failed: 1}, line: "1 passed, 1 failed", says: []string{"the reason", "FAIL\texample"},
		},
		"a package that does not build has failed": {
			file: "package x\nvar x int = nothing",
			want: Sum{Failed: 1}, line: "0 passed, 1 failed", says: []string{"undefined: nothing"},
		},
		"a panic is a failure": {
			file: `package x
import "testing"
func TestA(*testing.T) { panic("boom") }`,
			want: Sum{Failed: 1}, line: "0 passed, 1 failed", says: []string{"boom"},
		},
		"an exit outside of a test is a failure": {
			file: `package x
import ("os"; "testing")
func TestMain(*testing.M) { os.Exit(3) }`,
			want: Sum{Failed: 1}, line: "0 passed, 1 failed", says: []string{"FAIL\texample"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, out := run(t, tt.file)
			if got != tt.want || got.String() != tt.line {
				t.Errorf("counted %+v (%s), want %+v in\n%s", got, got, tt.want, out)
			}
			for _, s := range tt.says {
				if !strings.Contains(out, s) {
					t.Errorf("does not say %q:\n%s", s, out)
				}
			}
			if tt.saysNot != "" && strings.Contains(out, tt.saysNot) {
				t.Errorf("repeats what a passing test said:\n%s", out)
			}
		})
	}
}
