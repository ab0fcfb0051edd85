package extract

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// maxDependencies is how many dependencies a description names.
const maxDependencies = 10

// technology says what the project is made with.
func (f projectFiles) technology() (text, file string) {
	var parts []string
	for _, m := range []struct {
		file string
		read func(string) string
	}{
		{"go.mod", goTechnology},
		{"package.json", f.nodeTechnology},
		{"Cargo.toml", rustTechnology},
		{"pyproject.toml", pythonTechnology},
		{"requirements.txt", f.requirements},
		{"pom.xml", mavenTechnology},
		{"build.gradle", gradleTechnology},
		{"build.gradle.kts", gradleTechnology},
		{"Gemfile", rubyTechnology},
		{"composer.json", phpTechnology},
	} {
		manifest := f.read(m.file)
		if manifest == "" {
			continue
		}
		if part := m.read(manifest); part != "" {
			parts = append(parts, part)
			if file == "" {
				file = m.file
			}
		}
	}
	if len(parts) == 0 {
		return "", ""
	}
	return "Made with " + strings.Join(parts, "; "), file
}

func withList(what string, names []string) string {
	if len(names) == 0 {
		return what
	}
	return what + ", using " + strings.Join(names[:min(maxDependencies, len(names))], ", ")
}

func find(pattern *regexp.Regexp, s string) string {
	if m := pattern.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return ""
}

func findAll(pattern *regexp.Regexp, s string) []string {
	var all []string
	for _, m := range pattern.FindAllStringSubmatch(s, 50) {
		if !slices.Contains(all, m[1]) {
			all = append(all, m[1])
		}
	}
	return all
}

type manifestPatterns struct {
	goVersion, goModule, goRequire, gem, rubyVersion, javaVersion, mavenDependency, gradlePlugin, gradleDependency, requirement *regexp.Regexp
}

var inManifests = sync.OnceValue(func() manifestPatterns {
	re := regexp.MustCompile
	return manifestPatterns{
		goVersion: re(`(?m)^go\s+(\S+)`), goModule: re(`(?m)^module\s+(\S+)`),
		goRequire: re(`(?m)^(?:require)?\s+([\w./~-]+\.[\w./~-]+)\s+v[\w.+-]+\s*$`),
		gem:       re(`(?m)^\s*gem\s+['"]([\w-]+)['"]`), rubyVersion: re(`(?m)^\s*ruby\s+['"]([\d.]+)['"]`),
		javaVersion:     re(`<(?:maven\.compiler\.(?:release|source)|java\.version)>([\d.]+)<`),
		mavenDependency: re(`(?s)<dependency>.*?<artifactId>([\w.-]+)</artifactId>`),
		gradlePlugin:    re(`(?m)^\s*(?:id|kotlin|alias)\s*\(?\s*["']([\w.-]+)["']`), gradleDependency: re(`(?m)^\s*(?:implementation|api|testImplementation)\s*\(?\s*["'][\w.-]+:([\w.-]+)`),
		requirement: re(`(?m)^([A-Za-z][\w.-]*)(?:\[[\w,]+\])?\s*(?:[=<>~!;@].*)?$`),
	}
})

func goTechnology(mod string) string {
	p := inManifests()
	part := "Go"
	if v := find(p.goVersion, mod); v != "" {
		part += " " + v
	}
	if m := find(p.goModule, mod); m != "" {
		part += " (module " + m + ")"
	}
	return withList(part, findAll(p.goRequire, mod))
}

// packageManifest is what is used of package.json.
type packageManifest struct {
	Description     string            `json:"description"`
	Scripts         map[string]string `json:"scripts"`
	Dependencies    map[string]string `json:"dependencies"`
	DevDependencies map[string]string `json:"devDependencies"`
	PackageManager  string            `json:"packageManager"`
	Engines         map[string]string `json:"engines"`
}

func (f projectFiles) nodeTechnology(manifest string) string {
	p := fromJSON[packageManifest](manifest)
	if len(p.Dependencies)+len(p.DevDependencies)+len(p.Scripts) == 0 {
		return ""
	}
	part := "Node.js"
	if v := p.Engines["node"]; v != "" {
		part += " " + v
	}
	if _, typed := p.DevDependencies["typescript"]; typed {
		part = "TypeScript on " + part
	}
	if manager := f.packageManager(p); manager != "" {
		part += " with " + manager
	}
	return withList(part, slices.Sorted(maps.Keys(p.Dependencies)))
}

func (f projectFiles) packageManager(p packageManifest) string {
	if name, _, ok := strings.Cut(p.PackageManager, "@"); ok {
		return name
	}
	for _, lock := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}, {"package-lock.json", "npm"}} {
		if f.has(lock[0]) {
			return lock[1]
		}
	}
	return ""
}

func rustTechnology(manifest string) string {
	c := fromTOML[struct {
		Package struct {
			Edition any `toml:"edition"` // a workspace may hold it
			Rust    any `toml:"rust-version"`
		} `toml:"package"`
		Dependencies map[string]any `toml:"dependencies"`
	}](manifest)
	part := "Rust (cargo)"
	if edition, ok := c.Package.Edition.(string); ok {
		part = "Rust " + edition + " (cargo)"
	}
	return withList(part, slices.Sorted(maps.Keys(c.Dependencies)))
}

func pythonTechnology(manifest string) string {
	p := fromTOML[struct {
		Project struct {
			Python       string   `toml:"requires-python"`
			Dependencies []string `toml:"dependencies"`
		} `toml:"project"`
		Tool struct {
			Poetry struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"poetry"`
		} `toml:"tool"`
	}](manifest)
	part := "Python"
	if p.Project.Python != "" {
		part += " " + p.Project.Python
	}
	switch {
	case len(p.Tool.Poetry.Dependencies) > 0:
		part += " with poetry"
		if v, ok := p.Tool.Poetry.Dependencies["python"].(string); ok {
			part = "Python " + v + " with poetry"
		}
	case strings.Contains(manifest, "[tool.uv"):
		part += " with uv"
	}
	var names []string
	for _, d := range p.Project.Dependencies {
		if name := find(inManifests().requirement, d); name != "" {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Tool.Poetry.Dependencies)) {
		if name != "python" {
			names = append(names, name)
		}
	}
	return withList(part, names)
}

func (f projectFiles) requirements(list string) string {
	if f.has("pyproject.toml") {
		return ""
	}
	return withList("Python (requirements.txt)", findAll(inManifests().requirement, list))
}

func mavenTechnology(pom string) string {
	p := inManifests()
	part := "Java"
	if v := find(p.javaVersion, pom); v != "" {
		part += " " + v
	}
	return withList(part+" (Maven)", findAll(p.mavenDependency, pom))
}

func gradleTechnology(script string) string {
	p := inManifests()
	part := "Java (Gradle)"
	if strings.Contains(script, "kotlin") {
		part = "Kotlin (Gradle)"
	}
	return withList(part, append(findAll(p.gradlePlugin, script), findAll(p.gradleDependency, script)...))
}

func rubyTechnology(gemfile string) string {
	p := inManifests()
	part := "Ruby"
	if v := find(p.rubyVersion, gemfile); v != "" {
		part += " " + v
	}
	return withList(part+" (bundler)", findAll(p.gem, gemfile))
}

func phpTechnology(manifest string) string {
	c := fromJSON[struct {
		Require map[string]string `json:"require"`
	}](manifest)
	part := "PHP"
	if v := c.Require["php"]; v != "" {
		part += " " + v
	}
	var names []string
	for _, name := range slices.Sorted(maps.Keys(c.Require)) {
		if strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	return withList(part+" (composer)", names)
}
