package atomicfile

import (
	"os"
	"path/filepath"
	"sync"
)

// syncers is how many files are synced at a time. Syncs of one disk overlap
// well up to about this number; more only queue.
const syncers = 8

// WriteAll replaces many files. All are written and synced before the first
// takes its place, so when there is no room for the last, no file has changed.
// Each directory is synced once. When a path occurs twice the later one stays.
//
// A crash in the middle, or a failing rename, can leave some files new and
// others old, each of them whole.
func WriteAll(files []File) error {
	temps := make([]string, len(files))
	err := parallel(len(files), func(i int) (err error) {
		temps[i], err = writeTemp(files[i])
		return err
	})
	placed := 0
	if err == nil {
		for ; placed < len(files) && err == nil; placed++ {
			err = replace(temps[placed], files[placed].Path)
		}
	}
	for _, temp := range temps[placed:] {
		if temp != "" {
			os.Remove(temp)
		}
	}
	// What took its place is made durable also when a later one did not.
	dirs := directories(files[:placed])
	if syncErr := parallel(len(dirs), func(i int) error { return syncDir(dirs[i]) }); err == nil {
		err = syncErr
	}
	return err
}

func directories(files []File) []string {
	var dirs []string
	seen := make(map[string]bool)
	for _, f := range files {
		dir := filepath.Dir(f.Path)
		if !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// parallel calls do for 0..n-1 in up to syncers goroutines and returns the
// first error; after one, no further call begins.
func parallel(n int, do func(int) error) error {
	var (
		mu    sync.Mutex
		next  int
		first error
		wg    sync.WaitGroup
	)
	take := func() (int, bool) {
		mu.Lock()
		defer mu.Unlock()
		if first != nil || next == n {
			return 0, false
		}
		next++
		return next - 1, true
	}
	for range min(n, syncers) {
		wg.Go(func() {
			for i, ok := take(); ok; i, ok = take() {
				if err := do(i); err != nil {
					mu.Lock()
					if first == nil {
						first = err
					}
					mu.Unlock()
				}
			}
		})
	}
	wg.Wait()
	return first
}
