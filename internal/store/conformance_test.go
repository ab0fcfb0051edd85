package store_test

import (
	"testing"

	"codememory"
	"codememory/internal/store"
	"codememory/internal/storetest"
	"codememory/internal/text"
)

func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	st, err := store.Open(t.Context(), options(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() }) // some tests close it themselves
	return st
}

func options(dir string) store.Options {
	return store.Options{Dir: dir, Scope: codememory.ScopeProject, Writer: "testtest", Model: func() codememory.EmbeddingModel { return storetest.Model }}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Suite{
		Open: func(t *testing.T) codememory.Store { return open(t, t.TempDir()) },
		Reopen: func(t *testing.T, st codememory.Store) codememory.Store {
			dir := st.(*store.Store).Dir()
			if err := st.Close(); err != nil {
				t.Fatal(err)
			}
			return open(t, dir)
		},
		Analyze: text.AnalyzeQuery,
	})
}
