package project

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/git"
)

// minPrefix is how much of an id must be given: "p" and three digits.
const minPrefix = 4

// Lookup returns the project that ref names: codememory.UserProject, an id or a
// unique prefix of one, a name, a path, a remote, a container tag or a
// collection name. It registers nothing. It fails with NotFound, or with
// Conflict when several projects fit.
func (r *Registry) Lookup(ref string) (codememory.Project, error) {
	snap, err := r.current()
	if err != nil {
		return codememory.Project{}, err
	}
	if ref == codememory.UserProject || IsUserTag(ref) {
		return User(), nil
	}
	rec, err := snap.find(ref)
	if err != nil {
		return codememory.Project{}, err
	}
	return rec.project(snap.names[rec.ID]), nil
}

// Find returns the project that ref names: a folder is resolved, everything
// else is looked up.
func (r *Registry) Find(ctx context.Context, ref string) (codememory.Project, error) {
	if filepath.IsAbs(ref) {
		return r.Resolve(ctx, ref)
	}
	return r.Lookup(ref)
}

// ResolveTag returns the project with a container tag. Older clients know
// nothing else of their projects, so an unknown tag is registered, and joined
// by its folder once that is seen. It fails with Invalid when tag cannot be one.
func (r *Registry) ResolveTag(ctx context.Context, tag string) (codememory.Project, error) {
	switch {
	case !ValidTag(tag):
		return codememory.Project{}, codememory.Errorf(codememory.Invalid, "%q is not a container tag: use letters, digits, \"_\", \".\" and \"-\"", tag)
	case IsUserTag(tag):
		return User(), nil
	}
	snap, err := r.current()
	if err != nil {
		return codememory.Project{}, err
	}
	if rec := snap.byTag(tag); rec != nil {
		return rec.project(snap.names[rec.ID]), nil
	}
	var id string
	err = r.update(ctx, func(s *state) error {
		id = tagged(s, tag, r.now().UTC().Truncate(time.Second)).ID
		return nil
	})
	if err != nil {
		return codememory.Project{}, err
	}
	return r.Lookup(id)
}

// tagged returns the record with this container tag, registered if need be.
func tagged(s *state, tag string, now time.Time) *record {
	snap := newSnapshot(s, nil)
	if rec := snap.byTag(tag); rec != nil {
		return rec
	}
	rec := &record{
		ID: newID(snap, tagAlias(tag)), Name: tag, NameSource: nameAuto, Store: dataStore,
		Aliases: []string{tagAlias(tag)}, CreatedAt: now, SeenAt: now,
	}
	s.Projects = append(s.Projects, rec)
	return rec
}

// List returns all projects, the last seen first, each with a name of its own.
func (r *Registry) List(ctx context.Context) ([]codememory.Project, error) {
	snap, err := r.current()
	if err != nil {
		return nil, err
	}
	list := make([]codememory.Project, 0, len(snap.state.Projects))
	for _, rec := range snap.state.Projects {
		if rec.MergedInto == "" {
			list = append(list, rec.project(snap.names[rec.ID]))
		}
	}
	slices.SortFunc(list, func(a, b codememory.Project) int {
		return cmp.Or(b.SeenAt.Compare(a.SeenAt), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return list, ctx.Err()
}

// Names maps container tags to the names that people gave. A project whose tag
// was never used has the one that clients with this prefix would use.
func (r *Registry) Names(ctx context.Context, prefix string) (map[string]string, error) {
	snap, err := r.current()
	if err != nil {
		return nil, err
	}
	names := make(map[string]string)
	for tag, name := range snap.state.UserNames {
		names[tag] = name
	}
	for _, rec := range snap.state.Projects {
		if rec.MergedInto != "" || rec.NameSource != nameUser {
			continue
		}
		tags := 0
		for _, a := range rec.Aliases {
			if tag, ok := strings.CutPrefix(a, tagKind); ok {
				names[tag] = rec.Name
				tags++
			}
		}
		if last := rec.latest(); tags == 0 && last.Path != "" {
			names[Tag(prefix, last.Path)] = rec.Name
		}
	}
	return names, ctx.Err()
}

// find returns the live record that ref names.
func (snap *snapshot) find(ref string) (*record, error) {
	if ref == "" {
		return nil, codememory.Errorf(codememory.Invalid, "no project named: give a folder, a name or an id")
	}
	if filepath.IsAbs(ref) {
		if rec := snap.byFolder(filepath.Clean(ref)); rec != nil {
			return rec, nil
		}
		return nil, codememory.Errorf(codememory.NotFound, "no project is known at %s: run codememory in it once", ref)
	}
	if rec := snap.live(ref); rec != nil {
		return rec, nil
	}
	if rec := snap.byTag(ref); rec != nil {
		return rec, nil
	}
	if named := snap.named(ref); len(named) > 0 {
		return snap.only(ref, named)
	}
	for _, key := range [...]string{git.ParseRemote(ref).Key, ref, strings.ToLower(ref)} {
		if rec := snap.byAlias[remoteAlias(key)]; rec != nil {
			return rec, nil
		}
	}
	return snap.only(ref, snap.prefixed(strings.ToLower(ref)))
}

// only returns the one record of a list, or says why there is not one.
func (snap *snapshot) only(ref string, found []*record) (*record, error) {
	switch len(found) {
	case 0:
		return nil, codememory.Errorf(codememory.NotFound, `no project is called %q: name a folder, or one that "codememory projects" lists`, ref)
	case 1:
		return found[0], nil
	}
	fits := make([]string, len(found))
	for i, rec := range found {
		fits[i] = rec.ID + " (" + snap.names[rec.ID] + ")"
	}
	slices.Sort(fits)
	return nil, codememory.Errorf(codememory.Conflict, "%q fits %d projects: say which of %s", ref, len(found), strings.Join(fits, ", "))
}

// named returns the record that is shown under a name, else all that have it.
func (snap *snapshot) named(name string) []*record {
	var short []*record
	for _, rec := range snap.state.Projects {
		if rec.MergedInto != "" {
			continue
		}
		if strings.EqualFold(snap.names[rec.ID], name) {
			return []*record{rec}
		}
		if strings.EqualFold(rec.Name, name) {
			short = append(short, rec)
		}
	}
	return short
}

func (snap *snapshot) prefixed(prefix string) []*record {
	if len(prefix) < minPrefix {
		return nil
	}
	var found []*record
	for id := range snap.byID {
		if rec := snap.live(id); strings.HasPrefix(id, prefix) && rec != nil && !slices.Contains(found, rec) {
			found = append(found, rec)
		}
	}
	return found
}

// byFolder returns the project of a path that need not exist any more: a known
// path, or one inside of a known repository or store.
func (snap *snapshot) byFolder(path string) *record {
	if rec := snap.byRoot[pathKey(path)]; rec != nil {
		return rec
	}
	if rec := snap.byAlias[aliasKey(pathAlias(path))]; rec != nil {
		return rec
	}
	for at := filepath.Dir(path); at != filepath.Dir(at); at = filepath.Dir(at) {
		if rec := snap.byRoot[pathKey(at)]; rec != nil {
			if rec.root(at).GitDir != "" || rec.Store == filepath.Join(at, StoreDir) {
				return rec
			}
			return nil
		}
	}
	return nil
}
