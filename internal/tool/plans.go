package tool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codememory"
)

// maxPlan is the most that is read of a plan file.
const maxPlan = 256 << 10

// planFolders are where OpenCode saves plans: in its data, and in a project.
func (r *Router) planFolders(project string) []string {
	var dirs []string
	if r.opts.Data != "" {
		dirs = append(dirs, filepath.Join(r.opts.Data, "opencode", "plans"))
	}
	if filepath.IsAbs(project) {
		dirs = append(dirs, filepath.Join(project, ".opencode", "plans"))
	}
	return dirs
}

// plans lists the plan files, newest first, or reads one.
func (r *Router) plans(_ context.Context, c call) (string, error) {
	type file struct {
		name string
		at   time.Time
		size int64
	}
	var files []file
	name, exists := c.args.word("read", "file"), false
	for _, dir := range r.planFolders(c.Project) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			continue
		}
		exists = true
		if name != "" {
			text, err := readPlan(root, name)
			if closeErr := root.Close(); err == nil {
				err = closeErr
			}
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return text, err
		}
		entries, err := fs.ReadDir(root.FS(), ".")
		_ = root.Close()
		if err != nil {
			return "", codememory.Errorf(codememory.Unavailable, "the plans in %s cannot be read: %w", dir, err)
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), ".md") {
				files = append(files, file{e.Name(), info.ModTime(), info.Size()})
			}
		}
	}
	switch {
	case !exists:
		return "No plans directory found.", nil
	case name != "":
		return fmt.Sprintf("Plan not found: %s. memory({tool: \"plans\"}) lists the plans.", inline(name, 100)), nil
	case len(files) == 0:
		return "No plans found.", nil
	}
	slices.SortStableFunc(files, func(a, b file) int { return b.at.Compare(a.at) })
	var b strings.Builder
	b.WriteString("# Plans\n\n| File | Modified | Size |\n|------|----------|------|\n")
	for _, f := range files[:min(len(files), 100)] {
		fmt.Fprintf(&b, "| %s | %s | %d |\n", cell(f.name, 120), r.clock(f.at), f.size)
	}
	b.WriteString("\nUse memory({tool: \"plans\", args: {read: \"<file>\"}}) to read one.")
	return b.String(), nil
}

// readPlan reads a plan of a folder. The folder is opened as a root, so that
// neither the name nor a link leads out of it.
func readPlan(root *os.Root, name string) (string, error) {
	if name != filepath.Base(name) || strings.ContainsAny(name, `/\`) || !strings.HasSuffix(name, ".md") {
		return "", codememory.Errorf(codememory.Invalid, "%q is not the name of a plan: give the file name as memory({tool: \"plans\"}) lists it.", inline(name, 100))
	}
	f, err := root.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		return "", codememory.Errorf(codememory.Forbidden, "the plan %s cannot be read: %w", name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", codememory.Errorf(codememory.Invalid, "%s is not a file.", name)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxPlan))
	if err != nil {
		return "", fmt.Errorf("read the plan %s: %w", name, err)
	}
	return harmless(string(text)), nil
}
