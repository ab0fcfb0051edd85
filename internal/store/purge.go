package store

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/memfile"
)

// Purge implements codememory.Store: files, rows, full text, vectors, journal
// and session lines, copies of the database. What is left is a tombstone with
// the id and a hash, so that a replay does not bring the memory back.
func (s *Store) Purge(ctx context.Context, ids ...string) (codememory.PurgeReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var rep codememory.PurgeReport
	if s.readOnly != "" {
		return rep, codememory.Errorf(codememory.ReadOnly, "%s", s.readOnly)
	}
	ms, err := s.db.GetMany(ctx, ids)
	if err != nil {
		return rep, err
	}
	if len(ms) < len(ids) {
		return rep, codememory.Errorf(codememory.NotFound, "%d of %d memories to purge are not here", len(ids)-len(ms), len(ids))
	}
	paths, err := s.db.Paths(ctx, ids)
	if err != nil {
		return rep, err
	}
	var graves []memfile.Tombstone
	var texts []string
	for _, m := range ms {
		rep.Purged = append(rep.Purged, m.ID)
		graves = append(graves, memfile.Tombstone{ID: m.ID, Text: normHash(m.Text), At: s.opts.Now()})
		texts = append(texts, m.Text)
		for _, r := range m.Revisions {
			graves = append(graves, memfile.Tombstone{ID: codememory.NewID(s.opts.Now()), Text: normHash(r.Text), At: s.opts.Now()})
			texts = append(texts, r.Text)
		}
	}
	// The tombstones first: killed after them, the purge is taken up again by
	// asking for it again, and nothing comes back meanwhile.
	if err := memfile.AppendTombstones(s.opts.Dir, s.opts.Writer, graves...); err != nil {
		return rep, err
	}
	for _, m := range ms {
		if err := atomicfile.Remove(s.full(paths[m.ID])); err != nil {
			return rep, err
		}
		rep.Files = append(rep.Files, paths[m.ID])
	}
	if err := s.db.PutTombstones(ctx, graves); err != nil {
		return rep, err
	}
	if err := s.project(ctx, nil, rep.Purged, false); err != nil {
		return rep, err
	}
	if err := s.db.Scrub(context.WithoutCancel(ctx)); err != nil {
		return rep, err
	}
	if err := s.removeCopies(&rep); err != nil {
		return rep, err
	}
	for _, m := range ms {
		// Documents made from memories name the id on each line.
		texts = append(texts, "("+codememory.ShownID(m.ID)+", ")
		if err := s.removeSkill(m.ID, &rep); err != nil {
			return rep, err
		}
	}
	if err := s.purgeLines(texts, &rep); err != nil {
		return rep, err
	}
	return rep, s.reportLeftovers(ctx, texts[:len(texts)-len(ms)], &rep)
}

// removeSkill deletes the candidate of a skill that was made from a memory.
func (s *Store) removeSkill(id string, rep *codememory.PurgeReport) error {
	rel := filepath.Join("skill-candidates", codememory.ShortID(id))
	if _, err := os.Stat(filepath.Join(s.opts.Dir, rel)); err != nil {
		return nil
	}
	rep.Files = append(rep.Files, filepath.ToSlash(rel))
	return os.RemoveAll(filepath.Join(s.opts.Dir, rel))
}

// removeCopies deletes copies of the database that hold old rows.
func (s *Store) removeCopies(rep *codememory.PurgeReport) error {
	for _, pattern := range []string{DatabaseName + ".before-*", DatabaseName + ".damaged-*"} {
		copies, err := filepath.Glob(filepath.Join(s.opts.Dir, pattern))
		if err != nil {
			return err
		}
		for _, c := range copies {
			if err := atomicfile.Remove(c); err != nil {
				return err
			}
			rep.Files = append(rep.Files, filepath.Base(c))
		}
	}
	return nil
}

// purgeLines takes the lines that hold a purged text out of journals, sessions,
// and documents made from memories.
func (s *Store) purgeLines(texts []string, rep *codememory.PurgeReport) error {
	for _, pattern := range []string{"journal/*.md", "sessions/*.md", "*.md"} {
		files, err := filepath.Glob(filepath.Join(s.opts.Dir, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, path := range files {
			old, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("read %s: %w", path, err)
			}
			kept := dropText(old, texts)
			if bytes.Equal(old, kept) {
				continue
			}
			if err := atomicfile.Write(path, kept, 0); err != nil {
				return err
			}
			rel, _ := filepath.Rel(s.opts.Dir, path)
			rep.Files = append(rep.Files, filepath.ToSlash(rel))
		}
	}
	return nil
}

// dropText removes every line that holds one of the texts, or one line of a
// text of several.
func dropText(data []byte, texts []string) []byte {
	var needles []string
	for _, t := range texts {
		for line := range strings.Lines(t + "\n" + strings.Join(strings.Fields(t), " ")) {
			if line = strings.TrimSpace(line); len(line) >= 4 {
				needles = append(needles, line)
			}
		}
	}
	var out bytes.Buffer
	for line := range bytes.Lines(data) {
		hit := false
		for _, n := range needles {
			hit = hit || bytes.Contains(line, []byte(n))
		}
		if !hit {
			out.Write(line)
		}
	}
	return out.Bytes()
}

// reportLeftovers names what a purge must not change by itself: other memories
// that quote the text, and the history of git.
func (s *Store) reportLeftovers(ctx context.Context, texts []string, rep *codememory.PurgeReport) error {
	for _, t := range texts {
		ids, err := s.db.Quoting(ctx, t)
		if err != nil {
			return err
		}
		for _, id := range ids {
			rep.Warnings = append(rep.Warnings, fmt.Sprintf("%s quotes the text: purge or edit it too", codememory.ShownID(id)))
		}
	}
	if s.opts.Shared {
		rep.Warnings = append(rep.Warnings, "this store is committed: what git already recorded stays in its history until you rewrite it")
	}
	return nil
}
