package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"codememory"
	"codememory/internal/embedding/minilm"
	"codememory/internal/sqlite"
	"codememory/internal/store"
)

// saves is how many single memories are saved per benchmark.
func (b *bench) saves() int { return min(100, b.queries) }

func (w *world) addition() codememory.AddRequest {
	return codememory.AddRequest{Project: w.root, Text: w.corpus.memory(), Source: codememory.Source{Agent: "bench", Author: codememory.AuthorUser}}
}

// saveFigures are those of one memory.
func saveFigures(s series, p50 float64) []figure {
	return []figure{
		{Name: "p50", Value: s.wall(50), Unit: "ms", Budget: p50},
		{Name: "p99", Value: s.wall(99), Unit: "ms"},
		{Name: "median", Value: s.cpu(), Unit: "CPU-ms"},
	}
}

// addOne adds memories one by one; all but a few must be new to it.
func addOne(ctx context.Context, times, pid int, s codememory.MemoryService, w *world) (series, error) {
	added := 0
	all, err := measure(ctx, times, pid, func() error {
		r, err := s.Add(ctx, w.addition())
		if r.Event == codememory.Added {
			added++
		}
		return err
	})
	if err == nil && added < times*9/10 {
		err = fmt.Errorf("only %d of %d memories were added", added, times)
	}
	return all, err
}

func rememberDaemon(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.n)
	if err != nil {
		return nil, err
	}
	d, err := w.warmDaemon(ctx)
	if err != nil {
		return nil, err
	}
	s, err := addOne(ctx, b.saves(), d.pid, d, w)
	return []row{{What: fmt.Sprintf("save one memory beside %d, synced, embedded and indexed, through the daemon", w.size), Figures: saveFigures(s, 10)}}, err
}

func rememberService(ctx context.Context, b *bench) (rows []row, err error) {
	w, err := b.world(ctx, b.n)
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
	defer b.profile()()
	s, err := addOne(ctx, b.saves(), os.Getpid(), svc, w)
	if err != nil {
		return nil, err
	}
	model := minilm.New()
	encode := func() error {
		_, err := model.EmbedDocuments(ctx, []string{w.corpus.memory()})
		return err
	}
	if err := encode(); err != nil { // loads the model
		return nil, err
	}
	embedding, err := measure(ctx, b.saves(), os.Getpid(), encode)
	return []row{
		{What: "save one memory, in process", Figures: saveFigures(s, 10)},
		{What: "of which the embedding of its text", Figures: saveFigures(embedding, 0)},
	}, err
}

// rememberBatch saves many at once. Their vectors are made in the background.
func rememberBatch(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.n)
	if err != nil {
		return nil, err
	}
	d, err := w.warmDaemon(ctx)
	if err != nil {
		return nil, err
	}
	db, err := sqlite.Open(ctx, filepath.Join(w.options.Dir, store.DatabaseName))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rs := make([]codememory.AddRequest, min(1000, b.n))
	for i := range rs {
		rs[i] = w.addition()
	}
	cpu, err := cpuTime(d.pid)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if _, err := d.AddMany(ctx, rs); err != nil {
		return nil, err
	}
	saved := time.Since(began)
	for left := 1; left > 0; {
		ms, err := db.Unembedded(ctx, w.options.Model().ID, 1)
		if err != nil {
			return nil, err
		}
		if left = len(ms); left > 0 {
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-time.After(20 * time.Millisecond):
			}
		}
	}
	embedded := time.Since(began)
	after, err := cpuTime(d.pid)
	return []row{{What: fmt.Sprintf("save %d memories in one batch, through the daemon", len(rs)), Figures: []figure{
		{Name: "saved and found by words", Value: saved.Seconds(), Unit: "s", Budget: 5},
		{Name: "with all vectors", Value: embedded.Seconds(), Unit: "s", Budget: 5},
		{Value: (after - cpu).Seconds(), Unit: "CPU-s"},
	}}}, err
}
