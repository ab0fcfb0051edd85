package store

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
)

// manifestName is the last entry of a backup: what it must contain. A backup
// without it was cut off.
const manifestName = "manifest.json"

type manifest struct {
	Format  int               `json:"format"`
	Project string            `json:"project"`
	Made    time.Time         `json:"made"`
	Files   map[string]string `json:"files"` // path → sha256
}

// Backup writes the store's text and a consistent copy of its database to a
// new compressed archive.
func (s *Store) Backup(ctx context.Context, file string) (codememory.BackupReport, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rep := codememory.BackupReport{Project: s.opts.Project, File: file}
	tmp, err := os.MkdirTemp("", "codememory-backup-")
	if err != nil {
		return rep, err
	}
	defer os.RemoveAll(tmp)
	if err := s.flushTouches(ctx); err != nil {
		return rep, err
	}
	copyOfDB := filepath.Join(tmp, DatabaseName)
	if err := s.db.CopyTo(ctx, copyOfDB); err != nil {
		return rep, err
	}
	if err := writeArchive(file, s.opts, copyOfDB, &rep); err != nil {
		return rep, fmt.Errorf("back up %s: %w", s.opts.Dir, err)
	}
	rep.Memories, err = s.db.Count(ctx)
	return rep, err
}

func writeArchive(file string, o Options, db string, rep *codememory.BackupReport) (err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return codememory.Errorf(codememory.Conflict, "%s exists: choose another name", file)
	}
	if err != nil {
		return atomicfile.Coded("write", file, err)
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			_ = os.Remove(file) // half a backup is worse than none
		}
	}()
	gz := gzip.NewWriter(f)
	tw := tar.NewWriter(gz)
	m := manifest{Format: 1, Project: o.Project, Made: o.Now().UTC(), Files: map[string]string{}}
	add := func(path, from string) error {
		data, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(data)
		m.Files[path] = hex.EncodeToString(sum[:])
		rep.Files++
		return tarAdd(tw, path, data, m.Made)
	}
	walkErr := filepath.WalkDir(o.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(o.Dir, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if !d.Type().IsRegular() || strings.HasPrefix(rel, DatabaseName) || atomicfile.IsTemp(d.Name()) {
			return nil
		}
		return add(rel, path)
	})
	if err := errors.Join(walkErr, add(DatabaseName, db)); err != nil {
		return err
	}
	js, err := json.MarshalIndent(m, "", " ")
	if err != nil {
		return err
	}
	if err := errors.Join(tarAdd(tw, manifestName, js, m.Made), tw.Close(), gz.Close(), f.Sync()); err != nil {
		return atomicfile.Coded("write", file, err)
	}
	info, err := f.Stat()
	if err == nil {
		rep.Bytes = info.Size()
	}
	return err
}

func tarAdd(tw *tar.Writer, name string, data []byte, at time.Time) error {
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data)), ModTime: at, Typeflag: tar.TypeReg}); err != nil {
		return err
	}
	_, err := tw.Write(data)
	return err
}

// maxRestoredFile guards against an archive made to fill the disk.
const maxRestoredFile = 4 << 30

// Restore replaces the store in o.Dir by a backup, after checking every file
// of it, and puts what was there into aside. The store must not be open.
func Restore(ctx context.Context, o Options, file, aside string) (codememory.BackupReport, error) {
	rep := codememory.BackupReport{Project: o.Project, File: file}
	if err := os.MkdirAll(filepath.Dir(o.Dir), 0o700); err != nil {
		return rep, atomicfile.Coded("create", filepath.Dir(o.Dir), err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(o.Dir), ".codememory-restore-")
	if err != nil {
		return rep, atomicfile.Coded("create a folder in", filepath.Dir(o.Dir), err)
	}
	defer os.RemoveAll(tmp)
	if err := unpack(ctx, file, tmp, &rep); err != nil {
		return rep, fmt.Errorf("restore %s: %w", file, err)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		if err := move(o.Dir, aside); err != nil {
			return rep, fmt.Errorf("put the present store aside: %w", err)
		}
		rep.Aside = aside
	}
	return rep, os.Rename(tmp, o.Dir)
}

func unpack(ctx context.Context, file, to string, rep *codememory.BackupReport) error {
	f, err := os.Open(file)
	if err != nil {
		return codememory.Errorf(codememory.NotFound, "no backup at %s: %w", file, err)
	}
	defer f.Close()
	notOurs := func(err error) error {
		return codememory.Errorf(codememory.Invalid, "%s is not a complete backup, nothing was changed: %w", file, err)
	}
	gz, err := gzip.NewReader(f)
	if err != nil {
		return notOurs(err)
	}
	var m *manifest
	sums := map[string]string{}
	for tr := tar.NewReader(gz); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return notOurs(err)
		}
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) || h.Typeflag != tar.TypeReg || h.Size > maxRestoredFile {
			return notOurs(fmt.Errorf("entry %q leads out of the store or is no plain file", h.Name))
		}
		if h.Name == manifestName {
			m = &manifest{}
			if err := json.NewDecoder(io.LimitReader(tr, 256<<20)).Decode(m); err != nil {
				return notOurs(err)
			}
			continue
		}
		sum, n, err := unpackFile(tr, filepath.Join(to, filepath.FromSlash(h.Name)))
		switch code := codememory.CodeOf(err); {
		case err != nil && code == codememory.Internal: // reading it, not writing
			return notOurs(err)
		case err != nil:
			return err
		}
		sums[h.Name] = sum
		rep.Files++
		rep.Bytes += n
	}
	if m == nil {
		return notOurs(errors.New("its list of files is missing"))
	}
	for path, want := range m.Files {
		if sums[path] != want {
			return notOurs(fmt.Errorf("%s differs from its checksum", path))
		}
	}
	return nil
}

func unpackFile(r io.Reader, path string) (sum string, n int64, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", 0, atomicfile.Coded("create", filepath.Dir(path), err)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", 0, atomicfile.Coded("write", path, err)
	}
	h := sha256.New()
	n, err = io.Copy(io.MultiWriter(f, h), r)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return "", n, atomicfile.Coded("write", path, err)
	}
	return hex.EncodeToString(h.Sum(nil)), n, nil
}

// move renames a folder, or copies it where it lies on another disk.
func move(from, to string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if os.Rename(from, to) == nil {
		return nil
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	return os.RemoveAll(from)
}
