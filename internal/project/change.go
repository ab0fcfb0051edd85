package project

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"codememory"
)

const maxName = 100

// Rename gives a project the name that people want to see. It fails with
// Conflict when another project was given that name.
func (r *Registry) Rename(ctx context.Context, ref, name string) (codememory.Project, error) {
	name, err := checkName(name)
	if err != nil {
		return codememory.Project{}, err
	}
	return r.change(ctx, ref, func(s *state, rec *record) error {
		for _, other := range s.Projects {
			if other != rec && other.MergedInto == "" && other.NameSource == nameUser && strings.EqualFold(other.Name, name) {
				return codememory.Errorf(codememory.Conflict, "project %s is called %q already: choose another name or merge the two", other.ID, name)
			}
		}
		rec.Name, rec.NameSource = name, nameUser
		return nil
	})
}

// SetName is Rename for older clients, which name what they use by its
// container tag: an unknown tag is registered, tags of people have names too,
// and two projects may be given the same name.
func (r *Registry) SetName(ctx context.Context, tag, name string) error {
	name, err := checkName(name)
	if err != nil {
		return err
	}
	if !ValidTag(tag) {
		return codememory.Errorf(codememory.Invalid, "%q is not a container tag: use letters, digits, \"_\", \".\" and \"-\"", tag)
	}
	return r.update(ctx, func(s *state) error {
		if IsUserTag(tag) {
			if s.UserNames == nil {
				s.UserNames = make(map[string]string)
			}
			s.UserNames[tag] = name
			return nil
		}
		rec := tagged(s, tag, r.now().UTC().Truncate(time.Second))
		rec.Name, rec.NameSource = name, nameUser
		return nil
	})
}

func checkName(name string) (string, error) {
	name = strings.TrimSpace(name)
	switch {
	case name == "":
		return "", codememory.Errorf(codememory.Invalid, "the name is empty")
	case len(name) > maxName:
		return "", codememory.Errorf(codememory.TooLarge, "the name has %d bytes, at most %d are kept", len(name), maxName)
	case name == codememory.UserProject:
		return "", codememory.Errorf(codememory.Invalid, "%q is the name of your own store: choose another", name)
	case filepath.IsAbs(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "", codememory.Errorf(codememory.Invalid, "%q cannot be a name: it is a path or has control characters", name)
	}
	return name, nil
}

// Merge makes from a part of into: its folders and names lead to into from now
// on. Moving what is in its store is up to the caller.
func (r *Registry) Merge(ctx context.Context, from, into string) (codememory.Project, error) {
	return r.change(ctx, into, func(s *state, target *record) error {
		source, err := newSnapshot(s, nil).find(from)
		if err != nil {
			return err
		}
		if source == target {
			return codememory.Errorf(codememory.Invalid, "%q and %q are the same project", from, into)
		}
		target.Roots = append(target.Roots, source.Roots...)
		for _, a := range source.Aliases {
			target.addAlias(a)
		}
		source.Roots, source.Aliases = nil, nil
		source.MergedInto = target.ID
		return nil
	})
}

// Forget removes a project and what was merged into it from the registry. Its
// store stays. A folder of it that is used again is registered with the same id
// it would have had at first sight.
func (r *Registry) Forget(ctx context.Context, ref string) error {
	return r.update(ctx, func(s *state) error {
		snap := newSnapshot(s, nil)
		rec, err := snap.find(ref)
		if err != nil {
			return err
		}
		s.Projects = slices.DeleteFunc(s.Projects, func(other *record) bool { return snap.live(other.ID) == rec })
		return nil
	})
}

// SetStore records where the store of a project is: dir is its .codememory
// folder, or "" for the data directory.
func (r *Registry) SetStore(ctx context.Context, ref, dir string, shared bool) (codememory.Project, error) {
	if dir != "" && !filepath.IsAbs(dir) {
		return codememory.Project{}, codememory.Errorf(codememory.Invalid, "store %q is not an absolute path", dir)
	}
	return r.change(ctx, ref, func(_ *state, rec *record) error {
		if dir == "" {
			rec.Store, rec.Shared = dataStore, false
		} else {
			rec.Store, rec.Shared = filepath.Clean(dir), shared
		}
		return nil
	})
}

// Prune drops the folders that are gone and returns them. They stay known as
// aliases, and each project keeps its last folder: a disk may come back, and a
// move is recognised by where the project was.
func (r *Registry) Prune(ctx context.Context) ([]string, error) {
	var gone []string
	err := r.update(ctx, func(s *state) error {
		for _, rec := range s.Projects {
			for _, old := range slices.Clone(rec.Roots) {
				info, err := os.Stat(old.Path)
				isGone := errors.Is(err, fs.ErrNotExist) || err == nil && !info.IsDir()
				if isGone && len(rec.Roots) > 1 {
					rec.dropRoot(old.Path)
					rec.addAlias(pathAlias(old.Path))
					gone = append(gone, old.Path)
				}
			}
		}
		return nil
	})
	return gone, err
}

// change applies f to the record that ref names.
func (r *Registry) change(ctx context.Context, ref string, f func(*state, *record) error) (codememory.Project, error) {
	var id string
	err := r.update(ctx, func(s *state) error {
		if ref == codememory.UserProject || IsUserTag(ref) {
			return codememory.Errorf(codememory.Invalid, "%q is your own store, not a project", ref)
		}
		rec, err := newSnapshot(s, nil).find(ref)
		if err != nil {
			return err
		}
		id = rec.ID
		return f(s, rec)
	})
	if err != nil {
		return codememory.Project{}, err
	}
	return r.Lookup(id)
}
