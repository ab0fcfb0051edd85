package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"codememory"
)

// envProject names the project when no flag does.
const envProject = "CODEMEMORY_PROJECT"

// projectRef returns the project to work with: the flag, the environment, or
// the current directory.
func (p *program) projectRef() (string, error) {
	if ref, err := p.namedProject(); ref != "" || err != nil {
		return ref, err
	}
	dir, err := p.workdir()
	if err != nil {
		return "", fmt.Errorf("find the current directory: %w (name a project with --project)", err)
	}
	return dir, nil
}

// namedProject returns the project only if somebody named one. Commands that
// take an id use it: an id is looked for everywhere unless a project is named.
func (p *program) namedProject() (string, error) {
	if p.Project != "" {
		return p.resolveRef(p.Project)
	}
	return p.resolveRef(p.getenv(envProject))
}

// resolveRef makes a folder absolute, because the daemon works in another one;
// everything else is a name, an id or a tag and stays as it is.
func (p *program) resolveRef(ref string) (string, error) {
	if ref == "" || ref == codememory.UserProject {
		return ref, nil
	}
	path := ref
	if rest, ok := strings.CutPrefix(ref, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", fmt.Errorf("find the home directory for %s: %w", ref, err)
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		dir, err := p.workdir()
		if err != nil {
			return "", fmt.Errorf("find the current directory: %w", err)
		}
		path = filepath.Join(dir, path)
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return path, nil
	}
	if looksLikePath(ref) {
		return "", codememory.Errorf(codememory.NotFound, "there is no folder %s: check --project", path)
	}
	return ref, nil
}

// tilde shortens a path in the home directory, for people only.
func (p *program) tilde(path string) string {
	home := p.getenv("HOME")
	if rest, ok := strings.CutPrefix(path, home); ok && len(home) > 1 && strings.HasPrefix(rest, string(os.PathSeparator)) {
		return "~" + rest
	}
	return path
}

// tildes shortens every path in the home directory that a sentence names.
func (p *program) tildes(sentence string) string {
	home := p.getenv("HOME")
	if len(home) < 2 {
		return sentence
	}
	return strings.ReplaceAll(sentence, home+string(os.PathSeparator), "~"+string(os.PathSeparator))
}

func looksLikePath(ref string) bool {
	return ref == "." || ref == ".." || filepath.IsAbs(ref) ||
		strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "../") || strings.HasPrefix(ref, "~/") ||
		os.PathSeparator == '\\' && (strings.HasPrefix(ref, `.\`) || strings.HasPrefix(ref, `..\`))
}

// ref names a memory by what the user typed.
func (p *program) ref(id string) (codememory.Ref, error) {
	if _, ok := codememory.NormalizeIDPrefix(id); !ok {
		return codememory.Ref{}, usagef("%q is not a memory id: it looks like mem_0a1b2c3d; \"codememory list\" shows them", id)
	}
	project, err := p.namedProject()
	return codememory.Ref{Project: project, ID: id}, err
}
