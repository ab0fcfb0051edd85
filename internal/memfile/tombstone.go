package memfile

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codememory"
)

// TombstoneFolder holds what was purged: one append-only log per writer, so
// that two branches never write the same file.
const TombstoneFolder = "tombstones"

// Tombstone remembers that a memory was purged, without its text.
type Tombstone struct {
	ID   string
	Text string // hash of the normalised text, see codememory.Store.FindText
	At   time.Time
}

// AppendTombstones adds to the log of this writer and syncs it.
func AppendTombstones(store, writer string, ts ...Tombstone) error {
	dir := filepath.Join(store, TombstoneFolder)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", dir, err)
	}
	path := filepath.Join(dir, writer+".log")
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("open %s: %w", path, err)
	}
	var b strings.Builder
	for _, t := range ts {
		fmt.Fprintf(&b, "%s %s %s\n", t.ID, t.Text, t.At.UTC().Format(time.RFC3339))
	}
	_, err = f.WriteString(b.String())
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("append to %s: %w", path, err)
	}
	return nil
}

// ReadTombstones reads the logs of all writers. A line that cannot be read is
// reported through bad and skipped.
func ReadTombstones(store string, bad func(codememory.Problem)) ([]Tombstone, error) {
	logs, err := filepath.Glob(filepath.Join(store, TombstoneFolder, "*.log"))
	if err != nil {
		return nil, err
	}
	var ts []Tombstone
	for _, log := range logs {
		f, err := os.Open(log)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read tombstones: %w", err)
		}
		sc := bufio.NewScanner(f)
		for n := 1; sc.Scan(); n++ {
			t, ok := parseTombstone(sc.Text())
			if !ok {
				rel, _ := filepath.Rel(store, log)
				bad(codememory.Problem{Path: filepath.ToSlash(rel), Line: n, What: "is not a tombstone line", Todo: "remove the line"})
				continue
			}
			ts = append(ts, t)
		}
		err = sc.Err()
		_ = f.Close() // read only
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", log, err)
		}
	}
	return ts, nil
}

func parseTombstone(line string) (Tombstone, bool) {
	f := strings.Fields(line)
	if len(f) != 3 || len(f[0]) != codememory.IDLength {
		return Tombstone{}, false
	}
	at, err := time.Parse(time.RFC3339, f[2])
	return Tombstone{ID: f[0], Text: f[1], At: at}, err == nil
}
