package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"codememory"
)

// now is when these tests happen.
var now = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// fake is a service whose answers a test sets; what it does not set is a
// failure of the test.
type fake struct {
	codememory.Service
	add      func(codememory.AddRequest) (codememory.AddResult, error)
	addMany  func([]codememory.AddRequest) ([]codememory.AddResult, error)
	imports  func(project string, ms []codememory.Memory) ([]codememory.AddResult, error)
	list     func(codememory.ListRequest) (codememory.MemoryPage, error)
	search   func(codememory.SearchRequest) (codememory.SearchAnswer, error)
	get      func(codememory.Ref) (codememory.Memory, error)
	forget   func(codememory.Ref, string) (codememory.Memory, error)
	verify   func(string) ([]codememory.VerifyReport, error)
	projects []codememory.ProjectStats
}

func (f *fake) Add(_ context.Context, r codememory.AddRequest) (codememory.AddResult, error) {
	return f.add(r)
}

func (f *fake) AddMany(_ context.Context, rs []codememory.AddRequest) ([]codememory.AddResult, error) {
	return f.addMany(rs)
}

func (f *fake) Import(_ context.Context, project string, ms []codememory.Memory) ([]codememory.AddResult, error) {
	return f.imports(project, ms)
}

func (f *fake) List(_ context.Context, r codememory.ListRequest) (codememory.MemoryPage, error) {
	return f.list(r)
}

func (f *fake) Search(_ context.Context, r codememory.SearchRequest) (codememory.SearchAnswer, error) {
	return f.search(r)
}

func (f *fake) Get(_ context.Context, r codememory.Ref) (codememory.Memory, error) { return f.get(r) }

func (f *fake) Forget(_ context.Context, r codememory.Ref, reason string) (codememory.Memory, error) {
	return f.forget(r, reason)
}

func (f *fake) Verify(_ context.Context, project string) ([]codememory.VerifyReport, error) {
	return f.verify(project)
}

func (f *fake) Projects(context.Context) ([]codememory.ProjectStats, error) { return f.projects, nil }

// outcome is what a command line did.
type outcome struct {
	code        int
	out, err    string
	connections int
}

// run executes a command line against a service. The current directory is an
// empty folder named work, and no variable is set but those of env.
func run(t *testing.T, svc codememory.Service, stdin string, env map[string]string, args ...string) outcome {
	t.Helper()
	dir := t.TempDir()
	var out, errs bytes.Buffer
	p := newProgram(strings.NewReader(stdin), &out, &errs)
	p.getenv = func(name string) string { return env[name] }
	p.now = func() time.Time { return now }
	p.workdir = func() (string, error) { return dir, nil }
	var o outcome
	p.connect = func(context.Context) (codememory.Service, func(), error) {
		o.connections++
		return svc, func() {}, nil
	}
	o.code = p.execute(t.Context(), args)
	o.out = strings.ReplaceAll(out.String(), dir, "WORK")
	o.err = strings.ReplaceAll(errs.String(), dir, "WORK")
	return o
}

// known returns a memory that differs by one digit of its id.
func known(digit, text string) codememory.Memory {
	return codememory.Memory{
		ID: strings.Repeat(digit, codememory.IDLength), Text: text, Type: codememory.LearnedPattern, Scope: codememory.ScopeProject,
		Project: "p1", Importance: 0.5, CreatedAt: now.Add(-49 * time.Hour), UpdatedAt: now.Add(-3 * time.Hour),
	}
}
