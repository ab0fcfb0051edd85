package opencode

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"codememory"
)

// Candidate is a database that OpenCode may be using.
type Candidate struct {
	Path   string
	Active time.Time // when the file or its write-ahead log last changed
}

// memoryDB is the value of OPENCODE_DB for a database without a file.
const memoryDB = ":memory:"

// Candidates returns the databases that exist, last active first: more than one
// when several release channels of OpenCode are installed. It fails with
// NotFound when there is none.
func (r *Reader) Candidates() ([]Candidate, error) {
	paths, err := r.paths()
	if err != nil {
		return nil, err
	}
	var found []Candidate
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || info.IsDir() {
			continue
		}
		active := info.ModTime()
		if wal, err := os.Stat(path + "-wal"); err == nil && wal.ModTime().After(active) {
			active = wal.ModTime()
		}
		found = append(found, Candidate{path, active})
	}
	if len(found) == 0 {
		return nil, codememory.Errorf(codememory.NotFound, "OpenCode has no database here: looked for %s", strings.Join(paths, ", "))
	}
	slices.SortStableFunc(found, func(a, b Candidate) int { return b.Active.Compare(a.Active) })
	return found, nil
}

// Watched lists the files whose change means new records: each candidate and
// its write-ahead log.
func (r *Reader) Watched() []string {
	paths, err := r.paths()
	if err != nil {
		return nil
	}
	var watched []string
	for _, path := range paths {
		watched = append(watched, path, path+"-wal")
	}
	return watched
}

// paths lists where a database may be, by the rule of OpenCode itself. The first
// is where a usual release puts it.
func (r *Reader) paths() ([]string, error) {
	if r.opts.Path != "" {
		return []string{r.opts.Path}, nil
	}
	named := r.opts.Env("OPENCODE_DB")
	if named == memoryDB {
		return nil, codememory.Errorf(codememory.NotFound, "OPENCODE_DB is %s: OpenCode keeps nothing on disk that could be read", memoryDB)
	}
	if filepath.IsAbs(named) {
		return []string{named}, nil
	}
	dir, err := r.dataDir()
	if err != nil {
		return nil, err
	}
	if named != "" {
		return []string{filepath.Join(dir, named)}, nil
	}
	paths := []string{filepath.Join(dir, "opencode.db")}
	if one := r.opts.Env("OPENCODE_DISABLE_CHANNEL_DB"); one == "1" || strings.EqualFold(one, "true") {
		return paths, nil
	}
	entries, _ := os.ReadDir(dir) // a missing folder has no channels
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, "opencode-") && strings.HasSuffix(name, ".db") {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	return paths, nil
}

// dataDir is OpenCode's data folder: it follows the XDG rule on every system.
func (r *Reader) dataDir() (string, error) {
	if dir := r.opts.Env("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "opencode"), nil
	}
	home := r.opts.Env("HOME")
	if runtime.GOOS == "windows" {
		home = r.opts.Env("USERPROFILE")
	}
	if home == "" {
		return "", codememory.Errorf(codememory.NotFound, "OpenCode's data folder is unknown: neither XDG_DATA_HOME nor the home folder is set")
	}
	return filepath.Join(home, ".local", "share", "opencode"), nil
}
