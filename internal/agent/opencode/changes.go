package opencode

import (
	"path"
	"slices"
	"strings"

	"codememory"
)

// changed says what a tool did to files, as far as its kind and its own record
// tell. What a command did is not guessed at: OpenCode records that as a patch.
func (t *tool) changed(in fields, dir string) []codememory.FileChange {
	file := in.FilePath
	if file == "" {
		file = in.FilePath2
	}
	switch t.name {
	case "write":
		kind := codememory.FileModified
		if t.meta.Exists != nil && !*t.meta.Exists || t.meta.Exists == nil && newFile(t.meta.Diff) {
			kind = codememory.FileCreated
		}
		return change(nil, dir, file, kind)
	case "edit", "multiedit":
		kind := codememory.FileModified
		if newFile(t.meta.Diff) {
			kind = codememory.FileCreated
		}
		return change(nil, dir, file, kind)
	case "patch", "apply_patch":
		if len(t.meta.Files) > 0 {
			return t.meta.patched(dir)
		}
		return patchText(in.PatchText, dir)
	}
	return nil
}

// newFile reports whether a diff is against nothing.
func newFile(diff string) bool {
	return strings.Contains(diff, "\n@@ -0,0 ") || strings.Contains(diff, "--- /dev/null\n")
}

// patched reads what apply_patch says it did.
func (m toolMeta) patched(dir string) (out []codememory.FileChange) {
	for _, f := range m.Files {
		switch f.Type {
		case "add":
			out = change(out, dir, f.FilePath, codememory.FileCreated)
		case "delete":
			out = change(out, dir, f.FilePath, codememory.FileDeleted)
		case "move":
			out = change(out, dir, f.FilePath, codememory.FileDeleted)
			out = change(out, dir, f.MovePath, codememory.FileCreated)
		default:
			out = change(out, dir, f.FilePath, codememory.FileModified)
		}
	}
	return out
}

// patchText reads the headings of a patch in the form that models write.
func patchText(text, dir string) (out []codememory.FileChange) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for heading, kind := range map[string]codememory.ChangeKind{
			"*** Add File: ": codememory.FileCreated, "*** Update File: ": codememory.FileModified, "*** Delete File: ": codememory.FileDeleted,
		} {
			if file, ok := strings.CutPrefix(line, heading); ok {
				out = change(out, dir, file, kind)
			}
		}
	}
	return out
}

func change(list []codememory.FileChange, dir, file string, kind codememory.ChangeKind) []codememory.FileChange {
	if file == "" {
		return list
	}
	return append(list, codememory.FileChange{Path: absolute(dir, file), Change: kind})
}

// absolute joins a file to the session's folder. Sessions may come from another
// system, so it knows the paths of all.
func absolute(dir, file string) string {
	if dir == "" || strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\`) || len(file) > 1 && file[1] == ':' {
		return file
	}
	if strings.Contains(dir, `\`) {
		return strings.TrimRight(dir, `\`) + `\` + file
	}
	return path.Join(dir, file)
}

// creditPatch gives the files that a step changed, and that no tool of the step
// names, to the tool that most likely did it: the last command, else the last
// tool.
func creditPatch(steps []codememory.Step, files []string, diffs []fileDiff, dir string) {
	var doer *codememory.ToolCall
	named := map[string]bool{}
	for i := range steps {
		call := steps[i].Tool
		if call == nil {
			continue
		}
		for _, c := range call.Changed {
			named[c.Path] = true
		}
		if doer == nil || call.Name == "bash" || doer.Name != "bash" {
			doer = call
		}
	}
	if doer == nil {
		return
	}
	for _, file := range files {
		file = absolute(dir, file)
		if !named[file] {
			named[file] = true
			doer.Changed = append(doer.Changed, codememory.FileChange{Path: file, Change: status(file, diffs)})
		}
	}
}

// status looks up what the turn did to a file in the end. The list has paths
// relative to the root of the work tree, which may be above the session's
// folder.
func status(file string, diffs []fileDiff) codememory.ChangeKind {
	slash := strings.ReplaceAll(file, `\`, "/")
	i := slices.IndexFunc(diffs, func(d fileDiff) bool {
		return d.File != "" && (slash == d.File || strings.HasSuffix(slash, "/"+d.File))
	})
	if i < 0 {
		return codememory.FileModified
	}
	switch diffs[i].Status {
	case "added":
		return codememory.FileCreated
	case "deleted":
		return codememory.FileDeleted
	}
	return codememory.FileModified
}
