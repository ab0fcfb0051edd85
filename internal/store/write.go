package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/memfile"
	"codememory/internal/sqlite"
	"codememory/internal/text"
)

// Save implements codememory.Store.
func (s *Store) Save(ctx context.Context, ms ...codememory.Memory) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.save(ctx, ms)
}

// Update implements codememory.Store.
func (s *Store) Update(ctx context.Context, id string, fn func(*codememory.Memory) error) (codememory.Memory, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.Get(ctx, id)
	if err != nil {
		return m, err
	}
	if err := fn(&m); err != nil {
		return codememory.Memory{}, err
	}
	m.ID = id
	if err := s.save(ctx, []codememory.Memory{m}); err != nil {
		return codememory.Memory{}, err
	}
	return s.Get(ctx, id)
}

// save writes text, then rows, then the index. The caller holds mu.
func (s *Store) save(ctx context.Context, ms []codememory.Memory) error {
	if len(ms) == 0 {
		return nil
	}
	if s.readOnly != "" {
		return codememory.Errorf(codememory.ReadOnly, "%s", s.readOnly)
	}
	known, err := s.knownPaths(ctx, ms)
	if err != nil {
		return err
	}
	rows := make([]sqlite.Row, len(ms))
	files := make([]atomicfile.File, len(ms))
	var moved []string
	for i := range ms {
		m := &ms[i]
		if err := s.normalize(m); err != nil {
			return err
		}
		path, err := s.choosePath(m, known[m.ID])
		if err != nil {
			return err
		}
		if old := known[m.ID]; old != "" && old != path {
			moved = append(moved, old)
		}
		data, err := memfile.Encode(written(*m))
		if err != nil {
			return err
		}
		files[i] = atomicfile.File{Path: s.full(path), Data: data}
		rows[i] = projected(*m, memfile.File{Path: path, Hash: memfile.HashBytes(data)})
	}
	if err := s.writeFiles(files, rows); err != nil {
		return err
	}
	for _, old := range moved {
		if err := atomicfile.Remove(s.full(old)); err != nil {
			return err
		}
	}
	return s.project(ctx, rows, nil, false)
}

// knownPaths tells where the memories that exist already are.
func (s *Store) knownPaths(ctx context.Context, ms []codememory.Memory) (map[string]string, error) {
	ids := make([]string, len(ms))
	for i := range ms {
		ids[i] = ms[i].ID
	}
	return s.db.Paths(ctx, ids)
}

// normalize brings a record into the form in which it survives its file.
func (s *Store) normalize(m *codememory.Memory) error {
	if id, ok := codememory.NormalizeIDPrefix(m.ID); !ok || len(id) != codememory.IDLength || id != m.ID {
		return codememory.Errorf(codememory.Invalid, "id %q is not %d hexadecimal digits", m.ID, codememory.IDLength)
	}
	m.Text = memfile.CleanText(m.Text)
	m.Scope, m.Project = s.opts.Scope, s.opts.Project
	m.CreatedAt, m.UpdatedAt = memfile.Millis(m.CreatedAt), memfile.Millis(m.UpdatedAt)
	if m.UpdatedAt.Before(m.CreatedAt) {
		m.UpdatedAt = m.CreatedAt // the clock jumped back
	}
	if m.Forgotten != nil {
		t := memfile.Millis(*m.Forgotten)
		m.Forgotten = &t
	}
	for i := range m.Revisions {
		m.Revisions[i].Until = memfile.Millis(m.Revisions[i].Until)
	}
	m.Files = slices.Clone(m.Files)
	for i := range m.Files {
		m.Files[i].State = ""
	}
	out := m.Links[:0:0]
	for _, l := range m.Links {
		if !l.Inbound && l.Type != codememory.SupersedesLink { // derived, see Links
			out = append(out, l)
		}
	}
	m.Links = out
	return m.Validate()
}

// choosePath keeps a file where it is, and finds a place for a new one.
func (s *Store) choosePath(m *codememory.Memory, known string) (string, error) {
	want := s.pathFor(m)
	if known == want || known == memfile.LongPathFor(m.ID, s.private(m)) {
		return known, nil
	}
	other, _, err := memfile.Read(s.opts.Dir, want)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && other.ID == m.ID:
		return want, nil
	default: // taken by a memory with the same short id, or by something unreadable
		return memfile.LongPathFor(m.ID, s.private(m)), nil
	}
}

// written is what of m goes into the text: entities that the rules find in the
// text itself are left out, they would only repeat it.
func written(m codememory.Memory) codememory.Memory {
	derived := map[string]bool{}
	for _, e := range text.Entities(m.Text) {
		derived[e.Name] = true
	}
	var kept []codememory.Entity
	for _, e := range m.Entities {
		if !derived[e.Name] {
			kept = append(kept, e)
		}
	}
	m.Entities = kept
	return m
}

// projected makes the row of m as it was written to f.
func projected(m codememory.Memory, f memfile.File) sqlite.Row {
	has := map[string]bool{}
	for _, e := range m.Entities {
		has[e.Name] = true
	}
	for _, e := range text.Entities(m.Text) {
		if !has[e.Name] {
			m.Entities = append(m.Entities, e)
		}
	}
	return sqlite.Row{Memory: m, File: f, NormHash: normHash(m.Text), Parts: parts(m.Text)}
}

// parts returns the terms of a text that are not words of it: identifiers and
// paths taken apart, characters of scripts without spaces.
func parts(s string) string {
	words := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(s)) {
		words[strings.Trim(w, ".,;:!?()[]{}\"'`")] = true
	}
	var out []string
	for _, t := range text.AnalyzeDocument(s).Terms {
		if !words[t.Text] {
			out = append(out, t.Text)
		}
	}
	return strings.Join(out, " ")
}

// normHash identifies a wording apart from case, space and punctuation.
func normHash(s string) string { return codememory.TextHash(text.Normalize(s)) }

// writeFiles writes and syncs the files and notes their stamps in rows.
func (s *Store) writeFiles(files []atomicfile.File, rows []sqlite.Row) error {
	for _, f := range files {
		if err := atomicfile.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
	}
	var err error
	if len(files) == 1 {
		err = atomicfile.Write(files[0].Path, files[0].Data, 0)
	} else {
		err = atomicfile.WriteAll(files)
	}
	if err != nil {
		return err
	}
	for i, f := range files {
		info, err := os.Stat(f.Path)
		if err != nil {
			return fmt.Errorf("look at what was written: %w", err)
		}
		rows[i].File.Stamp = memfile.Stamp{Size: info.Size(), ModTime: info.ModTime()}
	}
	return nil
}

// project brings rows and removals into the database and the index and tells
// about them. The caller holds mu.
func (s *Store) project(ctx context.Context, rows []sqlite.Row, removed []string, outside bool) error {
	// The text is saved: from here on a cancelled caller must not leave the
	// projection behind.
	ctx = context.WithoutCancel(ctx)
	var touched []string
	const batch = 1000
	for rest := rows; len(rest) > 0; {
		part := rest[:min(batch, len(rest))]
		rest = rest[len(part):]
		t, err := s.db.Put(ctx, part)
		if err != nil {
			return err
		}
		touched = append(touched, t...)
	}
	if len(removed) > 0 {
		t, err := s.db.Delete(ctx, removed)
		if err != nil {
			return err
		}
		touched = append(touched, t...)
	}
	if err := s.flushTouches(ctx); err != nil {
		return err
	}
	if err := s.ix.catchUp(ctx, removed); err != nil {
		return err
	}
	saved := make([]string, 0, len(rows)+len(touched))
	seen := map[string]bool{}
	for _, r := range rows {
		saved, seen[r.Memory.ID] = append(saved, r.Memory.ID), true
	}
	for _, id := range touched {
		if !seen[id] {
			saved = append(saved, id)
		}
	}
	if len(saved)+len(removed) > 0 {
		s.opts.Changed(Change{Saved: saved, Removed: removed, Outside: outside})
	}
	return nil
}

// SaveEmbeddings implements codememory.Store.
func (s *Store) SaveEmbeddings(ctx context.Context, model string, es []codememory.MemoryEmbedding) error {
	current := s.opts.Model()
	for _, e := range es {
		if len(e.Passages) == 0 {
			return codememory.Errorf(codememory.Invalid, "no passage for %s", codememory.ShownID(e.ID))
		}
		for _, p := range e.Passages {
			if err := codememory.CheckVector(p.Vector, len(e.Passages[0].Vector)); err != nil {
				return err
			}
			if model == current.ID && len(p.Vector) != current.Dim {
				return codememory.Errorf(codememory.Invalid, "vector has %d dimensions, %s has %d", len(p.Vector), model, current.Dim)
			}
		}
	}
	stored, err := s.db.PutPassages(ctx, model, es)
	if err != nil || model != current.ID {
		return err
	}
	s.ix.setVectors(es, stored)
	return nil
}
