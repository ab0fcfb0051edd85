package opencode_test

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
)

// unpack writes a database of testdata to a folder of the test.
func unpack(t testing.TB, name string) string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "opencode.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// reader reads a database with a clock that says it is long after.
func reader(t testing.TB, o opencode.Options) *opencode.Reader {
	t.Helper()
	r := opencode.New(o)
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// scene is a scripted OpenCode and a reader of it that have the same clock.
type scene struct {
	*opencodetest.DB
	r *opencode.Reader
}

func newScene(t testing.TB) *scene {
	t.Helper()
	s := &scene{DB: opencodetest.Create(t, filepath.Join(t.TempDir(), "opencode.db"))}
	s.r = reader(t, opencode.Options{Path: s.Path, Now: func() time.Time { return s.Now }, Strip: stripped})
	return s
}

// stripped takes our block out, as the real one does in more ways.
func stripped(s string) string {
	before, rest, found := strings.Cut(s, "<codememory>")
	if !found {
		return s
	}
	_, after, _ := strings.Cut(rest, "</codememory>")
	return before + after
}

func turns(t testing.TB, r *opencode.Reader, session string) []codememory.Turn {
	t.Helper()
	got, err := r.Turns(t.Context(), session, 0)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// outline shows turns in short: kind state "prompt" -> "answer".
func outline(ts []codememory.Turn) []string {
	out := []string{}
	for _, t := range ts {
		prompt, _, _ := strings.Cut(t.Prompt, "\n@@")
		out = append(out, string(t.Kind)+" "+string(t.State)+": "+prompt+" -> "+t.Answer())
	}
	return out
}
