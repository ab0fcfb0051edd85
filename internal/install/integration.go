package install

import (
	"io/fs"
	"path/filepath"
	"reflect"
	"slices"
)

// Integration is one agent to be connected, for a user or in one project.
type Integration struct {
	Agent   string
	Project string // the folder, or "" for all of a user's projects

	data   string   // our data directory
	roots  []string // the folders of the agent at hand, of which a machine may have several
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
	plan.Changes = append(folders(unmade, wanted), i.stale(m, wanted)...)
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
