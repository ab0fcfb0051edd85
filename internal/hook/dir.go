package hook

import (
	"path"
	"strings"
)

// folder returns the folder of the session. The working directory moves when a
// model changes it; outside of the folder that the agent was started in, it
// says nothing about the project.
func folder(agent string, p payload, given string, env func(string) string) string {
	root := ""
	if name := folderVariable(agent); name != "" {
		root = native(env(name))
	}
	dir := p.text("cwd")
	if agent == Cursor { // its hooks may run in ~/.cursor
		dir = orElse(p.first("workspace_roots"), dir)
	}
	dir = native(orElse(dir, p.first("workspace_roots"), given))
	switch {
	case dir == "":
		return orElse(root, native(env("CLAUDE_PROJECT_DIR")), env("PWD"))
	case !isAbs(dir):
		return join(orElse(root, env("PWD")), dir)
	case root != "" && !within(root, dir):
		return root
	}
	return dir
}

func orElse(texts ...string) string {
	for _, s := range texts {
		if s != "" {
			return s
		}
	}
	return ""
}

// native undoes the form /c:/Users in which editors write folders on Windows.
func native(dir string) string {
	if len(dir) > 2 && dir[0] == '/' && dir[2] == ':' {
		return dir[1:]
	}
	return dir
}

// isAbs knows the paths of all systems, as payloads in tests and containers may
// come from another.
func isAbs(p string) bool {
	return strings.HasPrefix(p, "/") || strings.HasPrefix(p, `\`) || len(p) > 2 && p[1] == ':'
}

func join(dir, name string) string {
	switch {
	case dir == "" || isAbs(name):
		return name
	case strings.Contains(dir, `\`):
		return strings.TrimRight(dir, `\`) + `\` + name
	}
	return path.Join(dir, name)
}

func within(root, dir string) bool {
	root = strings.TrimRight(strings.ReplaceAll(root, `\`, "/"), "/")
	dir = strings.ReplaceAll(dir, `\`, "/")
	return dir == root || strings.HasPrefix(dir, root+"/")
}
