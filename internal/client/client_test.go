package client

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/httpapi"
	"codememory/internal/paths"
	"codememory/internal/service"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "0123456789abcdef0123456789abcdef"

// connect returns a client of a real service, and that service itself.
func connect(t *testing.T) (*Client, *service.Service) {
	t.Helper()
	dir := t.TempDir()
	loaded, err := config.Load(config.Sources{Flags: map[string]string{"embedding.provider": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	s, err := service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: filepath.Join(dir, "data"), State: filepath.Join(dir, "state")}, Config: loaded, Version: "1.2.3",
	})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, s), s
}

// serve answers for s until the test ends.
func serve(t *testing.T, s *service.Service) *Client {
	t.Helper()
	listener, err := httpapi.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	api := httpapi.New(httpapi.Options{Service: s, Agents: s, View: s, Token: token, Version: "1.2.3"})
	server := api.HTTPServer(api.Handler(listener.Addr()))
	go server.Serve(listener)
	c := New(listener.Addr().String(), token)
	t.Cleanup(func() {
		c.Close()
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// same fails the test unless both answers of a method are equal.
func same[T any](t *testing.T, what string, near T, nearErr error, far T, farErr error, opts ...cmp.Option) {
	t.Helper()
	if nearErr != nil || farErr != nil {
		t.Errorf("%s: %v in process, %v over HTTP", what, nearErr, farErr)
		return
	}
	if diff := cmp.Diff(near, far, append(opts, cmpopts.EquateEmpty())...); diff != "" {
		t.Errorf("%s answers otherwise over HTTP (-in process +HTTP):\n%s", what, diff)
	}
}

// TestEveryMethodIsTheSameOverHTTP asks the service directly and through the
// client, and wants the same answers.
func TestEveryMethodIsTheSameOverHTTP(t *testing.T) {
	c, s := connect(t)
	ctx := t.Context()
	dir := t.TempDir()
	usage := cmpopts.IgnoreFields(codememory.Memory{}, "Usage") // asking counts

	importance := 0.9
	added, err := c.Add(ctx, codememory.AddRequest{
		Project: dir, Text: "The gateway speaks gRPC because of streaming", Type: codememory.Architecture, Category: codememory.DecisionRationale,
		Importance: &importance, Source: codememory.Source{Agent: "cli", Author: codememory.AuthorUser}, Metadata: map[string]any{"ticket": "A-1"},
	})
	if err != nil || added.Event != codememory.Added {
		t.Fatalf("add: %+v, %v", added, err)
	}
	ref := codememory.Ref{Project: dir, ID: added.Memory.ID}
	many, err := c.AddMany(ctx, []codememory.AddRequest{
		{Project: dir, Text: "Integration tests need the docker daemon"},
		{Text: "I prefer small commits over large ones", Type: codememory.Preference},
	})
	if err != nil || len(many) != 2 || many[1].Memory.Scope != codememory.ScopeUser {
		t.Fatalf("add many: %+v, %v", many, err)
	}

	near, nearErr := s.Get(ctx, ref)
	far, farErr := c.Get(ctx, ref)
	same(t, "Get", near, nearErr, far, farErr, usage)

	for _, list := range []codememory.ListRequest{
		{Project: dir},
		{Project: dir, PageRequest: codememory.PageRequest{Limit: 1}},
		{Reach: codememory.ReachAll, Filter: codememory.Filter{Types: []codememory.Type{codememory.Preference}, Since: time.Now().Add(-time.Hour)}},
	} {
		near, nearErr := s.List(ctx, list)
		far, farErr := c.List(ctx, list)
		same(t, "List", near, nearErr, far, farErr, usage)
	}

	question := codememory.SearchRequest{Text: "why gRPC in the gateway", Project: dir, Explain: true}
	nearFound, nearErr := s.Search(ctx, question)
	farFound, farErr := c.Search(ctx, question)
	same(t, "Search", nearFound, nearErr, farFound, farErr, usage, cmpopts.EquateApprox(0, 1e-4))
	if len(farFound.Hits) == 0 {
		t.Error("Search found nothing")
	}
	need := codememory.RetrieveRequest{QueryExpansion: "gateway gRPC streaming", ProjectRoot: dir}
	nearGot, nearErr := s.Retrieve(ctx, need)
	farGot, farErr := c.Retrieve(ctx, need)
	same(t, "Retrieve", nearGot, nearErr, farGot, farErr, usage, cmpopts.EquateApprox(0, 1e-4))
	text := codememory.ContextRequest{Project: dir, Goal: "change the gateway"}
	nearText, nearErr := s.Context(ctx, text)
	farText, farErr := c.Context(ctx, text)
	same(t, "Context", nearText, nearErr, farText, farErr, usage, cmpopts.EquateApprox(0, 1e-4))

	reworded := "The gateway speaks gRPC because of bidirectional streaming"
	edited, err := c.Edit(ctx, ref, codememory.Edit{Text: &reworded, Reason: "clearer"})
	if err != nil || edited.Text != reworded || len(edited.Revisions) != 1 {
		t.Errorf("edit: %+v, %v", edited, err)
	}
	nearPast, nearErr := s.History(ctx, ref)
	farPast, farErr := c.History(ctx, ref)
	same(t, "History", nearPast, nearErr, farPast, farErr)
	undone, what, err := c.Undo(ctx, ref)
	if err != nil || undone.Text != added.Memory.Text || what == "" {
		t.Errorf("undo: %q %q, %v", undone.Text, what, err)
	}
	if m, err := c.Forget(ctx, ref, "no longer true"); err != nil || m.State() != codememory.Forgotten {
		t.Errorf("forget: %+v, %v", m, err)
	}
	if report, err := c.Purge(ctx, codememory.Ref{ID: many[1].Memory.ID}); err != nil || len(report.Purged) != 1 {
		t.Errorf("purge: %+v, %v", report, err)
	}
	record := codememory.Memory{
		ID: codememory.NewID(time.Now()), Text: "Imported: the importer keeps ids", Type: codememory.LearnedPattern, Scope: codememory.ScopeProject,
		Importance: 0.5, CreatedAt: time.Now().Add(-time.Hour).UTC().Truncate(time.Millisecond), UpdatedAt: time.Now().UTC().Truncate(time.Millisecond),
	}
	imported, err := c.Import(ctx, dir, []codememory.Memory{record})
	if err != nil || len(imported) != 1 || imported[0].Memory.ID != record.ID || !imported[0].Memory.CreatedAt.Equal(record.CreatedAt) {
		t.Errorf("import: %+v, %v", imported, err)
	}
}

func TestProjectsAreTheSameOverHTTP(t *testing.T) {
	c, s := connect(t)
	ctx := t.Context()
	first, second := t.TempDir(), t.TempDir()
	for _, dir := range []string{first, second} {
		if _, err := c.Add(ctx, codememory.AddRequest{Project: dir, Text: "Something about the folder " + filepath.Base(dir)}); err != nil {
			t.Fatal(err)
		}
	}
	near, nearErr := s.Project(ctx, first)
	far, farErr := c.Project(ctx, first)
	same(t, "Project", near, nearErr, far, farErr, cmpopts.IgnoreFields(codememory.Project{}, "SeenAt"))
	if p, err := c.RenameProject(ctx, first, "Velodrome"); err != nil || p.Name != "Velodrome" {
		t.Errorf("rename: %+v, %v", p, err)
	}
	if p, err := c.MergeProjects(ctx, second, first); err != nil || p.Name != "Velodrome" {
		t.Errorf("merge: %+v, %v", p, err)
	}
	report, err := c.InitProject(ctx, codememory.InitRequest{Dir: first})
	if err != nil || report.Moved != 2 {
		t.Errorf("init: %+v, %v", report, err)
	}
	if err := c.SetName(ctx, "opencode_project_0123456789abcdef", "Old one"); err != nil {
		t.Error(err)
	}
	nearNames, nearErr := s.Names(ctx)
	farNames, farErr := c.Names(ctx)
	same(t, "Names", nearNames, nearErr, farNames, farErr)
	nearAll, nearErr := s.Projects(ctx)
	farAll, farErr := c.Projects(ctx)
	same(t, "Projects", nearAll, nearErr, farAll, farErr)
	nearStats, nearErr := s.Stats(ctx)
	farStats, farErr := c.Stats(ctx)
	same(t, "Stats", nearStats, nearErr, farStats, farErr)
	nearHealth, nearErr := s.Health(ctx)
	farHealth, farErr := c.Health(ctx)
	same(t, "Health", nearHealth, nearErr, farHealth, farErr)

	t.Chdir(first) // a relative name means the folder of the caller
	if reports, err := c.Rebuild(ctx, "."); err != nil || len(reports) != 1 || reports[0].Memories != 2 {
		t.Errorf("rebuild: %+v, %v", reports, err)
	}
	if reports, err := c.Verify(ctx, ""); err != nil || len(reports) == 0 {
		t.Errorf("verify: %+v, %v", reports, err)
	}
	backup, err := c.Backup(ctx, ".", "backup.tar")
	if err != nil || backup.File != filepath.Join(first, "backup.tar") {
		t.Errorf("backup: %+v, %v", backup, err)
	}
	if restored, err := c.Restore(ctx, ".", "backup.tar"); err != nil || restored.Memories != 2 {
		t.Errorf("restore: %+v, %v", restored, err)
	}
	if err := c.ForgetProject(ctx, first, true); err != nil {
		t.Error(err)
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	c, s := connect(t)
	tests := map[string]func(codememory.Service) error{
		"an unknown memory": func(s codememory.Service) error {
			_, err := s.Get(t.Context(), codememory.Ref{ID: "ffffffff"})
			return err
		},
		"an empty text": func(s codememory.Service) error {
			_, err := s.Add(t.Context(), codememory.AddRequest{Text: " "})
			return err
		},
		"a text too long": func(s codememory.Service) error {
			_, err := s.Add(t.Context(), codememory.AddRequest{Text: strings.Repeat("x ", codememory.MaxTextBytes)})
			return err
		},
		"an unknown project": func(s codememory.Service) error {
			_, err := s.Project(t.Context(), "nobody-knows-this")
			return err
		},
		"an id that is none": func(s codememory.Service) error {
			_, err := s.Forget(t.Context(), codememory.Ref{ID: "../x y?z#%"}, "")
			return err
		},
	}
	for name, ask := range tests {
		t.Run(name, func(t *testing.T) {
			near, far := ask(s), ask(c)
			if near == nil || far == nil || codememory.CodeOf(near) != codememory.CodeOf(far) || near.Error() != far.Error() {
				t.Errorf("in process %v (%s), over HTTP %v (%s)", near, codememory.CodeOf(near), far, codememory.CodeOf(far))
			}
		})
	}
	if _, err := c.Get(t.Context(), codememory.Ref{}); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("without an id: %v", err)
	}
	stranger := New(c.Address(), strings.Repeat("0", 32))
	defer stranger.Close()
	if _, err := stranger.Stats(t.Context()); codememory.CodeOf(err) != codememory.Unauthorized {
		t.Errorf("with a wrong token: %v", err)
	}
}

func TestEventsComeThroughTheClient(t *testing.T) {
	c, _ := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	events, err := c.Events(ctx)
	if err != nil {
		t.Fatal(err)
	}
	added, err := c.Add(t.Context(), codememory.AddRequest{Text: "events tell that something was saved"})
	if err != nil {
		t.Fatal(err)
	}
	select {
	case e := <-events:
		if e.ID != added.Memory.ID || e.Seq == 0 {
			t.Errorf("got %+v", e)
		}
	case <-time.After(5 * time.Second):
		t.Fatal("no event came")
	}
	cancel()
	for range events { // it is closed
	}
}

func TestNoDaemonIsASentence(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	c := New(address, token)
	_, err = c.Stats(t.Context())
	if codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), address) || !strings.Contains(err.Error(), "codememory daemon") {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerThatBreaksOffIsUnavailable(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{"/v1/stats": `{"total":`, "/v1/health": `<html>`}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/names" {
			<-r.Context().Done()
			return
		}
		w.Write([]byte(answers[r.URL.Path]))
	})}
	go server.Serve(listener)
	defer server.Close()
	c := New(listener.Addr().String(), token)
	defer c.Close()
	if _, err := c.Stats(t.Context()); codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("half an answer: %v", err)
	}
	if _, err := c.Health(t.Context()); codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("not JSON: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.Names(ctx); codememory.CodeOf(err) != codememory.Unavailable || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("no answer in time: %v", err)
	}
}

func TestFoldersAreMadeAbsolute(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "sub", "web"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	here1, _ := os.Getwd()
	for ref, want := range map[string]string{
		"":                        "",
		".":                       here1,
		"./sub":                   filepath.Join(here1, "sub"),
		"../x":                    filepath.Join(filepath.Dir(here1), "x"),
		"sub/web":                 filepath.Join(here1, "sub", "web"),
		"sub":                     "sub", // a name; a folder is meant by ./sub
		"github.com/acme/web":     "github.com/acme/web",
		"opencode_project_12":     "opencode_project_12",
		codememory.UserProject:    codememory.UserProject,
		filepath.Join(here1, "x"): filepath.Join(here1, "x"),
	} {
		if got := here(ref); got != want {
			t.Errorf("%q became %q, want %q", ref, got, want)
		}
	}
}

func TestNewer(t *testing.T) {
	ascending := []string{"0.9.9", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-rc.2", "1.0.0-rc.10", "1.0.0", "1.0.1", "1.2.0", "v1.10.0", "2.0.0+build"}
	for i, a := range ascending {
		for j, b := range ascending {
			if got, want := newer(a, b), i > j; got != want {
				t.Errorf("newer(%s, %s) is %v", a, b, got)
			}
		}
	}
	for _, odd := range []string{"", "dev", "1.0", "(devel)", "1.x.0", "-1.0.0"} {
		if newer(odd, "0.0.1") || newer("9.9.9", odd) {
			t.Errorf("%q can be compared", odd)
		}
	}
}

func FuzzReadEvents(f *testing.F) {
	f.Add("id: 1\nevent: memory.saved\ndata: {\"seq\":1}\n\n")
	f.Add("event: dropped\ndata: {}\n\nevent: x\ndata: {\"seq\":2}\n\n")
	f.Add(": comment\n\ndata\ndata:\nevent")
	f.Fuzz(func(t *testing.T, stream string) {
		n := 0
		readEvents(strings.NewReader(stream), func(codememory.Event) bool { n++; return n < 100 })
		if n > strings.Count(stream, "data") {
			t.Errorf("%d events in %q", n, stream)
		}
	})
}
