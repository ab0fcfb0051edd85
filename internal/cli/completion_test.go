package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"codememory"
)

// offered asks what a shell would be offered at the end of a command line.
func (h *home) offered(args ...string) (words []string, directive string) {
	h.t.Helper()
	got := h.must(append([]string{cobra.ShellCompNoDescRequestCmd}, args...)...)
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	return lines[:len(lines)-1], lines[len(lines)-1]
}

func TestCompletionOffersWhatIsThere(t *testing.T) {
	h := prepared(t)
	active, forgotten := codememory.ShownID(h.ids[0]), codememory.ShownID(h.ids[3])
	tests := map[string]struct {
		args         []string
		want, unwant []string
	}{
		"commands":                        {[]string{"s"}, []string{"search", "sessions", "show", "stats", "status", "stop"}, []string{"remember"}},
		"commands of a group":             {[]string{"config", ""}, []string{"get", "set", "explain"}, nil},
		"topics are for help only":        {[]string{""}, []string{"completion"}, []string{"exit-codes", "environment", "__complete"}},
		"ids":                             {[]string{"forget", ""}, []string{active}, []string{forgotten}},
		"ids that begin so":               {[]string{"forget", active[:6]}, []string{active}, nil},
		"ids not given before":            {[]string{"forget", active, ""}, nil, []string{active}},
		"one id where one is taken":       {[]string{"show", active, ""}, nil, []string{active, forgotten}},
		"forgotten ones for undo":         {[]string{"undo", ""}, []string{active, forgotten}, nil},
		"no archived ones to bring back":  {[]string{"unarchive", ""}, nil, []string{active, forgotten}},
		"ids that a new one supersedes":   {[]string{"remember", "--supersedes", ""}, []string{active}, nil},
		"types":                           {[]string{"list", "--type", ""}, []string{"preference", "error-solution"}, nil},
		"categories":                      {[]string{"remember", "--category", ""}, []string{"rejected_alternative"}, nil},
		"states":                          {[]string{"list", "--state", ""}, []string{"forgotten", "archived"}, nil},
		"entities":                        {[]string{"list", "--entity", ""}, []string{"kafka"}, nil},
		"agents":                          {[]string{"search", "--agent", "c"}, []string{"claude-code", "codex"}, []string{"opencode"}},
		"agents to hand over to":          {[]string{"handoff", claudeSession, "--to", ""}, []string{"opencode", "codex"}, nil},
		"agents to connect":               {[]string{"install", "o"}, []string{"opencode"}, []string{"codex"}},
		"more agents to connect":          {[]string{"install", "opencode", ""}, []string{"codex"}, []string{"opencode"}},
		"projects":                        {[]string{"list", "--project", ""}, []string{"shop", "user"}, nil},
		"projects to rename":              {[]string{"projects", "rename", ""}, []string{"shop"}, nil},
		"no projects for the new name":    {[]string{"projects", "rename", "shop", ""}, nil, []string{"shop"}},
		"sessions":                        {[]string{"transcript", ""}, []string{claudeSession, h.session}, nil},
		"sessions to export":              {[]string{"sessions", "export", h.session, ""}, []string{claudeSession}, []string{h.session}},
		"days of the journal":             {[]string{"journal", ""}, []string{"2026-11-15"}, nil},
		"settings":                        {[]string{"config", "set", "http."}, []string{"http.port"}, []string{"log.level"}},
		"formats of the reference":        {[]string{"reference", ""}, []string{"man", "markdown", "settings"}, nil},
		"nothing for words of one's own":  {[]string{"remember", ""}, nil, []string{active}},
		"flags":                           {[]string{"search", "--w"}, []string{"--why"}, nil},
		"the parts of a context":          {[]string{"context", "--part", ""}, []string{"stable", "hud"}, nil},
		"nothing in a folder unknown yet": {[]string{"forget", "--project", h.dir, ""}, nil, []string{active}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h.t = t
			got, directive := h.offered(tt.args...)
			for _, w := range tt.want {
				if !slices.Contains(got, w) {
					t.Errorf("%q is not among %q", w, got)
				}
			}
			for _, w := range tt.unwant {
				if slices.Contains(got, w) {
					t.Errorf("%q is among %q", w, got)
				}
			}
			if files := directive == ":0"; files != slices.Contains(tt.args, "--project") && tt.args[0] != "forget" {
				t.Errorf("directive %s", directive)
			}
		})
	}
	t.Run("files for what reads files", func(t *testing.T) {
		h.t = t
		if got, directive := h.offered("import", ""); len(got) > 0 || directive != ":0" {
			t.Errorf("%q %s", got, directive)
		}
	})
	t.Run("with a few words about each", func(t *testing.T) {
		h.t = t
		got := h.must(cobra.ShellCompRequestCmd, "forget", "")
		if want := active + "\tintegration tests need docker compose up db and redis"; !strings.Contains(got.out, want) {
			t.Errorf("%q is not in %q", want, got.out)
		}
	})
}
