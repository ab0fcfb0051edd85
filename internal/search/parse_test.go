package search

import (
	"testing"
	"time"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

func TestParseTakesFiltersOutOfAQuestion(t *testing.T) {
	day := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }
	tests := []struct {
		question string
		want     Parsed
	}{
		{"how do we rotate tokens", Parsed{Text: "how do we rotate tokens"}},
		{"list all preferences", Parsed{List: true, Types: []codememory.Type{codememory.Preference}}},
		{"show me every error solution", Parsed{List: true, Types: []codememory.Type{codememory.ErrorSolution}}},
		{"List all decisions we made.", Parsed{List: true, Types: []codememory.Type{codememory.Architecture, codememory.ArchitecturePattern, codememory.TechContext}}},
		{"list all memories", Parsed{List: true, Types: []codememory.Type{}}},
		{"list all preferences about testing", Parsed{Text: "list all preferences about testing"}},
		{"list the files in the index", Parsed{Text: "list the files in the index"}},
		{"what did we do in cursor?", Parsed{List: true, Agents: []string{"cursor"}}},
		{"fix the parser in cursor", Parsed{Text: "fix the parser", Agents: []string{"cursor"}}},
		{"the codex session about auth", Parsed{Text: "about auth", Agents: []string{"codex"}}},
		{"bug from my github copilot session", Parsed{Text: "bug", Agents: []string{"copilot"}}},
		{"bug from my claude code session", Parsed{Text: "bug", Agents: []string{"claude-code"}}},
		{"in cursor position handling", Parsed{Text: "in cursor position handling"}},
		{"which claude model do we use", Parsed{Text: "which claude model do we use"}},
		{"database cursor leaks", Parsed{Text: "database cursor leaks"}},
		{"why did src/auth.go change", Parsed{Text: "why did src/auth.go change", Paths: []string{"src/auth.go"}}},
		{"latest release process", Parsed{Text: "latest release process", Latest: true}},
		{"auth changes yesterday", Parsed{Text: "auth changes", Since: day(2026, 11, 10), Until: day(2026, 11, 11)}},
		{"yesterday", Parsed{List: true, Since: day(2026, 11, 10), Until: day(2026, 11, 11)}},
		{"", Parsed{}},
	}
	for _, tt := range tests {
		t.Run(tt.question, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Parse(tt.question, today)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFiltersOfTheCallerWin(t *testing.T) {
	p := Parsed{Agents: []string{"cursor"}, Since: today}
	f := p.Filter(codememory.Filter{Agents: []string{"codex"}})
	if f.Agents[0] != "codex" || !f.Since.Equal(today) {
		t.Errorf("got %+v", f)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"list all preferences last week in cursor", "every decision", "in claude code session", "\xff in cursor", "数据库 in cursor"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := Parse(s, today)
		if len(p.Text) > 3*len(s)+3 {
			t.Errorf("%q became longer: %q", s, p.Text)
		}
		if p.Enumerates() && p.Text != "" {
			t.Errorf("%q both lists and searches", s)
		}
	})
}
