package cli

import (
	"strings"
	"testing"

	"codememory"
)

// TestErrorsSayCauseAndNextStep calls commands wrongly, or where they cannot
// work, and reads what they say: what failed, on what, and what to do.
func TestErrorsSayCauseAndNextStep(t *testing.T) {
	h := prepared(t)
	tests := map[string]struct {
		args  []string
		stdin string
		code  int
		want  string // the whole message
	}{
		"an unknown memory":         {args: []string{"show", "mem_00000000"}, code: 4, want: `no memory mem_00000000 in any of 2 stores: codememory list shows those that are here`},
		"what is no id":             {args: []string{"forget", "xyz"}, code: 2, want: `"xyz" is not a memory id: it looks like mem_0a1b2c3d; "codememory list" shows them`},
		"nothing to expand":         {args: []string{"expand", "nonsense"}, code: 4, want: `nonsense is neither a memory, nor an entry of the journal, nor a session: "codememory list", "codememory journal" and "codememory sessions" show ids`},
		"an unknown session":        {args: []string{"sessions", "show", "nope"}, code: 4, want: `no session nope in shop and your own store: codememory sessions lists those that are here`},
		"no session to read":        {args: []string{"transcript", "nope"}, code: 4, want: `no agent has a session nope: "codememory sessions" lists those that are here`},
		"an unknown turn":           {args: []string{"transcript", "e49c", "--turn", "nope"}, code: 4, want: `session ` + claudeSession + ` has no turn nope: leave it out to see the last turns`},
		"a negative context":        {args: []string{"transcript", "e49c", "--context", "-1"}, code: 2, want: `--context -1: at least 0`},
		"an empty day":              {args: []string{"journal", "2020-01-01"}, code: 4, want: `nothing is in the journal of 2020-01-01: codememory journal --days lists the days that it has`},
		"what is no day":            {args: []string{"journal", "someday"}, code: 2, want: `"someday" is not a day: write 2026-03-01`},
		"an unknown project":        {args: []string{"list", "-C", "nope"}, code: 4, want: `no project is called "nope": name a folder, or one that "codememory projects" lists`},
		"a folder that is not":      {args: []string{"list", "-C", "./nope"}, code: 4, want: `there is no folder HOME/dev/shop/nope: check --project`},
		"a project into itself":     {args: []string{"projects", "merge", "shop", "shop"}, code: 2, want: `name two different projects to merge`},
		"no file to import":         {args: []string{"import", "/no/such.json"}, code: 4, want: `/no/such.json: no such file or directory: check the name`},
		"a folder to import":        {args: []string{"import", h.dir}, code: 2, want: `HOME is a folder: name a file in it`},
		"nowhere to export to":      {args: []string{"export", "-o", "/no/such/x.json"}, code: 4, want: `export to /no/such/x.json: there is no folder /no/such: make it first`},
		"no place for sessions":     {args: []string{"sessions", "export", "-o", "/no/such/x.md"}, code: 4, want: `export to /no/such/x.md: there is no folder /no/such: make it first`},
		"nowhere to back up to":     {args: []string{"backup", "-o", "/no/such/x"}, code: 4, want: `there is no folder /no/such: make it first`},
		"no backup to restore":      {args: []string{"restore", "/no/such.tar.gz", "--yes"}, code: 4, want: `/no/such.tar.gz: no such file or directory: check the name`},
		"an agent without records":  {args: []string{"backfill", "--agent", "nope"}, code: 2, want: `no records of an agent "nope" can be read: use one of opencode, claude-code, codex, gemini, copilot`},
		"no agent to connect":       {args: []string{"install", "nope", "--yes"}, code: 2, want: `"nope" is no agent that can be connected: these are: opencode, claude-code, codex, gemini, copilot, cursor, vscode, antigravity, windsurf, zed`},
		"an empty question":         {args: []string{"search", " "}, code: 2, want: `QUERY is empty: say what to look for`},
		"an empty prompt":           {args: []string{"why", " "}, code: 2, want: `PROMPT is empty: say what you would ask the model`},
		"a cursor of nowhere":       {args: []string{"list", "--cursor", "abc"}, code: 2, want: `cursor "abc" is not one of ours: begin again without it`},
		"a limit of nothing":        {args: []string{"sessions", "--limit", "0"}, code: 2, want: `--limit 0: at least 1`},
		"no entities wanted":        {args: []string{"entities", "--limit", "-3"}, code: 2, want: `--limit -3: at least 1`},
		"an unknown setting":        {args: []string{"config", "get", "nope"}, code: 4, want: `"nope" is no setting: see codememory config list`},
		"a setting nearly right":    {args: []string{"config", "get", "http.prot"}, code: 4, want: `"http.prot" is no setting (did you mean http.port?): see codememory config list`},
		"a port that is none":       {args: []string{"config", "set", "http.port", "99999"}, code: 2, want: `http.port: expected whole number 0..65535, got 99999`},
		"a project's file missing":  {args: []string{"config", "set", "--local", "search.rerank", "false"}, code: 4, want: `this project has no .codememory folder: make one with "codememory init"`},
		"superseding nothing":       {args: []string{"remember", "--supersedes", "mem_00000000", "x"}, code: 4, want: `supersede it: no memory mem_00000000 here: codememory list shows those that are`},
		"a checkpoint of no JSON":   {args: []string{"checkpoint"}, stdin: "{", code: 2, want: `the checkpoint on standard input is not JSON, nothing was stored: "codememory checkpoint --help" shows one`},
		"no shell for completion":   {args: []string{"completion"}, code: 2, want: `SHELL is missing: codememory completion bash, zsh, fish or powershell; "codememory completion --help" says how to install it`},
		"a shell without one":       {args: []string{"completion", "tcsh"}, code: 2, want: `unknown command "tcsh": see "codememory completion --help"`},
		"help about nothing":        {args: []string{"help", "nope"}, code: 2, want: `unknown command "nope": "codememory help" lists all commands`},
		"help about a near miss":    {args: []string{"help", "serach"}, code: 2, want: `unknown command "serach": did you mean "search"? "codememory help" lists all commands`},
		"a reference of no format":  {args: []string{"reference", "pdf"}, code: 2, want: `unknown format "pdf": use man, markdown or settings`},
		"a review of no kind":       {args: []string{"review", "--kind", "x"}, code: 2, want: `unknown kind of review "x": use quarantine, conflict, unsure, duplicate or promotion`},
		"a purge without consent":   {args: []string{"purge", h.ids[0]}, code: 2, want: `purge cannot be undone: repeat it with --yes, or use forget`},
		"a promotion without proof": {args: []string{"promote", h.ids[0]}, code: 4, want: codememory.ShownID(h.ids[0]) + ` is a learned-pattern of this project, not a preference: promote it with --yes if it holds in all your projects`},
		"an edit of what is purged": {args: []string{"edit", "mem_00000000", "x"}, code: 4, want: `no memory mem_00000000 in any of 2 stores: codememory list shows those that are here`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			h.t = t
			got := h.runWith(tt.stdin, nil, tt.args...)
			message := strings.ReplaceAll(got.err, h.dir, "HOME")
			if want := "codememory: " + tt.want + "\n"; message != want || got.code != tt.code {
				t.Errorf("exit code %d, want %d\n got %s want %s", got.code, tt.code, message, want)
			}
		})
	}
}
