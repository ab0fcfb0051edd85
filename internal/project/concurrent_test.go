package project_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"codememory/internal/project"
)

const workerEnv = "CODEMEMORY_PROJECT_TEST_WORKER" // "data directory|folder of projects|number"

const perWorker = 3

func TestMain(m *testing.M) {
	if job := os.Getenv(workerEnv); job != "" {
		part := strings.Split(job, "|")
		if err := work(context.Background(), part[0], part[1], part[2]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// work registers and renames projects of its own and one that all share.
func work(ctx context.Context, data, folders, worker string) error {
	reg, err := project.Open(data)
	if err != nil {
		return err
	}
	if _, err := reg.Resolve(ctx, filepath.Join(folders, "shared")); err != nil {
		return err
	}
	for i := range perWorker {
		name := fmt.Sprintf("w%s-%d", worker, i)
		dir := filepath.Join(folders, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			return err
		}
		p, err := reg.Resolve(ctx, dir)
		if err != nil {
			return err
		}
		if _, err := reg.Rename(ctx, p.ID, "renamed "+name); err != nil {
			return err
		}
		if got, err := reg.Resolve(ctx, dir); err != nil || got.Name != "renamed "+name {
			return fmt.Errorf("%s does not see its own rename: %q, %w", worker, got.Name, err)
		}
	}
	return reg.SetName(ctx, "tag_project_"+worker, "tagged "+worker)
}

func TestNoUpdateIsLost(t *testing.T) {
	w := newWorld(t)
	folders := w.mkdir("folders")
	w.mkdir("folders/shared")
	const goroutines, processes = 8, 4
	var wg sync.WaitGroup
	for n := range processes {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%s|p%d", workerEnv, w.data, folders, n))
			var out bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &out
			if err := cmd.Run(); err != nil {
				t.Errorf("process %d: %v\n%s", n, err, out.String())
			}
		})
	}
	for n := range goroutines {
		wg.Go(func() {
			if err := work(t.Context(), w.data, folders, fmt.Sprintf("g%d", n)); err != nil {
				t.Errorf("goroutine %d: %v", n, err)
			}
		})
	}
	for range goroutines { // readers and writers of one registry
		wg.Go(func() {
			for range 20 {
				w.resolve("folders/shared")
				if _, err := w.reg.List(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()

	list, err := w.reg.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	names := make(map[string]bool)
	for _, p := range list {
		names[p.Name] = true
	}
	workers := goroutines + processes
	if want := workers*(perWorker+1) + 1; len(list) != want || len(names) != want {
		t.Errorf("%d projects with %d names, want %d", len(list), len(names), want)
	}
	for n := range processes {
		for i := range perWorker {
			if name := fmt.Sprintf("renamed wp%d-%d", n, i); !names[name] {
				t.Errorf("%q is lost", name)
			}
		}
	}
	if left := w.reg.Warnings(); len(left) > 0 {
		t.Errorf("warnings: %v", left)
	}
	if rest, _ := filepath.Glob(filepath.Join(w.data, "*")); len(rest) != 2 {
		t.Errorf("left in the data directory: %v", rest)
	}
}
