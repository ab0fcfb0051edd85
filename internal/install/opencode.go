package install

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/paths"
	opencodeplugin "codememory/plugin/opencode"
)

// OpenCode is an installation of OpenCode to be connected. No configuration
// file of it is edited: it loads every plugin that lies in its plugins folder.
type OpenCode struct {
	Binary    string // this program, which the plugin starts as daemon
	Version   string
	ConfigDir string   // the plugin goes into its folder plugins
	OtherDirs []string // further folders that OpenCode reads at its start
	DataDir   string   // ours, for the manifest
}

// FindOpenCode says where OpenCode of this user looks for plugins. getenv is
// os.Getenv outside of tests.
func FindOpenCode(getenv func(string) string, l paths.Layout, binary, version string) (OpenCode, error) {
	o := OpenCode{Binary: binary, Version: version, DataDir: l.Data}
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	global := getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(global) {
		if !filepath.IsAbs(home) {
			return o, codememory.Errorf(codememory.Unavailable, "OpenCode's configuration cannot be found: HOME is %q, set it to an absolute path", home)
		}
		global = filepath.Join(home, ".config")
	}
	global = filepath.Join(global, "opencode")
	o.ConfigDir = global
	if own := getenv("OPENCODE_CONFIG_DIR"); own != "" {
		if !filepath.IsAbs(own) {
			return o, codememory.Errorf(codememory.Invalid, "OPENCODE_CONFIG_DIR is %q: set it to an absolute path", own)
		}
		o.ConfigDir = filepath.Clean(own)
		o.OtherDirs = append(o.OtherDirs, global)
	}
	if dot := filepath.Join(home, ".opencode"); filepath.IsAbs(home) && exists(dot) {
		o.OtherDirs = append(o.OtherDirs, dot)
	}
	return o, nil
}

// PluginFile is where the plugin lies.
func (o OpenCode) PluginFile() string { return filepath.Join(o.ConfigDir, "plugins", "codememory.ts") }

func (o OpenCode) manifest() string { return manifestFile(o.DataDir, "opencode") }

// Plan says what Install does. It fails with Conflict when a file that is not
// ours is in the place of the plugin.
func (o OpenCode) Plan() (Plan, error) {
	plan, _, err := o.plan()
	return plan, err
}

// Install carries out the plan and returns it.
func (o OpenCode) Install() (Plan, error) {
	plan, m, err := o.plan()
	if err != nil {
		return plan, err
	}
	for _, c := range plan.Changes {
		if c.Action == Create || c.Action == Replace {
			m.note(c)
		}
	}
	m.Made = slices.DeleteFunc(m.Made, func(e made) bool {
		return slices.ContainsFunc(plan.Changes, func(c Change) bool { return c.Path == e.Path && c.Action == Remove })
	})
	// The folder of the manifest has to be there before the manifest.
	for _, c := range plan.Changes {
		if c.Folder && c.Action == Create && within(o.manifest(), c.Path) {
			if err := atomicfile.MkdirAll(c.Path, 0o700); err != nil {
				return plan, err
			}
		}
	}
	if err := m.write(o.manifest()); err != nil {
		return plan, err
	}
	for _, c := range plan.Changes {
		if err := c.carryOut(); err != nil {
			return plan, err
		}
	}
	return plan, nil
}

func within(path, dir string) bool {
	return strings.HasPrefix(path, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator))
}

func (o OpenCode) plan() (Plan, manifest, error) {
	plan := Plan{Agent: "opencode"}
	m, err := readManifest(o.manifest())
	if err != nil {
		return plan, m, err
	}
	file, err := opencodeplugin.File(o.Version, o.Binary)
	if err != nil {
		return plan, m, err
	}
	target := o.PluginFile()
	if exists(target) && !ourPlugin(target) {
		return plan, m, codememory.Errorf(codememory.Conflict, "%s exists and is not CodeMemory's: move it away and try again", target)
	}

	wanted := []Change{{Path: target, Why: "the plugin, which OpenCode loads by itself", data: file}}
	for _, dir := range append([]string{o.ConfigDir}, o.OtherDirs...) {
		wanted = append(wanted, o.cure(dir, m)...)
	}
	stale := func(e made) bool {
		return !e.Folder && !slices.ContainsFunc(wanted, func(c Change) bool { return c.Path == e.Path })
	}
	plan.Changes = m.removal(stale, ourPlugin)

	folders := missing(filepath.Dir(o.manifest()))
	for _, c := range wanted {
		dir := filepath.Dir(c.Path)
		if c.Folder {
			dir = c.Path
		}
		folders = append(folders, missing(dir)...)
	}
	slices.Sort(folders)
	for _, dir := range slices.Compact(folders) {
		plan.Changes = append(plan.Changes, Change{Action: Create, Path: dir, Folder: true, Why: "does not exist yet"})
	}
	for _, c := range wanted {
		switch {
		case c.Folder: // made above if it was missing
			continue
		case has(c.Path, c.data):
			c.Action = Keep
		case exists(c.Path):
			c.Action = Replace
		default:
			c.Action = Create
		}
		plan.Changes = append(plan.Changes, c)
	}
	return plan, m, nil
}

// lockFile satisfies OpenCode's question whether its own package is installed
// in a configuration folder.
const lockFile = `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}` + "\n"

// cure keeps OpenCode from waiting for npm. As soon as there is any plugin, its
// start waits until npm has installed a package into each configuration folder,
// which without a network takes over a minute, every time. Our plugin does not
// need that package. Where others might, nothing is done; that includes the
// case that another plugin came after us, for which the plan then takes the cure
// away again.
func (o OpenCode) cure(dir string, m manifest) []Change {
	lock, modules := filepath.Join(dir, "package-lock.json"), filepath.Join(dir, "node_modules")
	entry, cured := m.find(lock)
	ours := cured && entry.untouched()
	if othersNeedPackages(dir) || !ours && (exists(lock) || exists(modules)) {
		return nil
	}
	return []Change{
		{Path: modules, Folder: true},
		{Path: lock, Why: "lets OpenCode start without asking npm", data: []byte(lockFile)},
	}
}

// othersNeedPackages reports whether a configuration folder holds packages,
// plugins or tools besides ours.
func othersNeedPackages(dir string) bool {
	if exists(filepath.Join(dir, "package.json")) {
		return true
	}
	for _, folder := range []string{"plugin", "plugins", "tool", "tools"} {
		entries, _ := os.ReadDir(filepath.Join(dir, folder))
		for _, e := range entries {
			path := filepath.Join(dir, folder, e.Name())
			if ext := filepath.Ext(e.Name()); (ext == ".ts" || ext == ".js") && !ourPlugin(path) {
				return true
			}
		}
	}
	return false
}

func ourPlugin(path string) bool {
	data, err := os.ReadFile(path)
	return err == nil && bytes.HasPrefix(data, []byte(opencodeplugin.Mark))
}

// PlanUninstall says what Uninstall does.
func (o OpenCode) PlanUninstall() (Plan, error) {
	plan := Plan{Agent: "opencode"}
	m, err := readManifest(o.manifest())
	if err != nil {
		return plan, err
	}
	if _, known := m.find(o.PluginFile()); !known && ourPlugin(o.PluginFile()) {
		plan.Changes = append(plan.Changes, Change{Action: Remove, Path: o.PluginFile(), Why: "a plugin of CodeMemory"})
	}
	var folders []Change // of ours, which must outlive the manifest
	for _, c := range m.removal(func(made) bool { return true }, ourPlugin) {
		if c.Folder && within(o.manifest(), c.Path) {
			folders = append(folders, c)
			continue
		}
		plan.Changes = append(plan.Changes, c)
	}
	if exists(o.manifest()) {
		plan.Changes = append(plan.Changes, Change{Action: Remove, Path: o.manifest(), Why: "the list of what was installed"})
	}
	plan.Changes = append(plan.Changes, folders...)
	return plan, nil
}

// Uninstall carries out its plan and returns it.
func (o OpenCode) Uninstall() (Plan, error) {
	plan, err := o.PlanUninstall()
	if err != nil {
		return plan, err
	}
	for _, c := range plan.Changes {
		if err := c.carryOut(); err != nil {
			return plan, err
		}
	}
	return plan, nil
}
