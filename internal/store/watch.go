package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"codememory/internal/memfile"
)

// Watching is a hint over polling: events are lost on network disks and when
// too many come at once, so everything is compared now and then.
const (
	quiet        = 120 * time.Millisecond // an editor or git is done when nothing came for so long
	longestWait  = 2 * time.Second        // but a long merge is projected while it runs
	compareEvery = 5 * time.Minute
)

// Watch projects edits from outside as they happen until Close.
func (s *Store) Watch() error {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	s.stopWatch = func() {
		cancel()
		<-done
	}
	s.watchFolders(w)
	go func() {
		defer close(done)
		defer w.Close()
		s.watchLoop(ctx, w)
	}()
	return nil
}

// watchFolders watches every folder that holds memory files, and the store's
// own folder for those that appear later.
func (s *Store) watchFolders(w *fsnotify.Watcher) {
	add := func(dir string) {
		if err := w.Add(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			s.opts.Log.Warn("cannot watch a folder, edits in it are seen within minutes", "path", dir, "err", err)
		}
	}
	add(s.opts.Dir)
	for _, folder := range append([]string{memfile.TombstoneFolder}, memfile.Folders...) {
		root := filepath.Join(s.opts.Dir, folder)
		add(root)
		entries, err := os.ReadDir(root)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if e.IsDir() {
				add(filepath.Join(root, e.Name()))
			}
		}
	}
}

func (s *Store) watchLoop(ctx context.Context, w *fsnotify.Watcher) {
	compare := time.NewTicker(compareEvery)
	defer compare.Stop()
	var (
		dirty   = map[string]bool{}
		all     bool
		first   time.Time
		settled <-chan time.Time
	)
	flush := func() {
		if err := s.syncSome(ctx, dirty, all); err != nil && ctx.Err() == nil {
			s.opts.Log.Error("edits from outside not read", "project", s.opts.Project, "err", err)
		}
		dirty, all, settled, first = map[string]bool{}, false, nil, time.Time{}
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-compare.C:
			all = true
			flush()
		case err, ok := <-w.Errors:
			if !ok {
				return
			}
			s.opts.Log.Warn("file events lost, comparing everything", "project", s.opts.Project, "err", err)
			all = true
			settled = time.After(quiet)
		case e, ok := <-w.Events:
			if !ok {
				return
			}
			rel, isOurs := s.relevant(e.Name)
			if !isOurs || e.Op == fsnotify.Chmod {
				continue
			}
			if info, err := os.Lstat(e.Name); err == nil && info.IsDir() {
				s.watchFolders(w)
				all = true // files may have been made in it before it was watched
			} else if strings.HasPrefix(rel, memfile.TombstoneFolder+"/") {
				all = true
			} else if strings.HasSuffix(rel, ".md") {
				dirty[rel] = true
			} else if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) {
				all = true // perhaps a whole folder
			}
			if first.IsZero() {
				first = time.Now()
			}
			if time.Since(first) > longestWait {
				flush()
			} else {
				settled = time.After(quiet)
			}
		case <-settled:
			flush()
		}
	}
}

// relevant returns the path within the store if it can be a memory, a folder
// of memories or a tombstone log.
func (s *Store) relevant(name string) (string, bool) {
	rel, err := filepath.Rel(s.opts.Dir, name)
	if err != nil {
		return "", false
	}
	rel = filepath.ToSlash(rel)
	top, _, _ := strings.Cut(rel, "/")
	base := filepath.Base(name)
	ours := top == memfile.Folder || top == memfile.PrivateFolder || top == memfile.TombstoneFolder
	return rel, ours && !strings.HasPrefix(base, ".")
}

// syncSome projects only the named files, or compares everything.
func (s *Store) syncSome(ctx context.Context, dirty map[string]bool, all bool) error {
	if all {
		_, err := s.Sync(ctx)
		return err
	}
	if len(dirty) == 0 {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known, err := s.db.Files(ctx)
	if err != nil {
		return err
	}
	d := newDifference(known)
	for path := range dirty {
		info, err := os.Lstat(s.full(path))
		switch {
		case err == nil && info.Mode().IsRegular():
			if err := d.saw(path, memfile.Stamp{Size: info.Size(), ModTime: info.ModTime()}); err != nil {
				return err
			}
		case errors.Is(err, fs.ErrNotExist):
			if _, was := known[path]; was {
				d.gone = append(d.gone, path)
			}
		}
	}
	if len(d.changed)+len(d.gone) == 0 {
		return nil
	}
	_, err = s.apply(ctx, d)
	return err
}
