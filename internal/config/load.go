package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"codememory"
)

// Sources is where the layers above the defaults come from. Each may be missing.
type Sources struct {
	UserFile    string            // .toml, or JSONC under any other name
	ProjectFile string            // see ProjectFile
	Environ     []string          // as os.Environ returns it
	KnownEnv    []string          // CODEMEMORY_ variables that are not settings but belong to other parts
	Flags       map[string]string // by key, as in http.port
}

// ProjectFile returns the settings file of the project at root.
func ProjectFile(root string) string { return filepath.Join(root, ".codememory", "config.json") }

// Loaded is the outcome of all layers, and what each of them said.
type Loaded struct {
	Config   Config
	Warnings []Warning

	said     map[string][]said // by key, weakest layer first
	environ  map[string]string
	problems []error
}

// said is a statement with the value it makes, or nil when it does not count.
type said struct {
	Statement
	value any
}

// Warning is something in the settings that does not count, or is unwise.
type Warning struct {
	Layer   Layer  `json:"layer"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Key     string `json:"key,omitempty"`
	Message string `json:"message"`
}

// String returns the warning with its place.
func (w Warning) String() string { return place(w.File, w.Line) + w.Message }

// Load reads all layers. It always returns usable settings: what is wrong is
// left out and reported, so that the caller decides whether to go on. The error
// is Invalid and names every wrong value in the user's file, the environment
// and the flags; trouble in the project file is only ever a warning, since a
// repository must not be able to stop the user's daemon.
func Load(src Sources) (*Loaded, error) {
	l := &Loaded{said: make(map[string][]said), environ: environMap(src.Environ)}
	l.readUser(src.UserFile)
	l.readProject(src.ProjectFile)
	l.readEnviron(src.KnownEnv)
	l.readFlags(src.Flags)
	l.resolve()
	if len(l.problems) == 0 {
		return l, nil
	}
	return l, codememory.Errorf(codememory.Invalid, "%w", errors.Join(l.problems...))
}

// ForProject returns the same settings with another project file, which need
// not exist, in the place of the one they were loaded with.
func (l *Loaded) ForProject(file string) *Loaded {
	p := &Loaded{said: make(map[string][]said, len(l.said)), environ: l.environ}
	fromProject := func(s said) bool { return s.Layer == LayerProject }
	for key, list := range l.said {
		p.said[key] = slices.DeleteFunc(slices.Clone(list), fromProject)
	}
	for _, w := range l.Warnings {
		if w.Layer != LayerProject {
			p.Warnings = append(p.Warnings, w)
		}
	}
	p.readProject(file)
	for _, list := range p.said {
		slices.SortStableFunc(list, func(a, b said) int { return a.Layer.rank() - b.Layer.rank() })
	}
	p.resolve()
	return p
}

func (l *Loaded) readUser(file string) {
	if file == "" {
		return
	}
	data, err := readFile(file)
	var entries []entry
	if err == nil {
		entries, err = parseFile(file, data)
	}
	if err != nil {
		l.problems = append(l.problems, fileError(file, err))
		return
	}
	for _, e := range entries {
		l.state(Statement{Layer: LayerUser, File: file, Line: e.line}, e.key, e.raw)
		l.checkSecretFile(file, e)
	}
}

func (l *Loaded) readProject(file string) {
	if file == "" {
		return
	}
	// A link in a repository could point at any file of the user, parts of
	// which would then show up in messages.
	if info, err := os.Lstat(file); err == nil && info.Mode()&os.ModeSymlink != 0 {
		l.warn(Statement{Layer: LayerProject, File: file}, "", "a project's settings must not be a symbolic link; ignored")
		return
	}
	data, err := readFile(file)
	var entries []entry
	if err == nil {
		entries, err = parseFile(file, data)
	}
	if err != nil {
		l.Warnings = append(l.Warnings, Warning{
			Layer: LayerProject, File: file, Line: lineOf(err), Message: "project settings ignored: " + err.Error(),
		})
		return
	}
	for _, e := range entries {
		l.state(Statement{Layer: LayerProject, File: file, Line: e.line}, e.key, e.raw)
	}
}

func (l *Loaded) readFlags(flags map[string]string) {
	for _, key := range slices.Sorted(maps.Keys(flags)) {
		st := Statement{Layer: LayerFlag, Name: key}
		if s, ok := lookup(key); ok {
			l.state(st, key, s.fromText(flags[key]))
			continue
		}
		l.problems = append(l.problems, UnknownKey(key))
	}
}

// state records that a layer gives key this raw value, or why that does not count.
func (l *Loaded) state(st Statement, key string, raw any) {
	s, ok := lookup(key)
	if !ok {
		if isTable(key) {
			l.complain(st, key, fmt.Errorf("it is a group of settings: expected a table, got %s", describe(raw)))
			return
		}
		l.warn(st, key, fmt.Sprintf("%s is no setting%s; ignored", key, suggest(key, keyNames())))
		return
	}
	value, err := s.parse(raw, l.getenv)
	if err == nil && st.Layer == LayerProject {
		err = s.allowProject(value)
	}
	if err != nil {
		st.Ignored = err.Error()
		if !s.isSecret() {
			st.Value = describe(raw)
		}
		l.said[key] = append(l.said[key], said{Statement: st})
		l.complain(st, key, err)
		return
	}
	st.Value = show(value)
	if list := l.said[key]; len(list) > 0 && list[len(list)-1].Layer == st.Layer && list[len(list)-1].value != nil {
		l.warn(st, key, key+" is set twice in this file; this one counts")
		list[len(list)-1].Ignored, list[len(list)-1].value = "set again below", nil
	}
	l.said[key] = append(l.said[key], said{Statement: st, value: value})
}

// allowProject refuses what a project must not decide.
func (s spec) allowProject(value any) error {
	switch s.project {
	case "any", "add":
		return nil
	case "true", "false":
		if show(value) == s.project {
			return nil
		}
		return fmt.Errorf("a project can only set it to %s", s.project)
	default:
		return errors.New("a project cannot set it; set it in your own settings")
	}
}

// complain reports a wrong value: as a warning when it is the project's.
func (l *Loaded) complain(st Statement, key string, err error) {
	if st.Layer == LayerProject {
		l.warn(st, key, fmt.Sprintf("%s: %s; ignored", key, err))
		return
	}
	l.problems = append(l.problems, fmt.Errorf("%s%s: %w", st.place(), key, err))
}

func (l *Loaded) warn(st Statement, key, message string) {
	l.Warnings = append(l.Warnings, Warning{Layer: st.Layer, File: st.File, Line: st.Line, Key: key, Message: message})
}

// resolve makes Config from what was said.
func (l *Loaded) resolve() {
	l.Config = Default()
	for _, s := range l.specs() {
		var added []string
		for _, said := range l.said[s.name] {
			switch {
			case said.value == nil:
			case said.Layer == LayerProject && s.project == "add":
				added = said.value.([]string)
			default:
				s.set(&l.Config, said.value)
			}
		}
		if len(added) > 0 {
			s.set(&l.Config, union(s.get(&l.Config).([]string), added))
		}
		if secret, ok := s.get(&l.Config).(Secret); ok && secret.problem != "" {
			l.warn(l.winner(s), s.name, s.name+" "+secret.problem)
		}
	}
}

func union(list, more []string) []string {
	all := slices.Clone(list)
	for _, item := range more {
		if !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// checkSecretFile warns of a literal secret that others on the machine can read.
func (l *Loaded) checkSecretFile(file string, e entry) {
	s, ok := lookup(e.key)
	text, isText := e.raw.(string)
	if !ok || !s.isSecret() || !isText || text == "" || isReference(text) || runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 {
		l.warn(Statement{Layer: LayerUser, File: file, Line: e.line}, e.key,
			fmt.Sprintf("%s stands in a file that others can read (%o): chmod 600 it, or write env:NAME or file:PATH", e.key, info.Mode().Perm()))
	}
}

func fileError(file string, err error) error {
	return fmt.Errorf("%s%w; correct the file or move it away", place(file, lineOf(err)), err)
}

func lineOf(err error) int {
	if s, ok := errors.AsType[*syntaxError](err); ok {
		return s.line
	}
	return 0
}
