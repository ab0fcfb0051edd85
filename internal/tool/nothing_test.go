package tool_test

import (
	"context"

	"codememory"
	"codememory/internal/tool"
)

// nothing are memories of which there are none.
type nothing struct{ tool.Memories }

func (nothing) none(id string) error {
	return codememory.Errorf(codememory.NotFound, "no memory %q", id)
}

func (nothing) Add(context.Context, codememory.AddRequest) (codememory.AddResult, error) {
	return codememory.AddResult{}, codememory.Errorf(codememory.ReadOnly, "the store cannot be written")
}

func (n nothing) Get(_ context.Context, ref codememory.Ref) (codememory.Memory, error) {
	return codememory.Memory{}, n.none(ref.ID)
}

func (n nothing) Edit(_ context.Context, ref codememory.Ref, _ codememory.Edit) (codememory.Memory, error) {
	return codememory.Memory{}, n.none(ref.ID)
}

func (n nothing) Forget(_ context.Context, ref codememory.Ref, _ string) (codememory.Memory, error) {
	return codememory.Memory{}, n.none(ref.ID)
}

func (n nothing) Undo(_ context.Context, ref codememory.Ref) (codememory.Memory, string, error) {
	return codememory.Memory{}, "", n.none(ref.ID)
}

func (n nothing) History(_ context.Context, ref codememory.Ref) ([]codememory.HistoryEntry, error) {
	return nil, n.none(ref.ID)
}

func (nothing) List(context.Context, codememory.ListRequest) (codememory.MemoryPage, error) {
	return codememory.MemoryPage{}, nil
}

func (nothing) Search(context.Context, codememory.SearchRequest) (codememory.SearchAnswer, error) {
	return codememory.SearchAnswer{}, nil
}

func (n nothing) Project(_ context.Context, ref string) (codememory.Project, error) {
	return codememory.Project{}, n.none(ref)
}
