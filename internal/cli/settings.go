package cli

import (
	"os"
	"path/filepath"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/paths"
)

// layout finds where everything is.
func (p *program) layout() (paths.Layout, error) { return paths.Resolve(p.getenv) }

// settings reads the configuration of this machine and of the project at hand.
// The settings are usable even when err says that some of them are wrong; they
// are nil when nothing could be read.
func (p *program) settings() (*config.Loaded, paths.Layout, error) {
	layout, err := p.layout()
	if err != nil {
		return nil, layout, err
	}
	loaded, err := config.Load(p.sources(layout, p.projectConfig(), nil))
	return loaded, layout, err
}

func (p *program) sources(layout paths.Layout, projectFile string, flags map[string]string) config.Sources {
	return config.Sources{
		UserFile: layout.ConfigFile, ProjectFile: projectFile, Environ: os.Environ(), Flags: flags,
		KnownEnv: []string{envProject, "CODEMEMORY_OPENCODE", "CODEMEMORY_INTERNAL", "CODEMEMORY_DEBUG", paths.EnvData, paths.EnvConfig, paths.EnvState},
	}
}

// projectConfig returns the settings file of the project at hand, or "" when
// the project has no .codememory folder.
func (p *program) projectConfig() string {
	ref, err := p.projectRef()
	if err != nil || !filepath.IsAbs(ref) {
		return ""
	}
	for dir := ref; ; dir = filepath.Dir(dir) {
		file := config.ProjectFile(dir)
		if info, err := os.Stat(filepath.Dir(file)); err == nil && info.IsDir() {
			return file
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

// configFile returns the file that config set and unset change.
func (p *program) configFile(local bool) (string, error) {
	if !local {
		layout, err := p.layout()
		return layout.ConfigFile, err
	}
	file := p.projectConfig()
	if file == "" {
		return "", codememory.Errorf(codememory.NotFound, `this project has no .codememory folder: make one with "codememory init"`)
	}
	return file, nil
}
