package service

import (
	"errors"
	"os"
	"path/filepath"

	"codememory/internal/atomicfile"
)

const sharedIgnore = `# CodeMemory: the text is committed, what is made from it is not.
/memories.db*
/private/
.codememory-*
`

const privateIgnore = `# CodeMemory: private, nothing here is committed. Run "codememory init --shared" to share the text.
*
`

const readmeText = `# What is here

The memory of this project, kept by CodeMemory for AI coding agents: one small
file per memory under ` + "`memories/`" + `, what was done by day under ` + "`journal/`" + `, one file
per session under ` + "`sessions/`" + `. Read and edit the files as you like; the database
beside them is made from them again. ` + "`codememory list`" + ` shows what is remembered.
`

// layOut makes the folder of a project's own store and returns what it wrote.
func layOut(dir string, shared bool) ([]string, error) {
	ignore := privateIgnore
	if shared {
		ignore = sharedIgnore
	}
	var created []string
	if err := atomicfile.MkdirAll(filepath.Join(dir, "memories"), 0o755); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		name, text string
		keep       bool
	}{
		{".gitignore", ignore, false},
		{"README.md", readmeText, true},
	} {
		path := filepath.Join(dir, f.name)
		old, err := os.ReadFile(path)
		switch {
		case err == nil && (f.keep || string(old) == f.text):
			continue
		case err != nil && !errors.Is(err, os.ErrNotExist):
			return created, err
		}
		if err := atomicfile.Write(path, []byte(f.text), 0o644); err != nil {
			return created, err
		}
		created = append(created, path)
	}
	return created, nil
}
