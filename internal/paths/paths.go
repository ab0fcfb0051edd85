// Package paths says where CodeMemory keeps its files on this machine: data,
// configuration, and state with logs. It follows the XDG base directories on
// Linux and macOS alike, and the local application data on Windows. It only
// names places; nothing is created here.
package paths

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"codememory"
)

const app = "codememory"

// The variables that move one place each. They take an absolute path or one
// that begins with ~/.
const (
	EnvData   = "CODEMEMORY_DATA_DIR"
	EnvConfig = "CODEMEMORY_CONFIG"
	EnvState  = "CODEMEMORY_STATE_DIR"
)

// configNames are the accepted configuration files; the first that exists is read.
var configNames = []string{"config.toml", "config.jsonc", "config.json"}

// Layout is where everything is.
type Layout struct {
	Data       string // directory of the stores, the token and the lock
	ConfigFile string // the user's configuration; it need not exist
	State      string // directory of the logs

	// Shadowed are further configuration files that exist beside ConfigFile
	// and are not read.
	Shadowed []string
}

// Resolve finds the layout. getenv is os.Getenv outside of tests.
func Resolve(getenv func(string) string) (Layout, error) {
	return resolve(runtime.GOOS, getenv)
}

func resolve(goos string, getenv func(string) string) (Layout, error) {
	p := places{goos: goos, getenv: getenv}
	var l Layout
	var err error
	if l.Data, err = p.dir(EnvData, "XDG_DATA_HOME", p.defaultData); err != nil {
		return Layout{}, err
	}
	if l.State, err = p.dir(EnvState, "XDG_STATE_HOME", p.defaultState); err != nil {
		return Layout{}, err
	}
	if file := getenv(EnvConfig); file != "" {
		l.ConfigFile, err = p.override(EnvConfig, file)
		return l, err
	}
	dir, err := p.dir("", "XDG_CONFIG_HOME", p.defaultConfig)
	if err != nil {
		return Layout{}, err
	}
	l.ConfigFile, l.Shadowed = pickConfig(dir)
	return l, nil
}

// pickConfig returns the file to read and those that exist but lose to it.
func pickConfig(dir string) (string, []string) {
	var found []string
	for _, name := range configNames {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && !info.IsDir() {
			found = append(found, path)
		}
	}
	if len(found) == 0 {
		return filepath.Join(dir, configNames[0]), nil
	}
	return found[0], found[1:]
}

// TokenFile holds the bearer token of the local API; it must be 0600.
func (l Layout) TokenFile() string { return filepath.Join(l.Data, "token") }

// LockFile is held by the one daemon of this user.
func (l Layout) LockFile() string { return filepath.Join(l.Data, "daemon.lock") }

// DaemonInfo is where the running daemon writes its address, process id and version.
func (l Layout) DaemonInfo() string { return filepath.Join(l.Data, "daemon.json") }

// HistoryDB is the index over the agents' own transcripts.
func (l Layout) HistoryDB() string { return filepath.Join(l.Data, "history.db") }

// LedgerDB is what language models cost.
func (l Layout) LedgerDB() string { return filepath.Join(l.Data, "ledger.db") }

// DistillDB is what language models have still to read.
func (l Layout) DistillDB() string { return filepath.Join(l.Data, "distill.db") }

// Prompts is the folder of the user's own prompts for language models.
func (l Layout) Prompts() string { return filepath.Join(filepath.Dir(l.ConfigFile), "prompts") }

// UserStore is the store of what holds in every project.
func (l Layout) UserStore() string { return filepath.Join(l.Data, "user") }

// ProjectStores is the directory of the stores of projects without a .codememory folder.
func (l Layout) ProjectStores() string { return filepath.Join(l.Data, "projects") }

// ProjectStore is the store of one project that has no .codememory folder. An
// id that is not a plain file name is refused: it may come from a request.
func (l Layout) ProjectStore(id string) (string, error) {
	if !filepath.IsLocal(id) || id == "." || strings.ContainsAny(id, `/\:`) || !fs.ValidPath(id) {
		return "", codememory.Errorf(codememory.Invalid, "project id %q is not a plain name", id)
	}
	return filepath.Join(l.ProjectStores(), id), nil
}

// LogFile is the daemon's current log; rotated ones lie beside it.
func (l Layout) LogFile() string { return filepath.Join(l.State, "daemon.log") }
