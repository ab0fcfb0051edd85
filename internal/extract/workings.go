package extract

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// wellKnown are the names that scripts and targets for everyday work have.
var wellKnown = []string{"build", "test", "lint", "run", "dev", "start", "check", "typecheck", "format", "fmt", "bench", "install", "generate", "e2e", "migrate", "up", "all"}

var (
	makeTarget = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([a-z][\w-]*):(?:[^=]|$)`) })
	justRecipe = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^@?([a-z][\w-]*)(?:\s+[^:\n]*)?:(?:[^=]|$)`) })
	taskName   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^  ([a-z][\w:-]*):\s*$`) })
)

// commands names how the project is built, tested and run, as its manifests say.
func (f projectFiles) commands() (text, file string) {
	var parts []string
	from := func(name string, found []string) {
		if len(found) > 0 && file == "" {
			file = name
		}
		parts = append(parts, found...)
	}
	p := fromJSON[packageManifest](f.read("package.json"))
	manager := f.packageManager(p)
	if manager == "" {
		manager = "npm"
	}
	var scripts []string
	for _, name := range slices.Sorted(maps.Keys(p.Scripts)) {
		if slices.Contains(wellKnown, name) {
			scripts = append(scripts, manager+" run "+name)
		}
	}
	from("package.json", scripts)
	for _, m := range []struct {
		file, runner string
		target       *regexp.Regexp
	}{{"Makefile", "make", makeTarget()}, {"justfile", "just", justRecipe()}, {"Justfile", "just", justRecipe()}, {"Taskfile.yml", "task", taskName()}} {
		var targets []string
		for _, name := range findAll(m.target, f.read(m.file)) {
			if slices.Contains(wellKnown, name) {
				targets = append(targets, m.runner+" "+name)
			}
		}
		from(m.file, targets)
	}
	if len(parts) == 0 {
		return "", ""
	}
	return "Commands: " + strings.Join(parts, ", "), file
}

// services names what the project's compose file starts.
func (f projectFiles) services() (text, file string) {
	manifest, file := f.first("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml")
	c := fromYAML[struct {
		Services map[string]struct {
			Image string `yaml:"image"`
			Ports []any  `yaml:"ports"`
		} `yaml:"services"`
	}](manifest)
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.Services)) {
		s := c.Services[name]
		part := name
		var details []string
		if s.Image != "" {
			details = append(details, s.Image)
		}
		for _, port := range s.Ports {
			if p, ok := port.(string); ok {
				details = append(details, "port "+p)
			}
		}
		if len(details) > 0 {
			part += " (" + strings.Join(details, ", ") + ")"
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return "", ""
	}
	return fmt.Sprintf("Services in %s: %s", file, strings.Join(parts[:min(12, len(parts))], ", ")), file
}

// maxCICommands is how many commands of the CI a description names.
const maxCICommands = 8

// ci names what the project's CI runs: what has to pass there.
func (f projectFiles) ci() (text, file string) {
	var commands []string
	note := func(name, script string) {
		for line := range strings.Lines(script) {
			line = strings.TrimSpace(line)
			if _, whole := kindOf(line); whole && !slices.Contains(commands, line) && len(commands) < maxCICommands && len(line) < 100 {
				commands = append(commands, line)
				if file == "" {
					file = name
				}
			}
		}
	}
	for _, name := range f.workflows() {
		each(fromYAML[yaml.Node](f.read(name)), "run", func(script string) { note(name, script) })
	}
	each(fromYAML[yaml.Node](f.read(".gitlab-ci.yml")), "script", func(script string) { note(".gitlab-ci.yml", script) })
	if len(commands) == 0 {
		return "", ""
	}
	return fmt.Sprintf("CI (%s) runs: %s", file, strings.Join(commands, ", ")), file
}

// workflows lists the project's workflows of GitHub Actions.
func (f projectFiles) workflows() []string {
	const dir, most = ".github/workflows", 20
	entries, err := os.ReadDir(filepath.Join(f.dir, filepath.FromSlash(dir)))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if ext := path.Ext(e.Name()); (ext == ".yml" || ext == ".yaml") && len(names) < most {
			names = append(names, path.Join(dir, e.Name()))
		}
	}
	return names
}

// each calls fn for the text of every key with this name, lists included.
func each(n yaml.Node, key string, fn func(string)) {
	for i, c := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 1 && n.Content[i-1].Value == key {
			switch c.Kind {
			case yaml.ScalarNode:
				fn(c.Value)
			case yaml.SequenceNode:
				for _, item := range c.Content {
					fn(item.Value)
				}
			default:
			}
		}
		each(*c, key, fn)
	}
}
