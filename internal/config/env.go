package config

import (
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"

	"codememory/internal/paths"
)

const envPrefix = "CODEMEMORY_"

func environMap(environ []string) map[string]string {
	vars := make(map[string]string, len(environ))
	for _, line := range environ {
		if name, value, ok := strings.Cut(line, "="); ok && name != "" {
			vars[envName(name)] = value
		}
	}
	return vars
}

// envName is the name under which a variable is known: Windows does not tell
// cases apart.
func envName(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func (l *Loaded) getenv(name string) string { return l.environ[envName(name)] }

// readEnviron takes the variables that spell a key. Their mapping is described
// in the package comment; that no two keys share a variable is tested.
func (l *Loaded) readEnviron(known []string) {
	names := slices.Concat([]string{paths.EnvData, paths.EnvConfig, paths.EnvState}, known)
	for _, s := range l.spelled() {
		name := s.env()
		names = append(names, name)
		if text := l.environ[name]; text != "" {
			l.state(Statement{Layer: LayerEnv, Name: name}, s.name, s.fromText(text))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(l.environ)) {
		if strings.HasPrefix(name, envPrefix) && !slices.Contains(names, name) {
			l.warn(Statement{Layer: LayerEnv, Name: name}, "",
				fmt.Sprintf("the variable %s is no setting%s; ignored", name, suggest(name, names)))
		}
	}
}
