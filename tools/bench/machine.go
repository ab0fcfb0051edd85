package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"codememory/internal/store"
)

const megabyte = 1 << 20

// packedWeights is the model as it is put into the binary.
const packedWeights = "internal/embedding/minilm/weights/minilm-l6-v2.bin"

func binarySize(_ context.Context, b *bench) ([]row, error) {
	info, err := os.Stat(b.binary)
	if err != nil {
		return nil, err
	}
	return []row{{What: "size of the binary", Figures: []figure{{Value: float64(info.Size()) / megabyte, Unit: "MB", Budget: 80}}}}, nil
}

// daemonMemory looks at a daemon that has answered many questions.
func daemonMemory(size func(*bench) int, budget float64) func(context.Context, *bench) ([]row, error) {
	return func(ctx context.Context, b *bench) ([]row, error) {
		w, err := b.world(ctx, size(b))
		if err != nil {
			return nil, err
		}
		d, err := w.warmDaemon(ctx)
		if err != nil {
			return nil, err
		}
		if _, err := measure(ctx, b.queries, d.pid, func() error {
			_, err := d.Retrieve(ctx, w.retrieval())
			return err
		}); err != nil {
			return nil, err
		}
		m, err := residentMemory(d.pid, w.binary, packedWeights)
		return []row{{What: fmt.Sprintf("memory of the daemon at %d memories, after the searches", w.size), Figures: []figure{
			{Name: "beside the model", Value: float64(m.all-m.weights) / megabyte, Unit: "MB", Budget: budget},
			{Name: "RSS", Value: float64(m.all) / megabyte, Unit: "MB"},
			{Name: "anonymous", Value: float64(m.anonymous) / megabyte, Unit: "MB"},
			{Name: "weights resident", Value: float64(m.weights) / megabyte, Unit: "MB"},
		}}}, err
	}
}

func idle(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.n)
	if err != nil {
		return nil, err
	}
	d, err := w.warmDaemon(ctx)
	if err != nil {
		return nil, err
	}
	if err := awaitIdle(ctx, d.pid); err != nil {
		return nil, err
	}
	s, err := measure(ctx, 1, d.pid, func() error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(b.idle):
			return nil
		}
	})
	if err != nil {
		return nil, err
	}
	return []row{{What: fmt.Sprintf("idle daemon over %v", b.idle), Figures: []figure{
		{Value: 100 * s.cpu() / s.wall(50), Unit: "% of a core", Budget: 1},
	}}}, nil
}

func databaseBytes(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.n)
	if err != nil {
		return nil, err
	}
	return []row{{What: "database for each memory, without its text", Figures: []figure{
		{Value: float64(w.bytes) / float64(w.size) / 1024, Unit: "KB", Budget: 4},
	}}}, nil
}

// coldStart measures from the start of a daemon to its first answer. Of a
// large store the index is still being made then, and the answer is degraded.
func coldStart(size func(*bench) int) func(context.Context, *bench) ([]row, error) {
	return func(ctx context.Context, b *bench) ([]row, error) {
		w, err := b.world(ctx, size(b))
		if err != nil {
			return nil, err
		}
		var up, first, whole series
		for range 3 {
			w.stopDaemon()
			began := time.Now()
			d, err := w.startDaemon(ctx)
			if err != nil {
				return nil, err
			}
			up = append(up, sample{wall: time.Since(began)})
			for n := 0; ; n++ {
				a, err := d.Retrieve(ctx, w.retrieval())
				if err != nil {
					return nil, err
				}
				if n == 0 {
					first = append(first, sample{wall: time.Since(began)})
				}
				if !a.Degraded {
					break
				}
			}
			whole = append(whole, sample{wall: time.Since(began)})
			if err := awaitIdle(ctx, d.pid); err != nil {
				return nil, err
			}
		}
		return []row{{What: fmt.Sprintf("start of the daemon at %d memories", w.size), Figures: []figure{
			{Name: "listening after", Value: up.wall(50), Unit: "ms"},
			{Name: "first answer after", Value: first.wall(50), Unit: "ms"},
			{Name: "undegraded after", Value: whole.wall(50), Unit: "ms"},
		}}}, nil
	}
}

// rebuild makes the database again from the text.
func rebuild(ctx context.Context, b *bench) ([]row, error) {
	w, err := b.world(ctx, b.large)
	if err != nil {
		return nil, err
	}
	w.stopDaemon()
	began := time.Now()
	s, report, err := store.Rebuild(ctx, w.options)
	if err != nil {
		return nil, err
	}
	took := time.Since(began)
	if report.Memories < w.size || len(report.Problems) > 0 {
		return nil, fmt.Errorf("%d memories and %d problems after the rebuild", report.Memories, len(report.Problems))
	}
	return []row{{What: fmt.Sprintf("rebuild of the database from %d files", report.Memories), Figures: []figure{
		{Value: took.Seconds(), Unit: "s"},
	}}}, s.Close()
}
