package install

import (
	"path/filepath"
	"slices"
	"strings"
)

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
	edits, named := map[string]edit{}, map[string]edit{}
	for _, p := range wanted {
		if p.edit == nil {
			continue
		}
		path, err := through(p.path)
		if err != nil {
			continue
		}
		edits[path], named[filepath.Base(path)] = p.edit, p.edit
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
			how, ok := edits[e.Path]
			if !ok { // the agent looked elsewhere when it was connected
				how = named[filepath.Base(e.Path)]
			}
			c = e.restore(how)
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
