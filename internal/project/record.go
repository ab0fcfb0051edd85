package project

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codememory"
)

// StoreDir is the folder of a project's own store.
const StoreDir = ".codememory"

// dataStore in a record means that the store is in the data directory.
const dataStore = "data"

// Aliases carry their kind in front, so that the file can be read by people.
// Paths and tags only serve to be looked up; the others also say what a folder
// belongs to.
const (
	remoteKind = "remote:"
	gitKind    = "git:"
	fileKind   = "file:"
	pathKind   = "path:"
	tagKind    = "tag:"
)

func remoteAlias(key string) string { return remoteKind + key }
func gitAlias(dir string) string    { return gitKind + dir }
func fileAlias(path string) string  { return fileKind + path }
func pathAlias(path string) string  { return pathKind + path }
func tagAlias(tag string) string    { return tagKind + tag }

// aliasKey is the form in which aliases are compared.
func aliasKey(alias string) string {
	kind, value, _ := strings.Cut(alias, ":")
	switch kind + ":" {
	case gitKind, fileKind, pathKind:
		return kind + ":" + pathKey(value)
	default:
		return alias
	}
}

// maxPathAliases bounds the subfolders remembered per project. They only help
// clients that address a project by a tag of the very folder they run in.
const maxPathAliases = 256

type nameSource string

const (
	nameAuto nameSource = "auto"
	nameUser nameSource = "user"
)

// record is a project as the registry file keeps it.
type record struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	NameSource nameSource `json:"name_source"`
	Roots      []root     `json:"roots,omitempty"`
	Aliases    []string   `json:"aliases,omitempty"`
	Store      string     `json:"store"` // "data" or the path of a .codememory folder
	Shared     bool       `json:"shared,omitempty"`
	CreatedAt  time.Time  `json:"created_at"`
	SeenAt     time.Time  `json:"seen_at"`
	MergedInto string     `json:"merged_into,omitempty"`
}

// root is a folder in which a project was seen.
type root struct {
	Path   string    `json:"path"`
	GitDir string    `json:"git_dir,omitempty"`
	Source string    `json:"source,omitempty"`
	Commit string    `json:"commit,omitempty"`  // one that was checked out there: tells a renamed remote from another repository
	FileID string    `json:"file_id,omitempty"` // survives a rename of the folder
	SeenAt time.Time `json:"seen_at"`
}

// root returns the entry of a path, or nil.
func (rec *record) root(path string) *root {
	key := pathKey(path)
	for i := range rec.Roots {
		if pathKey(rec.Roots[i].Path) == key {
			return &rec.Roots[i]
		}
	}
	return nil
}

func (rec *record) addAlias(alias string) {
	key := aliasKey(alias)
	if !slices.ContainsFunc(rec.Aliases, func(a string) bool { return aliasKey(a) == key }) {
		rec.Aliases = append(rec.Aliases, alias)
	}
}

func (rec *record) dropAlias(alias string) {
	key := aliasKey(alias)
	rec.Aliases = slices.DeleteFunc(rec.Aliases, func(a string) bool { return aliasKey(a) == key })
}

func (rec *record) dropRoot(path string) {
	key := pathKey(path)
	rec.Roots = slices.DeleteFunc(rec.Roots, func(r root) bool { return pathKey(r.Path) == key })
}

// paths returns every path by which the project is known.
func (rec *record) paths() []string {
	paths := make([]string, 0, len(rec.Roots)+len(rec.Aliases))
	for _, r := range rec.Roots {
		paths = append(paths, r.Path)
	}
	for _, a := range rec.Aliases {
		if p, ok := strings.CutPrefix(a, pathKind); ok {
			paths = append(paths, p)
		}
	}
	return paths
}

// latest returns the root that was seen last, or the zero root.
func (rec *record) latest() root {
	var last root
	for _, r := range rec.Roots {
		if last.Path == "" || r.SeenAt.After(last.SeenAt) {
			last = r
		}
	}
	return last
}

// remote returns the remote of the latest root, else any known one, else "".
func (rec *record) remote() string {
	if remote, ok := strings.CutPrefix(rec.latest().Source, remoteKind); ok {
		return remote
	}
	for _, a := range rec.Aliases {
		if remote, ok := strings.CutPrefix(a, remoteKind); ok {
			return remote
		}
	}
	return ""
}

// label is the longest name of the project, of which the end is its short one.
func (rec *record) label() string {
	last := rec.latest()
	switch {
	case rec.remote() != "":
		return rec.remote()
	case last.GitDir != "":
		dir := last.GitDir
		if strings.HasPrefix(filepath.Base(dir), ".") { // .git, .bare
			dir = filepath.Dir(dir)
		}
		return strings.TrimSuffix(filepath.ToSlash(dir), ".git")
	default:
		return filepath.ToSlash(last.Path)
	}
}

// project turns rec into what the rest of the program sees.
func (rec *record) project(name string) codememory.Project {
	last := rec.latest()
	p := codememory.Project{
		ID: rec.ID, Name: name, Root: last.Path, Remote: rec.remote(),
		Shared: rec.Shared, CreatedAt: rec.CreatedAt, SeenAt: rec.SeenAt,
	}
	if rec.Store != dataStore {
		p.Store = rec.Store
	}
	for _, r := range rec.Roots {
		p.Aliases = append(p.Aliases, r.Path)
	}
	for _, a := range rec.Aliases {
		_, value, _ := strings.Cut(a, ":")
		p.Aliases = append(p.Aliases, value)
	}
	if last.Path != "" {
		p.Aliases = append(p.Aliases, Tag(DefaultTagPrefix, last.Path), CollectionName(last.Path))
	}
	slices.Sort(p.Aliases)
	p.Aliases = slices.Compact(p.Aliases)
	return p
}

// tidy puts what a record lists into the order of the file.
func (rec *record) tidy() {
	slices.Sort(rec.Aliases)
	slices.SortFunc(rec.Roots, func(a, b root) int { return cmp.Compare(a.Path, b.Path) })
}
