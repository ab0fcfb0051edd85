package install

import (
	"bytes"
	"os"
	"path/filepath"

	"codememory"
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

func (o OpenCode) manifest() string { return o.integration().manifest() }

// integration is OpenCode for the machinery that all agents share.
func (o OpenCode) integration() Integration {
	return Integration{Agent: "opencode", data: o.DataDir, roots: append([]string{o.ConfigDir}, o.OtherDirs...), wanted: o.wanted}
}

// Plan says what Install does. It fails with Conflict when a file that is not
// ours is in the place of the plugin.
func (o OpenCode) Plan() (Plan, error) { return o.integration().Plan() }

// Install carries out the plan and returns it.
func (o OpenCode) Install() (Plan, error) { return o.integration().Install() }

// PlanUninstall says what Uninstall does.
func (o OpenCode) PlanUninstall() (Plan, error) { return o.integration().PlanUninstall() }

// Uninstall carries out its plan and returns it.
func (o OpenCode) Uninstall() (Plan, error) { return o.integration().Uninstall() }

func (o OpenCode) wanted(m manifest) ([]part, error) {
	file, err := opencodeplugin.File(o.Version, o.Binary)
	if err != nil {
		return nil, err
	}
	parts := []part{{path: o.PluginFile(), why: "the plugin, which OpenCode loads by itself", edit: whole{file, []byte(opencodeplugin.Mark)}}}
	for _, dir := range append([]string{o.ConfigDir}, o.OtherDirs...) {
		parts = append(parts, o.cure(dir, m)...)
	}
	return parts, nil
}

// npmLock satisfies OpenCode's question whether its own package is installed
// in a configuration folder.
const npmLock = `{"packages":{"":{"dependencies":{"@opencode-ai/plugin":"*"}}}}` + "\n"

// cure keeps OpenCode from waiting for npm. As soon as there is any plugin, its
// start waits until npm has installed a package into each configuration folder,
// which without a network takes over a minute, every time. Our plugin does not
// need that package. Where others might, nothing is done; that includes the
// case that another plugin came after us, for which the plan then takes the cure
// away again.
func (o OpenCode) cure(dir string, m manifest) []part {
	lock, modules := filepath.Join(dir, "package-lock.json"), filepath.Join(dir, "node_modules")
	entry, cured := m.find(lock)
	ours := cured && entry.untouched()
	if othersNeedPackages(dir) || !ours && (exists(lock) || exists(modules)) {
		return nil
	}
	return []part{
		{path: modules},
		{path: lock, why: "lets OpenCode start without asking npm", edit: whole{[]byte(npmLock), []byte(npmLock)}},
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
