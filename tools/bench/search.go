package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"codememory"
	"codememory/internal/embedding/minilm"
	"codememory/internal/sqlite"
	"codememory/internal/store"
	"codememory/internal/text"
)

// answers counts what searches found.
type answers struct{ asked, found, degraded int }

func (a *answers) add(hits int, degraded bool) {
	a.asked++
	a.found += hits
	if degraded {
		a.degraded++
	}
}

func (a *answers) note() string {
	s := fmt.Sprintf("%s memories an answer", number(float64(a.found)/float64(max(1, a.asked))))
	if a.degraded > 0 {
		s += fmt.Sprintf(", %d of %d degraded", a.degraded, a.asked)
	}
	return s
}

// searchFigures are those of one question; a budget of 0 is none.
func searchFigures(s series, p50, p99, cpu float64) []figure {
	return []figure{
		{Name: "p50", Value: s.wall(50), Unit: "ms", Budget: p50},
		{Name: "p99", Value: s.wall(99), Unit: "ms", Budget: p99},
		{Name: "median", Value: s.cpu(), Unit: "CPU-ms", Budget: cpu},
		{Name: "mean", Value: s.meanCPU(), Unit: "CPU-ms"},
	}
}

// retrieve measures what a plugin asks on every call of a model.
func retrieve(size func(*bench) int, p50, p99, cpu float64) func(context.Context, *bench) ([]row, error) {
	return func(ctx context.Context, b *bench) ([]row, error) {
		w, err := b.world(ctx, size(b))
		if err != nil {
			return nil, err
		}
		d, err := w.warmDaemon(ctx)
		if err != nil {
			return nil, err
		}
		var found answers
		s, err := measure(ctx, b.queries, d.pid, func() error {
			a, err := d.Retrieve(ctx, w.retrieval())
			found.add(len(a.Hits), a.Degraded)
			return err
		})
		return []row{{
			What: fmt.Sprintf("`/retrieve` at %d memories, through the daemon", w.size), Figures: searchFigures(s, p50, p99, cpu), Note: found.note(),
		}}, err
	}
}

// search measures the search of people: phrases of time are read, ten answers.
func search(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.n)
	if err != nil {
		return nil, err
	}
	d, err := w.warmDaemon(ctx)
	if err != nil {
		return nil, err
	}
	var found answers
	s, err := measure(ctx, b.queries, d.pid, func() error {
		a, err := d.Search(ctx, codememory.SearchRequest{Text: w.question(), Project: w.root})
		found.add(len(a.Hits), a.Degraded)
		return err
	})
	return []row{{
		What: fmt.Sprintf("`/search` at %d memories, through the daemon", w.size), Figures: searchFigures(s, 8, 20, 8), Note: found.note(),
	}}, err
}

// wholeContext measures both blocks that a plugin puts before a model.
func wholeContext(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.n)
	if err != nil {
		return nil, err
	}
	d, err := w.warmDaemon(ctx)
	if err != nil {
		return nil, err
	}
	s, err := measure(ctx, b.queries, d.pid, func() error {
		_, err := d.Context(ctx, codememory.ContextRequest{Project: w.root, Goal: w.question()})
		return err
	})
	return []row{{What: fmt.Sprintf("`/context`, both blocks, at %d memories", w.size), Figures: []figure{
		{Name: "p50", Value: s.wall(50), Unit: "ms"}, {Name: "p95", Value: s.wall(95), Unit: "ms", Budget: 50}, {Name: "median", Value: s.cpu(), Unit: "CPU-ms"},
	}}}, err
}

// inProcess asks the service and plain full text the same questions in turn,
// so that both meet the same load of the machine.
func inProcess(size func(*bench) int) func(context.Context, *bench) ([]row, error) {
	return func(ctx context.Context, b *bench) (rows []row, err error) {
		w, err := b.world(ctx, size(b))
		if err != nil {
			return nil, err
		}
		svc, err := w.service(ctx)
		if err != nil {
			return nil, err
		}
		defer func() {
			if e := svc.Close(); err == nil {
				err = e
			}
		}()
		db, err := sqlite.Open(ctx, filepath.Join(w.options.Dir, store.DatabaseName))
		if err != nil {
			return nil, err
		}
		defer db.Close()
		return b.sideBySide(ctx, w, svc, db)
	}
}

func (b *bench) sideBySide(ctx context.Context, w *world, svc codememory.SearchService, db *sqlite.DB) ([]row, error) {
	model := minilm.New()
	if _, err := model.EmbedQuery(ctx, w.question()); err != nil {
		return nil, err
	}
	defer b.profile()()
	var ours, plain, embedding series
	var found, foundPlain answers
	for range b.queries {
		r := w.retrieval()
		steps := []struct {
			to *series
			op func() error
		}{
			{&ours, func() error {
				a, err := svc.Retrieve(ctx, r)
				found.add(len(a.Hits), a.Degraded)
				return err
			}},
			{&plain, func() error {
				n, err := plainSearch(ctx, db, r.QueryExpansion)
				foundPlain.add(n, false)
				return err
			}},
			{&embedding, func() error {
				_, err := model.EmbedQuery(ctx, r.QueryExpansion)
				return err
			}},
		}
		for _, step := range steps {
			s, err := measure(ctx, 1, os.Getpid(), step.op)
			if err != nil {
				return nil, err
			}
			*step.to = append(*step.to, s...)
		}
	}
	var p50, p99, cpu float64
	if w.size == b.n {
		p50, p99, cpu = 8, 20, 8
	} else {
		p99 = 50
	}
	ratio := searchFigures(plain, 0, 0, 0)
	ratio = append(ratio, figure{Name: "ours takes", Value: ours.cpu() / plain.cpu(), Unit: "times its CPU"})
	return []row{
		{What: fmt.Sprintf("the same in process at %d memories", w.size), Figures: searchFigures(ours, p50, p99, cpu), Note: found.note()},
		{What: "of which the embedding of the question", Figures: searchFigures(embedding, 0, 0, 0)},
		{What: fmt.Sprintf("the same questions by plain FTS5 at %d memories", w.size), Figures: ratio, Note: foundPlain.note()},
	}, nil
}

// plainSearch answers a question the way a program with SQLite alone does.
func plainSearch(ctx context.Context, db *sqlite.DB, question string) (int, error) {
	var asked []string
	for _, t := range text.AnalyzeQuery(question) {
		if !text.IsStopWord(t.Text) {
			asked = append(asked, t.Text)
		}
	}
	const most = 8 // as many as Retrieve returns
	hits, err := db.SearchText(ctx, asked, codememory.Filter{}, most)
	if err != nil {
		return 0, err
	}
	ids := make([]string, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	ms, err := db.GetMany(ctx, ids)
	return len(ms), err
}
