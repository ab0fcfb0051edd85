package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func TestUsageErrorsComeBeforeAnyConnection(t *testing.T) {
	tests := map[string]struct {
		args []string
		want string
	}{
		"a misspelt command":              {[]string{"serach", "x", "--limit", "3"}, `unknown command "serach": did you mean "search"?`},
		"a misspelt command of a group":   {[]string{"projects", "lst"}, `did you mean "codememory projects list"?`},
		"an unknown flag":                 {[]string{"list", "--colour"}, `unknown flag: --colour: see "codememory list --help"`},
		"letters for a number":            {[]string{"list", "--limit", "x"}, `--limit "x" is not a whole number: see "codememory list --help"`},
		"letters for a share":             {[]string{"search", "--floor", "x", "y"}, `--floor "x" is not a number: see "codememory search --help"`},
		"a word for a switch":             {[]string{"search", "--why=x", "y"}, `--why "x" is not true or false: see "codememory search --help"`},
		"a missing text":                  {[]string{"remember"}, "TEXT is missing: codememory remember TEXT…"},
		"a blank text":                    {[]string{"remember", "  "}, "memory text is empty"},
		"an argument too many":            {[]string{"stats", "now"}, `"now" is too much: stats takes no arguments`},
		"an id that is none":              {[]string{"show", "the-first-one"}, `"the-first-one" is not a memory id`},
		"a bad id among good ones":        {[]string{"forget", "mem_1111", "zzz"}, `"zzz" is not a memory id`},
		"an unknown type":                 {[]string{"list", "--type", "opinion"}, `unknown type "opinion": use one of project-brief,`},
		"an unknown scope":                {[]string{"remember", "--scope", "team", "x"}, `unknown scope "team": use project or user`},
		"an unknown state":                {[]string{"list", "--state", "gone"}, `unknown state "gone"`},
		"an unknown format":               {[]string{"export", "--format", "xml"}, `unknown format "xml"`},
		"a time that is none":             {[]string{"list", "--since", "blue"}, `--since "blue" is not a time`},
		"a floor outside its range":       {[]string{"search", "x", "--floor", "2"}, "--floor 2 is outside 0..1"},
		"a limit of nothing":              {[]string{"search", "x", "--limit", "0"}, "--limit 0: at least 1"},
		"both modes of init":              {[]string{"init", "--shared", "--private"}, "exclude each other"},
		"an edit of nothing":              {[]string{"edit", "mem_1111"}, "nothing to change"},
		"an edit by two ways":             {[]string{"edit", "mem_1111", "new", "--editor"}, "not both"},
		"a purge without consent":         {[]string{"purge", "mem_1111"}, "repeat it with --yes"},
		"a project purge without consent": {[]string{"projects", "forget", "shop", "--purge"}, "repeat it with --yes"},
		"an import of CSV":                {[]string{"import", "-", "--format", "csv"}, "can be exported but not imported"},
		"a reason for no supersession":    {[]string{"remember", "x", "--reason", "y"}, "give both"},
		"an unknown part":                 {[]string{"context", "--part", "all"}, `unknown part "all"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := run(t, nil, "", nil, tt.args...)
			if got.code != exitUsage {
				t.Errorf("exit code %d, want %d", got.code, exitUsage)
			}
			if got.connections != 0 {
				t.Error("the service was asked")
			}
			if !strings.HasPrefix(got.err, "codememory: ") || !strings.Contains(got.err, tt.want) || strings.Count(got.err, "\n") != 1 {
				t.Errorf("stderr is %q, want one line with %q", got.err, tt.want)
			}
			if got.out != "" {
				t.Errorf("stdout is %q", got.out)
			}
		})
	}
}

func TestExitCodes(t *testing.T) {
	tests := map[string]struct {
		err  error
		want int
	}{
		"a wrong value":     {codememory.Errorf(codememory.Invalid, "x"), exitUsage},
		"too much":          {codememory.Errorf(codememory.TooLarge, "x"), exitUsage},
		"an unknown id":     {codememory.Errorf(codememory.NotFound, "x"), exitNotFound},
		"an ambiguous id":   {codememory.Errorf(codememory.Conflict, "x"), exitNotFound},
		"no daemon":         {codememory.Errorf(codememory.Unavailable, "x"), exitUnavailable},
		"no permission":     {codememory.Errorf(codememory.Forbidden, "x"), exitRefused},
		"a wrong token":     {codememory.Errorf(codememory.Unauthorized, "x"), exitRefused},
		"a read-only store": {codememory.Errorf(codememory.ReadOnly, "x"), exitRefused},
		"a wrapped cause":   {fmt.Errorf("a: %w", codememory.Errorf(codememory.NotFound, "x")), exitNotFound},
		"a bare permission": {fmt.Errorf("a: %w", fs.ErrPermission), exitRefused},
		"a full disk":       {codememory.Errorf(codememory.StorageFull, "x"), exitFailure},
		"anything else":     {errors.New("x"), exitFailure},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			svc := &fake{get: func(codememory.Ref) (codememory.Memory, error) { return codememory.Memory{}, tt.err }}
			if got := run(t, svc, "", nil, "show", "mem_1111"); got.code != tt.want {
				t.Errorf("exit code %d, want %d", got.code, tt.want)
			}
		})
	}
	t.Run("an interruption", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got := exitCode(ctx, ctx.Err()); got != exitInterrupted {
			t.Errorf("exit code %d, want %d", got, exitInterrupted)
		}
	})
}

func TestErrorsAsJSON(t *testing.T) {
	svc := &fake{get: func(codememory.Ref) (codememory.Memory, error) {
		return codememory.Memory{}, codememory.Errorf(codememory.NotFound, "no memory has the id %q", "1111")
	}}
	for _, args := range [][]string{{"show", "1111", "--json"}, {"show", "--json"}, {"list", "--json", "--oops"}, {"oops", "--json"}} {
		got := run(t, svc, "", nil, args...)
		var answer struct {
			Error struct{ Code, Message string }
		}
		if err := json.Unmarshal([]byte(got.err), &answer); err != nil || answer.Error.Code == "" || answer.Error.Message == "" {
			t.Errorf("%v: stderr is %q (%v)", args, got.err, err)
		}
	}
}

func TestTheProjectComesFromFlagThenVariableThenFolder(t *testing.T) {
	env := map[string]string{envProject: "from-env"}
	tests := map[string]struct {
		env  map[string]string
		args []string
		want string
	}{
		"the folder":             {nil, nil, "WORK"},
		"the variable":           {env, nil, "from-env"},
		"the flag":               {env, []string{"--project", "from-flag"}, "from-flag"},
		"a relative folder":      {nil, []string{"-C", "."}, "WORK"},
		"the user's own store":   {nil, []string{"-C", "user"}, "user"},
		"an unknown path":        {nil, []string{"-C", "./nowhere"}, ""},
		"an unknown path in env": {map[string]string{envProject: "/no/such/folder"}, nil, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			asked := ""
			svc := &fake{list: func(r codememory.ListRequest) (codememory.MemoryPage, error) {
				asked = r.Project
				return codememory.MemoryPage{}, nil
			}}
			got := run(t, svc, "", tt.env, append([]string{"list"}, tt.args...)...)
			if tt.want == "" {
				if got.code != exitNotFound || !strings.Contains(got.err, "there is no folder") {
					t.Errorf("exit code %d, stderr %q", got.code, got.err)
				}
				return
			}
			if tt.want == "WORK" && strings.HasPrefix(asked, "/") && got.code == exitOK {
				return // the temporary folder, whatever its name
			}
			if asked != tt.want {
				t.Errorf("asked for project %q, want %q (%s)", asked, tt.want, got.err)
			}
		})
	}
}

func TestRemember(t *testing.T) {
	half := 0.25
	tests := map[string]struct {
		args  []string
		stdin string
		want  codememory.AddRequest
	}{
		"words are joined": {
			args: []string{"use", "tabs", "here"}, want: codememory.AddRequest{Text: "use tabs here"},
		},
		"standard input is read": {
			args: []string{"-"}, stdin: "two\nlines\n", want: codememory.AddRequest{Text: "two\nlines"},
		},
		"every flag is passed on": {
			args: []string{"x", "--type", "preference", "--category", "priority", "--pin", "--importance", "0.25", "--supersedes", "mem_1111", "--reason", "newer", "--verbatim"},
			want: codememory.AddRequest{
				Text: "x", Type: codememory.Preference, Category: codememory.Priority, Pinned: true, Importance: &half, Verbatim: true,
				Supersedes: []codememory.Supersession{{ID: "mem_1111", Reason: "newer"}},
			},
		},
		"types and categories may use either dash": {
			args: []string{"x", "--type", "Error_Solution", "--category", "hidden-constraint"},
			want: codememory.AddRequest{Text: "x", Type: codememory.ErrorSolution, Category: codememory.HiddenConstraint},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var asked codememory.AddRequest
			svc := &fake{add: func(r codememory.AddRequest) (codememory.AddResult, error) {
				asked = r
				return codememory.AddResult{Memory: known("a", r.Text), Event: codememory.Added}, nil
			}}
			got := run(t, svc, tt.stdin, nil, append([]string{"remember"}, tt.args...)...)
			if got.code != exitOK || got.out != "Remembered mem_aaaaaaaa (learned-pattern)\n" {
				t.Errorf("%+v", got)
			}
			tt.want.Source = codememory.Source{Agent: "cli", Author: codememory.AuthorUser}
			if asked.Project == "" {
				t.Error("no project was named")
			}
			asked.Project = ""
			if diff := cmp.Diff(tt.want, asked); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestSearchShowsHitsForPeople(t *testing.T) {
	m := known("a", "Run \x1b[31mmake db\x1b[0m before the integration tests, because they need the schema that only the migration container creates.")
	m.Pinned = true
	svc := &fake{search: func(r codememory.SearchRequest) (codememory.SearchAnswer, error) {
		if !r.Explain || r.Text != "run tests" || r.Reach != codememory.ReachBoth {
			t.Errorf("asked %+v", r)
		}
		return codememory.SearchAnswer{
			Hits: []codememory.Hit{{Memory: m, Score: 0.876, Why: &codememory.Why{
				LexicalRank: 1, Coverage: 0.75, Terms: []string{"run", "tests"}, VectorRank: 2, Cosine: 0.61, Entities: []string{"make"},
			}}},
			Degraded: true, Reasons: []string{"no vectors"},
		}, nil
	}}
	got := run(t, svc, "", nil, "search", "--why", "run", "tests")
	want := "mem_aaaaaaaa  0.88  learned-pattern · pinned · 3 hours ago\n" +
		"  Run \ufffd[31mmake db\ufffd[0m before the integration tests, because they need the\n" +
		"  schema that only the migration container creates.\n" +
		"  why: words #1 (run, tests) 75% of the question · meaning #2 0.61 · mentions make\n"
	if diff := cmp.Diff(want, got.out); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if want := "codememory: the search was limited: no vectors\n"; got.err != want {
		t.Errorf("stderr %q", got.err)
	}
}

func TestNothingFoundIsNoFailure(t *testing.T) {
	svc := &fake{
		search: func(codememory.SearchRequest) (codememory.SearchAnswer, error) { return codememory.SearchAnswer{}, nil },
		list:   func(codememory.ListRequest) (codememory.MemoryPage, error) { return codememory.MemoryPage{}, nil },
	}
	got := run(t, svc, "", nil, "search", "x")
	if diff := cmp.Diff(outcome{err: "Nothing remembered about that.\n", connections: 1}, got, cmp.AllowUnexported(outcome{})); diff != "" {
		t.Error(diff)
	}
	got = run(t, svc, "", nil, "search", "x", "--json")
	if want := "{\n  \"hits\": [],\n  \"degraded\": false\n}\n"; got.out != want || got.err != "" || got.code != exitOK {
		t.Errorf("%+v", got)
	}
	got = run(t, svc, "", nil, "list", "--json")
	if want := "{\n  \"memories\": [],\n  \"total\": 0\n}\n"; got.out != want || got.err != "" || got.code != exitOK {
		t.Errorf("%+v", got)
	}
	if got = run(t, svc, "", nil, "search", "x", "--quiet"); got.err != "" {
		t.Errorf("quiet says %q", got.err)
	}
}

func TestListGathersPagesUpToItsLimit(t *testing.T) {
	var asked []codememory.PageRequest
	svc := &fake{list: func(r codememory.ListRequest) (codememory.MemoryPage, error) {
		asked = append(asked, r.PageRequest)
		page := codememory.MemoryPage{Total: 1200, Next: fmt.Sprint(len(asked))}
		for range r.Limit {
			page.Memories = append(page.Memories, known("a", "text"))
		}
		if len(asked) == 3 {
			page.Memories, page.Next = page.Memories[:200], ""
		}
		return page, nil
	}}
	got := run(t, svc, "", nil, "list", "--limit", "0")
	if n := strings.Count(got.out, "mem_"); n != 1200 || got.err != "" {
		t.Errorf("%d memories, stderr %q", n, got.err)
	}
	if diff := cmp.Diff([]codememory.PageRequest{{Limit: 500}, {Limit: 500, Cursor: "1"}, {Limit: 500, Cursor: "2"}}, asked); diff != "" {
		t.Error(diff)
	}
	asked = nil
	got = run(t, svc, "", nil, "list", "--limit", "7")
	if n := strings.Count(got.out, "mem_"); n != 7 || got.err != "1193 more: --limit 0 shows all\n" {
		t.Errorf("%d memories, stderr %q", n, got.err)
	}
}

func TestSeveralIDsStopAtTheFirstFailure(t *testing.T) {
	svc := &fake{forget: func(r codememory.Ref, reason string) (codememory.Memory, error) {
		if r.ID == "2222" {
			return codememory.Memory{}, codememory.Errorf(codememory.NotFound, "no memory has the id 2222")
		}
		return known(r.ID[:1], reason), nil
	}}
	got := run(t, svc, "", nil, "forget", "1111", "2222", "3333")
	if got.code != exitNotFound || got.out != "Forgot mem_11111111\n" {
		t.Errorf("%+v", got)
	}
	got = run(t, svc, "", nil, "forget", "1111", "2222", "--json")
	if got.code != exitNotFound || strings.Count(got.out, `"id": "1111`) != 1 || !strings.Contains(got.err, `"code":"not_found"`) {
		t.Errorf("%+v", got)
	}
}

func TestVerifyFailsWhenItFindsProblems(t *testing.T) {
	problems := []codememory.Problem{{Path: "memories/ab/x.md", Line: 7, What: "holds merge conflict markers", Todo: "resolve the merge"}}
	svc := &fake{verify: func(string) ([]codememory.VerifyReport, error) {
		return []codememory.VerifyReport{{Project: "shop", Memories: 3, Problems: problems}}, nil
	}}
	got := run(t, svc, "", nil, "verify")
	want := "shop: 3 memories, 1 problem\n  memories/ab/x.md:7: holds merge conflict markers\n    → resolve the merge\n"
	if got.code != exitFailure || got.out != want || got.err != "" {
		t.Errorf("%+v", got)
	}
}

func TestAgo(t *testing.T) {
	for want, d := range map[string]time.Duration{
		"just now": 30 * time.Second, "1 minute ago": 90 * time.Second, "5 hours ago": 5*time.Hour + time.Minute, "1 day ago": 25 * time.Hour,
		"30 days ago": 30*24*time.Hour + time.Hour,
	} {
		if got := ago(now, now.Add(-d)); got != want {
			t.Errorf("ago(%v) = %q, want %q", d, got, want)
		}
	}
	if got := ago(now, now.Add(-40*24*time.Hour)); got != "2026-03-25" {
		t.Errorf("40 days: %q", got)
	}
	for want, d := range map[string]time.Duration{
		"just now": time.Second, "17m ago": 17 * time.Minute, "1h ago": time.Hour, "3d ago": 73 * time.Hour, "2026-03-25": 40 * 24 * time.Hour,
	} {
		if got := shortAgo(now, now.Add(-d)); got != want {
			t.Errorf("shortAgo(%v) = %q, want %q", d, got, want)
		}
	}
	if got := ago(now, time.Time{}); got != "never" {
		t.Errorf("zero: %q", got)
	}
}
