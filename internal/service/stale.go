package service

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"codememory"
	"codememory/internal/store"
	"codememory/internal/text"
)

const (
	maxCited      = 8       // files of one memory that are watched
	maxCitedBytes = 4 << 20 // of a file whose content is compared
	cachedFiles   = 4096
)

// citedFiles remembers the hashes of files until they change on disk, so that
// looking at a memory costs one stat for each file it names.
type citedFiles struct {
	mu    sync.Mutex
	known map[string]knownFile
}

type knownFile struct {
	size     int64
	modified time.Time
	hash     string
}

// cite returns the files under root that a text names, as they are now.
func (s *Service) cite(root, said string) []codememory.CitedFile {
	if root == "" {
		return nil
	}
	var out []codememory.CitedFile
	for _, path := range text.Files(said) {
		rel := path
		if filepath.IsAbs(path) {
			var err error
			if rel, err = filepath.Rel(root, path); err != nil {
				continue
			}
		}
		hash, err := s.cited.hash(root, rel)
		if err == nil && len(out) < maxCited {
			out = append(out, codememory.CitedFile{Path: filepath.ToSlash(rel), Hash: hash})
		}
	}
	return out
}

// hash identifies the content of a regular file under root. Line ends do not
// count: git may write them as it likes.
func (c *citedFiles) hash(root, rel string) (string, error) {
	rel = filepath.FromSlash(rel)
	if !filepath.IsLocal(rel) {
		return "", fs.ErrNotExist
	}
	path := filepath.Join(root, rel)
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxCitedBytes {
		return "", errors.ErrUnsupported
	}
	c.mu.Lock()
	k, ok := c.known[path]
	c.mu.Unlock()
	if ok && k.size == info.Size() && k.modified.Equal(info.ModTime()) {
		return k.hash, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	k = knownFile{info.Size(), info.ModTime(), codememory.TextHash(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))[:16]}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= cachedFiles {
		c.known = map[string]knownFile{}
	}
	c.known[path] = k
	return k.hash, nil
}

// markFiles says of each file that m cites what became of it. A project whose
// folder is not there now says nothing.
func (s *Service) markFiles(root string, m *codememory.Memory) {
	if root == "" || len(m.Files) == 0 {
		return
	}
	if info, err := os.Stat(root); err != nil || !info.IsDir() {
		return
	}
	m.Files = slices.Clone(m.Files)
	for i := range m.Files {
		f := &m.Files[i]
		switch now, err := s.cited.hash(root, f.Path); {
		case errors.Is(err, fs.ErrNotExist):
			f.State = codememory.FileGone
		case err == nil && now != f.Hash:
			f.State = codememory.FileChanged
		}
	}
}

// rootOf is the folder of the project whose store it is, or "".
func (s *Service) rootOf(ctx context.Context, st *store.Store) string {
	if st.Scope() == codememory.ScopeUser {
		return ""
	}
	p, err := s.find(ctx, st.Project())
	if err != nil {
		return "" // it was removed from the registry: its memories can still be read
	}
	return p.Root
}

// markHits marks what was found with the state of the files it cites.
func (s *Service) markHits(ps []codememory.Project, hits []codememory.Hit) {
	for i := range hits {
		m := &hits[i].Memory
		if at := slices.IndexFunc(ps, func(p codememory.Project) bool { return p.ID == m.Project }); at >= 0 && m.Project != "" {
			s.markFiles(ps[at].Root, m)
		}
	}
}

// How much a memory that cites a changed or vanished file is worth beside one
// that does not. Most changes of a file leave what was said of it true.
const (
	changedWorth = 0.97
	goneWorth    = 0.8
)

var staleNotes = map[codememory.FileState]string{
	codememory.FileChanged: "a file it cites changed since", codememory.FileGone: "a file it cites is gone",
}

// rankStale marks hits and moves those behind whose files changed or vanished.
// None is dropped: it may still be the answer, and it carries its mark.
func (s *Service) rankStale(ps []codememory.Project, hits []codememory.Hit) {
	s.markHits(ps, hits)
	worth := func(h codememory.Hit) float64 {
		switch h.Memory.Stale() {
		case codememory.FileChanged:
			return h.Score * changedWorth
		case codememory.FileGone:
			return h.Score * goneWorth
		default:
			return h.Score
		}
	}
	if !slices.ContainsFunc(hits, func(h codememory.Hit) bool { return h.Memory.Stale() != "" }) {
		return
	}
	for i := range hits {
		if now := worth(hits[i]); now != hits[i].Score {
			hits[i].Score = now
			if why := hits[i].Why; why != nil {
				why.Notes = append(why.Notes, staleNotes[hits[i].Memory.Stale()])
			}
		}
	}
	// The order is not that of the scores alone: only the stale ones move.
	for i := len(hits) - 2; i >= 0; i-- {
		for j := i; j+1 < len(hits) && hits[j].Memory.Stale() != "" && hits[j+1].Score > hits[j].Score; j++ {
			hits[j], hits[j+1] = hits[j+1], hits[j]
		}
	}
}
