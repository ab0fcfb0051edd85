package paths

import (
	"path/filepath"
	"strings"

	"codememory"
)

// places looks directories up in one environment.
type places struct {
	goos   string
	getenv func(string) string
}

// dir returns our directory: the override as it is, else below the XDG base,
// else the system's default. A relative XDG value is ignored, as its
// specification demands.
func (p places) dir(override, xdg string, fallback func() (string, error)) (string, error) {
	if override != "" {
		if v := p.getenv(override); v != "" {
			return p.override(override, v)
		}
	}
	if base := p.getenv(xdg); filepath.IsAbs(base) {
		return filepath.Join(base, app), nil
	}
	return fallback()
}

// override checks a path the user gave. A relative one would mean another
// place in every working directory, so that every agent had its own daemon.
func (p places) override(name, value string) (string, error) {
	if rest, ok := cutHome(value); ok {
		home, err := p.home()
		if err != nil {
			return "", err
		}
		return filepath.Join(home, rest), nil
	}
	if !filepath.IsAbs(value) {
		return "", codememory.Errorf(codememory.Invalid, "%s is %q: set it to an absolute path", name, value)
	}
	return filepath.Clean(value), nil
}

func cutHome(path string) (string, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return rest, true
	}
	return strings.CutPrefix(path, `~\`)
}

func (p places) home() (string, error) {
	name := "HOME"
	if p.goos == "windows" {
		name = "USERPROFILE"
	}
	home := p.getenv(name)
	if !filepath.IsAbs(home) {
		return "", codememory.Errorf(codememory.Unavailable,
			"no home directory: %s is %q; set it, or set %s, %s and %s", name, home, EnvData, EnvConfig, EnvState)
	}
	return home, nil
}

// windowsBase returns a known folder, from its variable or its usual place.
func (p places) windowsBase(variable, usual string) (string, error) {
	if base := p.getenv(variable); filepath.IsAbs(base) {
		return filepath.Join(base, app), nil
	}
	home, err := p.home()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, "AppData", usual, app), nil
}

func (p places) belowHome(elem ...string) (string, error) {
	home, err := p.home()
	if err != nil {
		return "", err
	}
	return filepath.Join(append([]string{home}, elem...)...), nil
}

func (p places) defaultData() (string, error) {
	if p.goos == "windows" {
		return p.windowsBase("LOCALAPPDATA", "Local")
	}
	return p.belowHome(".local", "share", app)
}

func (p places) defaultConfig() (string, error) {
	if p.goos == "windows" {
		return p.windowsBase("APPDATA", "Roaming")
	}
	return p.belowHome(".config", app)
}

func (p places) defaultState() (string, error) {
	if p.goos == "windows" {
		base, err := p.windowsBase("LOCALAPPDATA", "Local")
		return filepath.Join(base, "state"), err
	}
	return p.belowHome(".local", "state", app)
}
