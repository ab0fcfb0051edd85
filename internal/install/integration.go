package install

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"codememory"
)

// Integration is one agent to be connected, for a user or in one project.
type Integration struct {
	Agent   string
	Project string // the folder, or "" for all of a user's projects

	data   string // our data directory
	wanted func(m manifest) ([]part, error)
}

// part is what CodeMemory has in one file, or a folder that it needs.
type part struct {
	path  string
	why   string
	edit  edit        // nil: a folder
	mode  fs.FileMode // of a new file
	reads dialect     // of JSON, as far as the agent understands it
}

// folder is the one that must exist for the part.
func (p part) folder() string {
	if p.edit == nil {
		return p.path
	}
	return filepath.Dir(p.path)
}

// edit is how our part gets into a file and out of it. A nil text stands for no
// file.
type edit interface {
	// with returns text with our part as it should be now.
	with(text []byte) ([]byte, error)
	// without returns text with our part taken out, where before is the file as
	// it was without it.
	without(text, before []byte) ([]byte, error)
}

func (i Integration) manifest() string { return manifestFile(i.data, i.Agent, i.Project) }

func (i Integration) folder() string { return filepath.Dir(i.manifest()) }

// Plan says what Install does.
func (i Integration) Plan() (Plan, error) {
	plan, _, err := i.plan(missing(i.folder()))
	return plan, err
}

// Install carries out the plan and returns it. When one change fails, those
// before it are taken back.
func (i Integration) Install() (Plan, error) {
	if plan, changed, err := i.plan(missing(i.folder())); err != nil || plan.Empty() && !changed.changed {
		return plan, err
	}
	lock, err := takeLock(i.folder())
	if err != nil {
		return Plan{Agent: i.Agent}, err
	}
	defer lock.release()
	plan, next, err := i.plan(lock.fresh)
	if err != nil {
		return plan, err
	}
	was, err := readFile(i.manifest())
	if err != nil {
		return plan, err
	}
	if err := next.write(i.manifest()); err != nil {
		return plan, err
	}
	for n, c := range plan.Changes {
		if err := c.carryOut(); err != nil {
			for _, done := range slices.Backward(plan.Changes[:n]) {
				_ = done.takeBack() // the first failure is what is told
			}
			_ = putBack(i.manifest(), was)
			return plan, err
		}
	}
	return plan, nil
}

// outcome is the manifest after a plan.
type outcome struct {
	manifest
	changed bool
}

// plan works out the changes. unmade are the folders of the manifest that lack,
// or that were made just for this.
func (i Integration) plan(unmade []string) (Plan, outcome, error) {
	plan := Plan{Agent: i.Agent}
	m, err := readManifest(i.manifest())
	if err != nil {
		return plan, outcome{}, err
	}
	wanted, err := i.wanted(m)
	if err != nil {
		return plan, outcome{}, err
	}
	for n := range wanted {
		if wanted[n].path, err = through(wanted[n].path); err != nil {
			return plan, outcome{}, err
		}
	}
	elsewhere := others(i.manifest())
	var files []Change
	for _, p := range wanted {
		if p.edit == nil {
			continue
		}
		c, err := p.change(m, elsewhere)
		if err != nil {
			return plan, outcome{}, err
		}
		files = append(files, c)
	}
	plan.Changes = append(folders(unmade, wanted), stale(m, wanted)...)
	plan.Changes = append(plan.Changes, files...)
	return plan, i.outcome(m, plan, wanted, elsewhere), nil
}

func (i Integration) outcome(m manifest, plan Plan, wanted []part, elsewhere map[string]manifest) outcome {
	next := manifest{Project: i.Project, Made: slices.Clone(m.Made)}
	for _, e := range inherited(wanted, elsewhere) {
		next.keep(e)
	}
	for _, c := range plan.Changes {
		switch {
		case c.Action == Remove:
			next.forget(c.Path)
		case c.note != nil:
			next.keep(*c.note)
		}
	}
	return outcome{next, !reflect.DeepEqual(m, next)}
}

// folders plans the folders that lack, those of the manifest first.
func folders(unmade []string, wanted []part) []Change {
	needed := slices.Clone(unmade)
	for _, p := range wanted {
		for _, dir := range missing(p.folder()) {
			if !slices.Contains(needed, dir) {
				needed = append(needed, dir)
			}
		}
	}
	slices.Sort(needed[len(unmade):])
	var changes []Change
	for n, dir := range needed {
		c := Change{Action: Create, Path: dir, Folder: true, Why: "does not exist yet"}
		if n >= len(unmade) { // those of the manifest are listed in the lock
			c.note = &made{Path: dir, Folder: true}
		}
		changes = append(changes, c)
	}
	return changes
}

// inherited are the folders that another installation made and that this one
// uses too, so that they go when the last of them does.
func inherited(used []part, elsewhere map[string]manifest) []made {
	var list []made
	for _, file := range sortedKeys(elsewhere) {
		for _, e := range elsewhere[file].Made {
			if e.Folder && exists(e.Path) && slices.ContainsFunc(used, func(p part) bool { return p.folder() == e.Path || within(p.folder(), e.Path) }) {
				list = append(list, e)
			}
		}
	}
	return list
}

// change plans what happens to the file of p.
func (p part) change(m manifest, elsewhere map[string]manifest) (Change, error) {
	c := Change{Path: p.path, Why: p.why, mode: p.mode}
	var err error
	if c.before, err = readFile(p.path); err != nil {
		return c, err
	}
	if c.data, err = p.edit.with(c.before); err != nil {
		return c, inFile(p.path, err)
	}
	entry, known := m.find(p.path)
	if !known {
		for _, file := range sortedKeys(elsewhere) {
			if entry, known = elsewhere[file].find(p.path); known {
				break
			}
		}
	}
	original := c.before
	if known {
		original = entry.Original
		if c.before != nil && hashOf(c.before) != entry.Hash && hashOf(c.before) != entry.Before {
			if original, err = p.edit.without(c.before, entry.Original); err != nil {
				return c, inFile(p.path, err)
			}
		}
	}
	switch {
	case bytes.Equal(c.data, c.before) && c.before != nil:
		c.Action = Keep
		if !known {
			return c, nil // as wanted without us
		}
	case c.before == nil:
		c.Action, original = Create, nil
	default:
		c.Action, c.mode = Replace, 0
		if err := writable(p.path); err != nil {
			return c, err
		}
	}
	c.Warning = p.reads.warning(c.data)
	note := fileEntry(p.path, original, c.data)
	c.note = &note
	return c, nil
}

// stale plans the removal of what an earlier version wanted and this does not.
func stale(m manifest, wanted []part) []Change {
	var changes []Change
	for _, e := range slices.Backward(m.Made) {
		if e.Folder || slices.ContainsFunc(wanted, func(p part) bool { return p.path == e.Path }) {
			continue
		}
		if c := e.restore(nil); c.Action != "" {
			changes = append(changes, c)
		}
	}
	return changes
}

// restore plans to make a file what it was; edit, which may be nil, takes our
// part out where others changed the file. The action is empty when there is
// nothing left to do.
func (e made) restore(p edit) Change {
	c := Change{Path: e.Path, Why: "made by the installation"}
	var err error
	c.before, err = readFile(e.Path)
	switch {
	case err != nil:
		c.Action, c.Why = Keep, "cannot be read: "+err.Error()
		return c
	case c.before == nil:
		return c
	case hashOf(c.before) == e.Hash:
		c.data = e.Original
	case e.Before != "" && hashOf(c.before) == e.Before:
		return c
	case p == nil:
		c.Action, c.Why = Keep, "changed by another program since"
		return c
	default:
		if c.data, err = p.without(c.before, e.Original); err != nil {
			c.Action, c.Why = Keep, "take our part out by hand, since it cannot be read: "+err.Error()
			return c
		}
		c.Why = "our part of it; the rest was changed by others and stays"
	}
	switch {
	case c.data == nil:
		c.Action = Remove
	case bytes.Equal(c.data, c.before):
		c.Action, c.Why = Keep, "changed by another program since"
	default:
		c.Action = Replace
		if c.Why == "made by the installation" {
			c.Why = "as it was before"
		}
		if err := writable(e.Path); err != nil {
			c.Action, c.Why, c.data = Keep, err.Error(), nil
		}
	}
	return c
}

// PlanUninstall says what Uninstall does.
func (i Integration) PlanUninstall() (Plan, error) {
	plan := Plan{Agent: i.Agent}
	m, err := readManifest(i.manifest())
	if err != nil {
		return plan, err
	}
	wanted, err := i.wanted(m)
	if err != nil {
		wanted = nil // what is in the way now does not matter for leaving
	}
	elsewhere := others(i.manifest())
	edits := map[string]edit{}
	for _, p := range wanted {
		if p.edit == nil {
			continue
		}
		path, err := through(p.path)
		if err != nil {
			continue
		}
		edits[path] = p.edit
		if !exists(i.manifest()) && usedBy(path, elsewhere) == "" {
			if c := (made{Path: path, Hash: "unknown"}).restore(p.edit); c.Action == Remove || c.Action == Replace {
				c.Why = "a part of CodeMemory"
				plan.Changes = append(plan.Changes, c)
			}
		}
	}
	for _, e := range slices.Backward(m.Made) {
		var c Change
		user := usedBy(e.Path, elsewhere)
		switch {
		case !exists(e.Path):
		case e.Folder && user != "":
		case e.Folder:
			c = Change{Action: Remove, Path: e.Path, Folder: true, Why: "made by the installation; stays if something else is in it"}
		case user != "":
			c = Change{Action: Keep, Path: e.Path, Why: "still used by " + user}
		default:
			c = e.restore(edits[e.Path])
		}
		if c.Action != "" {
			plan.Changes = append(plan.Changes, c)
		}
	}
	if was, err := readFile(i.manifest()); err == nil && was != nil {
		plan.Changes = append(plan.Changes, Change{Action: Remove, Path: i.manifest(), Own: true, Why: "the list of what was installed", before: was})
	}
	if len(elsewhere) == 0 && len(plan.Changes) > 0 {
		for _, dir := range slices.Backward(lockedFolders(i.folder())) {
			plan.Changes = append(plan.Changes, Change{Action: Remove, Path: dir, Folder: true, Why: "made by the installation; stays if something else is in it"})
		}
	}
	return plan, nil
}

// usedBy names another agent whose manifest has the path.
func usedBy(path string, elsewhere map[string]manifest) string {
	for _, file := range sortedKeys(elsewhere) {
		if _, ok := elsewhere[file].find(path); ok {
			name, _, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".json"), "@")
			return name
		}
	}
	return ""
}

// Uninstall carries out its plan and returns it.
func (i Integration) Uninstall() (Plan, error) {
	if plan, err := i.PlanUninstall(); err != nil || len(plan.Changes) == 0 {
		return plan, err
	}
	lock, err := takeLock(i.folder())
	if err != nil {
		return Plan{Agent: i.Agent}, err
	}
	defer lock.release()
	plan, err := i.PlanUninstall()
	if err != nil {
		return plan, err
	}
	for _, c := range plan.Changes {
		if c.Folder && within(i.manifest(), c.Path) {
			continue // the lock lies in it and removes it
		}
		if err := c.carryOut(); err != nil {
			return plan, err
		}
	}
	return plan, nil
}

// inFile says in which file an edit failed.
func inFile(path string, err error) error {
	code := codememory.CodeOf(err)
	if code == codememory.Internal {
		code = codememory.Invalid
	}
	return codememory.Errorf(code, "%s: %w", path, err)
}
