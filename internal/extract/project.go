package extract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"

	"codememory"
)

// maxProjectFile is how much of a file of the project is read.
const maxProjectFile = 64 << 10

// Project describes the project in a folder from its own files: what it is,
// what it is made with, and the commands that its manifests name.
func Project(dir string) []codememory.AddRequest {
	f := projectFiles{dir: dir}
	var out []codememory.AddRequest
	add := func(t codememory.Type, text, file string) {
		if text != "" {
			out = append(out, codememory.AddRequest{Type: t, Text: text, Source: codememory.Source{Author: codememory.AuthorExtractor}, Metadata: map[string]any{"file": file}})
		}
	}
	text, file := f.brief()
	add(codememory.ProjectBrief, text, file)
	text, file = f.technology()
	add(codememory.TechContext, text, file)
	text, file = f.commands()
	add(codememory.ProjectConfig, text, file)
	return out
}

type projectFiles struct{ dir string }

// read returns a file of the project, or "" when there is none. Links are not
// followed: they may lead anywhere.
func (f projectFiles) read(name string) string {
	path := filepath.Join(f.dir, name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	b := make([]byte, min(info.Size(), maxProjectFile))
	n, _ := file.Read(b)
	return strings.ToValidUTF8(string(b[:n]), "")
}

// brief says what the project is.
func (f projectFiles) brief() (text, file string) {
	for _, name := range []string{"README.md", "readme.md", "README.rst", "README.txt", "README"} {
		if said := Brief([]Message{{Text: f.read(name)}}); said != "" {
			return f.named(said), name
		}
	}
	if p := f.packageJSON(); p.Description != "" {
		return f.named(p.Description), "package.json"
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

// packageManifest is what is used of package.json.
type packageManifest struct {
	Description     string            `json:"description"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	PackageManager  string            `json:"packageManager"`
}

func (f projectFiles) packageJSON() packageManifest {
	var p packageManifest
	if json.Unmarshal([]byte(f.read("package.json")), &p) != nil {
		return packageManifest{} // a broken manifest says nothing
	}
	return p
}

var (
	goDirective = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^go\s+(\S+)`) })
	goModule    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^module\s+(\S+)`) })
	goRequire   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^\s+([\w./~-]+\.[\w./~-]+)\s+v[\w.+-]+\s*$`) })
	makeTarget  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([a-z][\w-]*):(?:[^=]|$)`) })
)

// technology says what the project is made with.
func (f projectFiles) technology() (text, file string) {
	var parts []string
	note := func(part, from string) {
		parts = append(parts, part)
		if file == "" {
			file = from
		}
	}
	if mod := f.read("go.mod"); mod != "" {
		part := "Go"
		if m := goDirective().FindStringSubmatch(mod); m != nil {
			part += " " + m[1]
		}
		if m := goModule().FindStringSubmatch(mod); m != nil {
			part += " (module " + m[1] + ")"
		}
		var deps []string
		for _, m := range goRequire().FindAllStringSubmatch(mod, 8) {
			deps = append(deps, m[1])
		}
		note(withList(part, deps), "go.mod")
	}
	if p := f.packageJSON(); len(p.Dependencies)+len(p.DevDependencies)+len(p.Scripts) > 0 {
		part := "Node.js"
		if _, typed := p.DevDependencies["typescript"]; typed {
			part = "TypeScript on Node.js"
		}
		if manager := f.packageManager(p); manager != "" {
			part += " with " + manager
		}
		note(withList(part, first(p.Dependencies, 10)), "package.json")
	}
	for _, m := range [][2]string{{"Cargo.toml", "Rust (cargo)"}, {"pyproject.toml", "Python (pyproject.toml)"}, {"pom.xml", "Java (Maven)"}, {"build.gradle", "Java (Gradle)"}, {"Gemfile", "Ruby (bundler)"}, {"composer.json", "PHP (composer)"}} {
		if f.read(m[0]) != "" {
			note(m[1], m[0])
		}
	}
	if len(parts) == 0 {
		return "", ""
	}
	return "Made with " + strings.Join(parts, "; "), file
}

func (f projectFiles) packageManager(p packageManifest) string {
	if name, _, ok := strings.Cut(p.PackageManager, "@"); ok {
		return name
	}
	for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"package-lock.json", "npm"}} {
		if _, err := os.Lstat(filepath.Join(f.dir, lock[0])); err == nil {
			return lock[1]
		}
	}
	return ""
}

func withList(what string, names []string) string {
	if len(names) == 0 {
		return what
	}
	return what + ", using " + strings.Join(names, ", ")
}

func first(m map[string]string, n int) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names[:min(n, len(names))]
}

// commands names how the project is built, tested and run.
func (f projectFiles) commands() (text, file string) {
	var parts []string
	if p := f.packageJSON(); len(p.Scripts) > 0 {
		manager := f.packageManager(p)
		if manager == "" {
			manager = "npm"
		}
		for _, name := range first(p.Scripts, 50) {
			switch name {
			case "build", "test", "lint", "dev", "start", "check", "typecheck", "format":
				parts = append(parts, manager+" run "+name)
			}
		}
		file = "package.json"
	}
	if mk := f.read("Makefile"); mk != "" {
		for _, m := range makeTarget().FindAllStringSubmatch(mk, -1) {
			switch m[1] {
			case "build", "test", "lint", "run", "check", "fmt", "bench", "install", "dev", "all":
				parts = append(parts, "make "+m[1])
			}
		}
		if file == "" {
			file = "Makefile"
		}
	}
	if len(parts) == 0 {
		return "", ""
	}
	return "Commands: " + strings.Join(parts, ", "), file
}
