package extract

import (
	"encoding/json"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
	"go.yaml.in/yaml/v3"

	"codememory"
)

// maxProjectFile is how much of a file of the project is read.
const maxProjectFile = 64 << 10

// Project describes the project in a folder from its own files: what it is,
// what it is made with, the commands that its manifests name, the services
// that it needs and what its CI runs. Each has a key: read again after a file
// changed, it takes the place of what was read before; Value is the hash of
// the text, by which an edit of a person shows.
func Project(dir string) []Candidate {
	f := projectFiles{dir: dir}
	var out []Candidate
	add := func(rule string, t codememory.Type, text, file string) {
		if text == "" {
			return
		}
		out = append(out, Candidate{Rule: rule, Type: t, Text: text, Class: codememory.ClassFile, Key: "project: " + rule, Value: codememory.TextHash(text), Excerpt: file, Quarantine: reviewed(text, file)})
	}
	text, file := f.brief()
	add("project-brief", codememory.ProjectBrief, text, file)
	text, file = f.technology()
	add("tech-context", codememory.TechContext, text, file)
	text, file = f.commands()
	add("project-commands", codememory.ProjectConfig, text, file)
	text, file = f.services()
	add("project-services", codememory.ProjectConfig, text, file)
	text, file = f.ci()
	add("project-ci", codememory.ProjectConfig, text, file)
	return out
}

// manifests are the files from which Project reads.
var manifests = []string{
	"README.md", "readme.md", "README.rst", "README.txt", "README", "go.mod", "package.json", "pyproject.toml", "requirements.txt", "Cargo.toml", "pom.xml",
	"build.gradle", "build.gradle.kts", "Gemfile", "composer.json", "Makefile", "justfile", "Justfile", "Taskfile.yml", "docker-compose.yml", "docker-compose.yaml",
	"compose.yml", "compose.yaml", ".gitlab-ci.yml", "Jenkinsfile", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "package-lock.json",
}

// ChangesManifest reports whether a turn changed a file that describes its project.
func ChangesManifest(t codememory.Turn) bool {
	for _, s := range t.Steps {
		if s.Tool == nil || s.Tool.Error != "" {
			continue
		}
		for _, c := range s.Tool.Changed {
			name := filepath.ToSlash(c.Path)
			if slices.Contains(manifests, path.Base(name)) || strings.Contains(name, ".github/workflows/") {
				return true
			}
		}
	}
	return false
}

type projectFiles struct{ dir string }

// read returns a file of the project, or "" when there is none. Links are not
// followed: they may lead anywhere.
func (f projectFiles) read(name string) string {
	file := filepath.Join(f.dir, filepath.FromSlash(name))
	info, err := os.Lstat(file)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	r, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer r.Close()
	b, err := io.ReadAll(io.LimitReader(r, maxProjectFile))
	if err != nil {
		return ""
	}
	return strings.ToValidUTF8(string(b), "")
}

func (f projectFiles) has(name string) bool {
	_, err := os.Lstat(filepath.Join(f.dir, name))
	return err == nil
}

// first returns the first of the files that is there.
func (f projectFiles) first(names ...string) (text, name string) {
	for _, name := range names {
		if text := f.read(name); text != "" {
			return text, name
		}
	}
	return "", ""
}

// A broken manifest says nothing.
func fromJSON[T any](text string) (v T) {
	if json.Unmarshal([]byte(text), &v) != nil {
		return *new(T)
	}
	return v
}

func fromTOML[T any](text string) (v T) {
	if toml.Unmarshal([]byte(text), &v) != nil {
		return *new(T)
	}
	return v
}

func fromYAML[T any](text string) (v T) {
	if yaml.Unmarshal([]byte(text), &v) != nil {
		return *new(T)
	}
	return v
}

// brief says what the project is.
func (f projectFiles) brief() (text, file string) {
	for _, name := range []string{"README.md", "readme.md", "README.rst", "README.txt", "README"} {
		if said := Brief([]Message{{Text: f.read(name)}}); said != "" {
			return f.named(said), name
		}
	}
	if d := fromJSON[packageManifest](f.read("package.json")).Description; d != "" {
		return f.named(d), "package.json"
	}
	for _, name := range []string{"Cargo.toml", "pyproject.toml"} {
		if m := description().FindStringSubmatch(f.read(name)); m != nil {
			return f.named(m[1]), name
		}
	}
	return "", ""
}

var description = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^description\s*=\s*"([^"\n]+)"`) })

// named puts the project's name before a description that does not say it.
func (f projectFiles) named(text string) string {
	name := filepath.Base(f.dir)
	if strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
		return text
	}
	return name + ": " + text
}
