package memfile

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func sample() codememory.Memory {
	at := time.Date(2026, 11, 15, 5, 0, 0, 123e6, time.UTC)
	gone := at.Add(time.Hour)
	return codememory.Memory{
		ID: codememory.NewID(at), Text: "We rotate refresh tokens: the gateway caches them.\n\n---\n\nSecond: paragraph # not a comment", Type: codememory.Architecture,
		Category: codememory.DecisionRationale, Scope: codememory.ScopeProject, Importance: 0.9, CreatedAt: at, UpdatedAt: at.Add(time.Minute),
		Pinned: true, Forgotten: &gone, Source: codememory.Source{Agent: "cli", Author: codememory.AuthorUser, Session: "ses_1", Turns: []string{"a", "b"}, Excerpt: "tab\there: \"quoted\" 'x'"},
		Revisions:  []codememory.Revision{{Text: "older: text", Until: at, Reason: "typo"}},
		Supersedes: []codememory.Supersession{{ID: codememory.NewID(at), Reason: "moved"}},
		Entities:   []codememory.Entity{{Name: "gateway", Type: codememory.EntityConcept}},
		Links:      []codememory.Link{{To: codememory.NewID(at), Type: codememory.Refines}},
		Metadata:   map[string]any{"n": 3.0, "s": "2026-01-01", "nested": map[string]any{"yes": true, "list": []any{"a", 1.5}}},
	}
}

func TestAMemorySurvivesItsFile(t *testing.T) {
	want := sample()
	b, err := Encode(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(b)
	if err != nil {
		t.Fatalf("%v in\n%s", err, b)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("read back differently (-written +read):\n%s\nfile:\n%s", diff, b)
	}
	again, err := Encode(got)
	if err != nil {
		t.Fatal(err)
	}
	if string(again) != string(b) {
		t.Errorf("encoding is not stable:\n%s\n%s", b, again)
	}
}

func TestAPlainMemoryIsAPlainFile(t *testing.T) {
	at := time.Date(2026, 11, 15, 5, 0, 0, 0, time.UTC)
	m := codememory.Memory{ID: "0192f0c0a1b27def8000aabbccddeeff", Text: "Tests need docker.", Type: codememory.LearnedPattern, Scope: codememory.ScopeProject, Importance: 0.5, CreatedAt: at, UpdatedAt: at, Source: codememory.Source{Agent: "cli", Author: codememory.AuthorUser}}
	b, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	want := `---
id: 0192f0c0a1b27def8000aabbccddeeff
type: learned-pattern
created: 2026-11-15T05:00:00Z
source:
  agent: cli
  author: user
---

Tests need docker.
`
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Error(diff)
	}
}

func TestABadFileIsNamedByLine(t *testing.T) {
	good, err := Encode(sample())
	if err != nil {
		t.Fatal(err)
	}
	file := string(good)
	tests := map[string]struct {
		data string
		line int
		msg  string
	}{
		"no head":             {"hello\n", 1, "does not begin"},
		"an unclosed head":    {"---\nid: x\n", 1, "not closed"},
		"conflict markers":    {strings.Replace(file, "pinned: true\n", "<<<<<<< HEAD\npinned: true\n=======\npinned: false\n>>>>>>> theirs\n", 1), 8, "conflict"},
		"a broken head":       {"---\nid: [\n---\n\nx\n", 2, "head is not valid"},
		"a wrong type":        {strings.Replace(file, "pinned: true", "pinned: [1]", 1), 8, "head is not valid"},
		"no id":               {"---\ntype: preference\ncreated: 2026-01-01T00:00:00Z\n---\n\nx\n", 2, "hexadecimal"},
		"an unknown type":     {strings.Replace(file, "type: architecture", "type: nonsense", 1), 0, "unknown type"},
		"no text":             {file[:strings.LastIndex(file, "---\n\nWe")] + "---\n\n \n", 0, "text is empty"},
		"invalid UTF-8":       {file + "\xff\xfe\n", strings.Count(file, "\n") + 1, "UTF-8"},
		"a file of megabytes": {strings.Repeat("x", MaxFileBytes+1), 0, "bytes"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Decode([]byte(tt.data))
			le, ok := errors.AsType[*LineError](err)
			if !ok {
				t.Fatalf("got %v, want a LineError", err)
			}
			if le.Line != tt.line || !strings.Contains(le.Msg, tt.msg) {
				t.Errorf("got line %d %q, want line %d with %q", le.Line, le.Msg, tt.line, tt.msg)
			}
		})
	}
}

func TestWindowsEditorsAreTolerated(t *testing.T) {
	m := sample()
	b, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode([]byte("\xef\xbb\xbf" + strings.ReplaceAll(string(b), "\n", "\r\n")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzDecode(f *testing.F) {
	b, err := Encode(sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Add([]byte("---\n---\n"))
	f.Add([]byte("---\nid: 0192f0c0a1b27def8000aabbccddeeff\ncreated: 2026-01-01\n---\nx"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Encode(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := Decode(again)
		if err != nil {
			t.Fatalf("cannot read back what was written: %v\n%s", err, again)
		}
		if diff := cmp.Diff(m, back); diff != "" {
			t.Errorf("round trip differs:\n%s", diff)
		}
	})
}
