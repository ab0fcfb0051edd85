package httpapi

import (
	"context"
	"net/http"

	"codememory"
	"codememory/internal/httpapi/wire"
)

func addMemory(ctx context.Context, c call[none, codememory.AddRequest]) (codememory.AddResult, error) {
	return c.Service.Add(ctx, c.Body)
}

func addMemories(ctx context.Context, c call[none, wire.AddManyRequest]) (wire.AddManyAnswer, error) {
	results, err := c.Service.AddMany(ctx, c.Body.Memories)
	return wire.AddManyAnswer{Results: listed(results)}, err
}

func listMemories(ctx context.Context, c call[wire.ListQuery, none]) (codememory.MemoryPage, error) {
	page, err := c.Service.List(ctx, c.Query.Request())
	page.Memories = listed(page.Memories)
	return page, err
}

func getMemory(ctx context.Context, c call[wire.MemoryQuery, none]) (codememory.Memory, error) {
	return c.Service.Get(ctx, c.ref(c.Query))
}

func editMemory(ctx context.Context, c call[wire.MemoryQuery, codememory.Edit]) (codememory.Memory, error) {
	return c.Service.Edit(ctx, c.ref(c.Query), c.Body)
}

func forgetMemory(ctx context.Context, c call[wire.MemoryQuery, wire.ForgetRequest]) (codememory.Memory, error) {
	return c.Service.Forget(ctx, c.ref(c.Query), c.Body.Reason)
}

func undoMemory(ctx context.Context, c call[wire.MemoryQuery, none]) (wire.UndoAnswer, error) {
	memory, undone, err := c.Service.Undo(ctx, c.ref(c.Query))
	return wire.UndoAnswer{Memory: memory, Undone: undone}, err
}

func purgeMemory(ctx context.Context, c call[wire.MemoryQuery, none]) (codememory.PurgeReport, error) {
	return c.Service.Purge(ctx, c.ref(c.Query))
}

func memoryHistory(ctx context.Context, c call[wire.MemoryQuery, none]) (wire.HistoryAnswer, error) {
	entries, err := c.Service.History(ctx, c.ref(c.Query))
	return wire.HistoryAnswer{Entries: listed(entries)}, err
}

func search(ctx context.Context, c call[none, codememory.SearchRequest]) (codememory.SearchAnswer, error) {
	answer, err := c.Service.Search(ctx, c.Body)
	answer.Hits = listed(answer.Hits)
	return answer, err
}

func retrieve(ctx context.Context, c call[none, codememory.RetrieveRequest]) (wire.RetrieveAnswer, error) {
	answer, err := c.Service.Retrieve(ctx, c.Body)
	return wire.RetrieveAnswer{Hits: listed(answer.Hits), Degraded: answer.Degraded, Reasons: answer.Reasons}, err
}

func contextText(ctx context.Context, c call[none, codememory.ContextRequest]) (codememory.ContextAnswer, error) {
	answer, err := c.Service.Context(ctx, c.Body)
	answer.Memories = listed(answer.Memories)
	return answer, err
}

func listProjects(ctx context.Context, c call[none, none]) (wire.ProjectsAnswer, error) {
	projects, err := c.Service.Projects(ctx)
	return wire.ProjectsAnswer{Projects: listed(projects)}, err
}

func resolveProject(ctx context.Context, c call[wire.ProjectQuery, none]) (codememory.Project, error) {
	return c.Service.Project(ctx, c.Query.Ref)
}

func renameProject(ctx context.Context, c call[none, wire.RenameRequest]) (codememory.Project, error) {
	return c.Service.RenameProject(ctx, c.Body.Project, c.Body.Name)
}

func mergeProjects(ctx context.Context, c call[none, wire.MergeRequest]) (codememory.Project, error) {
	return c.Service.MergeProjects(ctx, c.Body.From, c.Body.Into)
}

func forgetProject(ctx context.Context, c call[none, wire.ForgetProjectRequest]) (wire.Done, error) {
	err := c.Service.ForgetProject(ctx, c.Body.Project, c.Body.Purge)
	return wire.Done{Done: err == nil}, err
}

func initProject(ctx context.Context, c call[none, codememory.InitRequest]) (codememory.InitReport, error) {
	return c.Service.InitProject(ctx, c.Body)
}

func listNames(ctx context.Context, c call[none, none]) (wire.NamesAnswer, error) {
	names, err := c.Service.Names(ctx)
	return wire.NamesAnswer{Names: mapped(names)}, err
}

func setName(ctx context.Context, c call[none, wire.NameRequest]) (wire.Done, error) {
	err := c.Service.SetName(ctx, c.Body.Tag, c.Body.Name)
	return wire.Done{Done: err == nil}, err
}

func health(ctx context.Context, c call[none, none]) (codememory.Health, error) {
	return c.Service.Health(ctx)
}

func stats(ctx context.Context, c call[none, none]) (codememory.Stats, error) {
	return c.Service.Stats(ctx)
}

func rebuild(ctx context.Context, c call[none, wire.ProjectRequest]) (wire.RebuildAnswer, error) {
	reports, err := c.Service.Rebuild(ctx, c.Body.Project)
	return wire.RebuildAnswer{Reports: listed(reports)}, err
}

func verify(ctx context.Context, c call[none, wire.ProjectRequest]) (wire.VerifyAnswer, error) {
	reports, err := c.Service.Verify(ctx, c.Body.Project)
	return wire.VerifyAnswer{Reports: listed(reports)}, err
}

func backup(ctx context.Context, c call[none, wire.BackupRequest]) (codememory.BackupReport, error) {
	return c.Service.Backup(ctx, c.Body.Project, c.Body.File)
}

func restore(ctx context.Context, c call[none, wire.BackupRequest]) (codememory.BackupReport, error) {
	return c.Service.Restore(ctx, c.Body.Project, c.Body.File)
}

// shutdown answers before the daemon ends: the server drains this request like any other.
func shutdown(_ context.Context, c call[none, none]) (wire.Done, error) {
	if c.Shutdown == nil {
		return wire.Done{}, codememory.Errorf(codememory.Unavailable, "this daemon cannot be ended from here: end its process")
	}
	c.Log.Info("asked to end")
	c.Shutdown()
	return wire.Done{Done: true}, nil
}

func (s *Server) serveOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	text, err := s.openAPI()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(text) // the caller may have left
	return nil
}

// listed makes an empty list of none, which callers in other languages would trip over.
func listed[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func mapped[K comparable, V any](m map[K]V) map[K]V {
	if m == nil {
		return map[K]V{}
	}
	return m
}
