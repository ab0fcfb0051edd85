package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// keeper is a service that remembers what it is given to store.
func keeper(stored *[]string) *fake {
	keep := func(project, kind, text string) codememory.AddResult {
		*stored = append(*stored, project+" "+kind+" "+text)
		return codememory.AddResult{Event: codememory.Added}
	}
	return &fake{
		imports: func(project string, ms []codememory.Memory) ([]codememory.AddResult, error) {
			var rs []codememory.AddResult
			for _, m := range ms {
				rs = append(rs, keep(project, "record", m.Text))
			}
			return rs, nil
		},
		addMany: func(requests []codememory.AddRequest) ([]codememory.AddResult, error) {
			var rs []codememory.AddResult
			for _, r := range requests {
				rs = append(rs, keep(r.Project, "new", r.Text))
			}
			return rs, nil
		},
	}
}

func row(id, project, scope, text string) string {
	return fmt.Sprintf(`{"id":%q,"project":%q,"scope":%q,"text":%q,"created_at":"2026-01-01T00:00:00Z"}`+"\n",
		strings.Repeat(id, codememory.IDLength), project, scope, text)
}

func TestImportPutsEverythingWhereItBelongs(t *testing.T) {
	file := row("1", "p1", "project", "of one") + row("2", "p2", "project", "of two") + row("3", "", "user", "of the user") + `{"text":"new"}` + "\n"
	tests := map[string]struct {
		args []string
		want []string
		err  string
	}{
		"into the named project": {
			args: []string{"--project", "shop"},
			want: []string{"shop record of one", "shop record of two", "user record of the user", "shop new new"},
		},
		"back to where it came from": {
			args: []string{"--keep-projects", "--project", "shop"},
			want: []string{"p1 record of one", "p2 record of two", "user record of the user", "shop new new"},
		},
		"not into the folder at hand by accident": {err: "memories of 2 projects"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			var stored []string
			got := run(t, keeper(&stored), file, nil, append([]string{"import", "-"}, tt.args...)...)
			if tt.err != "" {
				if got.code != exitUsage || !strings.Contains(got.err, tt.err) {
					t.Errorf("%+v", got)
				}
			} else if got.out != "Stored 4 memories\n" || got.code != exitOK {
				t.Errorf("%+v", got)
			}
			if diff := cmp.Diff(tt.want, stored); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestImportSaysHowFarItGot(t *testing.T) {
	calls := 0
	svc := &fake{imports: func(_ string, ms []codememory.Memory) ([]codememory.AddResult, error) {
		if calls++; calls == 2 {
			return nil, codememory.Errorf(codememory.StorageFull, "the disk is full")
		}
		rs := make([]codememory.AddResult, len(ms))
		for i := range rs {
			rs[i].Event = codememory.Added
		}
		return rs, nil
	}}
	var file strings.Builder
	for i := range 2 * importBatch {
		fmt.Fprintf(&file, `{"id":"%032x","text":"t","created_at":"2026-01-01T00:00:00Z"}`+"\n", i+1)
	}
	got := run(t, svc, file.String(), nil, "import", "-")
	want := "codememory: import -: the disk is full (200 memories were stored before; importing again continues)\n"
	if got.err != want || got.code != exitFailure {
		t.Errorf("%+v", got)
	}
}

func TestAnExportThatFailsLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "out.jsonl")
	if err := os.WriteFile(file, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	pages := 0
	svc := &fake{list: func(codememory.ListRequest) (codememory.MemoryPage, error) {
		if pages++; pages == 2 {
			return codememory.MemoryPage{}, codememory.Errorf(codememory.Unavailable, "the daemon went away")
		}
		return codememory.MemoryPage{Memories: []codememory.Memory{known("a", "x")}, Next: "2"}, nil
	}}
	got := run(t, svc, "", nil, "export", "-o", file)
	if got.code != exitUnavailable || !strings.Contains(got.err, "the daemon went away") {
		t.Errorf("%+v", got)
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := os.ReadFile(file); string(content) != "old" || len(left) != 1 {
		t.Errorf("the file holds %q, the folder %v", content, left)
	}
}

func TestExportAsksForEverythingButTheForgotten(t *testing.T) {
	var asked codememory.ListRequest
	svc := &fake{list: func(r codememory.ListRequest) (codememory.MemoryPage, error) {
		asked = r
		return codememory.MemoryPage{}, nil
	}}
	for name, tt := range map[string]struct {
		args   []string
		states []codememory.State
		reach  codememory.Reach
	}{
		"by default":         {nil, exportedStates, codememory.ReachProject},
		"all":                {[]string{"--all"}, codememory.AnyState, codememory.ReachProject},
		"one state":          {[]string{"--state", "forgotten"}, []codememory.State{codememory.Forgotten}, codememory.ReachProject},
		"the user's":         {[]string{"--user"}, exportedStates, codememory.ReachUser},
		"of every project":   {[]string{"--all-projects"}, exportedStates, codememory.ReachAll},
		"to standard output": {[]string{"-o", "-"}, exportedStates, codememory.ReachProject},
	} {
		t.Run(name, func(t *testing.T) {
			if got := run(t, svc, "", nil, append([]string{"export"}, tt.args...)...); got.code != exitOK {
				t.Fatalf("%+v", got)
			}
			if diff := cmp.Diff(tt.states, asked.Filter.States); diff != "" || asked.Reach != tt.reach {
				t.Errorf("reach %q, states:\n%s", asked.Reach, diff)
			}
		})
	}
}
