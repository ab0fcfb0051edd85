// Package journal keeps what was done, day by day, as markdown that a person
// is glad to read: one section per session, a few bullets per turn, each
// entry anchored to the turn it sums up. The files are the truth; an entry is
// written once however often its turn is captured.
package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
)

// Folder is the journal's folder in a store.
const Folder = "journal"

// Entry is one turn in the journal.
type Entry struct {
	Agent   string
	Session string
	Turn    string
	Hash    string
	Title   string // of the session
	At      time.Time
	Bullets []string
}

// Journal is the journal of one store.
type Journal struct {
	dir      string
	location *time.Location
	mu       sync.Mutex
}

// Open returns the journal of the store in dir; days begin at midnight in loc.
func Open(dir string, loc *time.Location) *Journal {
	return &Journal{dir: filepath.Join(dir, Folder), location: loc}
}

func (j *Journal) file(at time.Time) string {
	return filepath.Join(j.dir, at.In(j.location).Format(time.DateOnly)+".md")
}

var (
	anchorOf = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<!-- session:(\S+) turn:(\S+) agent:(\S+)(?: hash:(\S+))? -->`)
	})
	sessionOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^## Session (\S+) `) })
)

func anchor(e Entry) string {
	return fmt.Sprintf("<!-- session:%s turn:%s agent:%s hash:%s -->", word(e.Session), word(e.Turn), word(e.Agent), word(e.Hash))
}

// word keeps foreign ids from breaking out of an anchor.
func word(s string) string {
	return strings.Map(func(r rune) rune {
		if r <= ' ' || r == '<' || r == '>' || r == 0x7f {
			return '_'
		}
		return r
	}, s)
}

// Add writes an entry unless it is there already and returns the file, relative
// to the store. When Add returns, the entry survives a crash.
func (j *Journal) Add(e Entry) (file string, added bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	path := j.file(e.At)
	rel := Folder + "/" + filepath.Base(path)
	old, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return rel, false, fmt.Errorf("read the journal: %w", err)
	}
	if bytes.Contains(old, []byte("session:"+word(e.Session)+" turn:"+word(e.Turn)+" ")) {
		return rel, false, nil
	}
	if err := atomicfile.MkdirAll(j.dir, 0o755); err != nil {
		return rel, false, err
	}
	text := string(old)
	if text == "" {
		text = "# " + e.At.In(j.location).Format(time.DateOnly) + "\n"
	}
	return rel, true, atomicfile.Write(path, []byte(insert(text, e, j.location)), 0)
}

// insert puts an entry at the end of its session's section, which is made at
// the end of the file if need be.
func insert(text string, e Entry, loc *time.Location) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n%s\n", e.At.In(loc).Format("15:04"), anchor(e))
	for _, bullet := range e.Bullets {
		b.WriteString("- " + strings.ReplaceAll(strings.TrimSpace(bullet), "\n", " ") + "\n")
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	at, found := len(lines), false
	for i, line := range lines {
		if m := sessionOf().FindStringSubmatch(line + " "); m != nil {
			if found {
				at = i
				break
			}
			found = m[1] == word(e.Session)
		} else if found && strings.HasPrefix(line, "## ") {
			at = i
			break
		}
	}
	entry := "\n" + b.String()
	if !found {
		head := fmt.Sprintf("\n## Session %s (%s)", word(e.Session), word(e.Agent))
		if title := oneLine(e.Title, 80); title != "" {
			head += " " + title
		}
		return strings.Join(lines, "\n") + "\n" + head + "\n" + entry
	}
	before := strings.TrimRight(strings.Join(lines[:at], "\n"), "\n") + "\n"
	if at == len(lines) {
		return before + entry
	}
	return before + entry + "\n" + strings.Join(lines[at:], "\n") + "\n"
}

// Remove takes the entry of a turn out again: the user undid it.
func (j *Journal) Remove(session, turn string, at time.Time) (bool, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	path := j.file(at)
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	lines := strings.Split(string(old), "\n")
	for i, line := range lines {
		m := anchorOf().FindStringSubmatch(line)
		if m == nil || m[1] != word(session) || m[2] != word(turn) {
			continue
		}
		from, to := i, i+1
		if from > 0 && strings.HasPrefix(lines[from-1], "### ") {
			from--
		}
		for to < len(lines) && !strings.HasPrefix(lines[to], "#") {
			to++
		}
		kept := append(append([]string{}, lines[:from]...), lines[to:]...)
		return true, atomicfile.Write(path, []byte(strings.Join(kept, "\n")), 0)
	}
	return false, nil
}

// Days lists the days that have entries, newest first.
func (j *Journal) Days() ([]string, error) {
	files, err := filepath.Glob(filepath.Join(j.dir, "????-??-??.md"))
	if err != nil {
		return nil, err
	}
	var days []string
	for i := len(files) - 1; i >= 0; i-- {
		days = append(days, strings.TrimSuffix(filepath.Base(files[i]), ".md"))
	}
	return days, nil
}

// Day returns the text of one day; it fails with NotFound when there is none.
func (j *Journal) Day(day string) (string, error) {
	if _, err := time.Parse(time.DateOnly, day); err != nil {
		return "", codememory.Errorf(codememory.Invalid, "%q is not a day: write 2026-03-01", day)
	}
	b, err := os.ReadFile(filepath.Join(j.dir, day+".md"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", codememory.Errorf(codememory.NotFound, "nothing is in the journal of %s: codememory journal --days lists the days that it has", day)
	}
	return string(b), err
}
