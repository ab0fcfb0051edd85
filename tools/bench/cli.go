package main

import (
	"context"
	"fmt"
	"os/exec"
	"time"
)

// commandLine measures a whole process, and its own processor time.
func commandLine(ctx context.Context, b *bench, times int, w *world, args func() []string) (series, error) {
	out := make(series, 0, times)
	for i := range times + 1 {
		cmd := exec.CommandContext(ctx, b.binary, args()...)
		if w != nil {
			cmd.Env, cmd.Dir = w.env(), w.root
		}
		began := time.Now()
		said, err := cmd.CombinedOutput()
		took := time.Since(began)
		if err != nil {
			return nil, fmt.Errorf("%v: %w: %s", cmd.Args[1:], err, said)
		}
		if i > 0 { // the first reads the binary from the disk
			out = append(out, sample{wall: took, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()})
		}
	}
	return out, nil
}

func commandFigures(s series, p50 float64) []figure {
	return []figure{
		{Name: "p50", Value: s.wall(50), Unit: "ms", Budget: p50},
		{Name: "p99", Value: s.wall(99), Unit: "ms"},
		{Name: "median", Value: s.cpu(), Unit: "CPU-ms in it"},
	}
}

func version(ctx context.Context, b *bench) ([]row, error) {
	s, err := commandLine(ctx, b, min(50, b.queries), nil, func() []string { return []string{"version"} })
	return []row{{What: "`codememory version`, whole process", Figures: commandFigures(s, 50)}}, err
}

// withDaemon measures a command that asks a warm daemon.
func withDaemon(what string, args func(*world) []string) func(context.Context, *bench) ([]row, error) {
	return func(ctx context.Context, b *bench) ([]row, error) {
		w, err := b.world(ctx, b.n)
		if err != nil {
			return nil, err
		}
		if _, err := w.warmDaemon(ctx); err != nil {
			return nil, err
		}
		s, err := commandLine(ctx, b, min(50, b.queries), w, func() []string { return args(w) })
		return []row{{What: what, Figures: commandFigures(s, 0)}}, err
	}
}
