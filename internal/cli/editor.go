package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"codememory"
)

// editText lets the user change a memory's text in their editor.
func (p *program) editText(ctx context.Context, m codememory.Memory) (string, error) {
	editor := p.getenv("VISUAL")
	if editor == "" {
		editor = p.getenv("EDITOR")
	}
	if editor == "" {
		return "", usagef("no editor is set: set EDITOR, or give the new text as an argument")
	}
	dir, err := os.MkdirTemp("", "codememory-edit-")
	if err != nil {
		return "", fmt.Errorf("make a place for the text to edit: %w", err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, codememory.ShownID(m.ID)+".md")
	if err := os.WriteFile(file, []byte(m.Text+"\n"), 0o600); err != nil {
		return "", err
	}
	cmd := editorCommand(ctx, editor, file)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = p.in, p.out, p.err
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("editor %s: %w; nothing was changed", editor, err)
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(b))
	if text == "" {
		return "", usagef("the text is empty; nothing was changed (\"codememory forget %s\" forgets it)", codememory.ShownID(m.ID))
	}
	return text, nil
}

// editorCommand runs the editor as git does: through the shell, because EDITOR
// may hold arguments and quotes.
func editorCommand(ctx context.Context, editor, file string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		words := strings.Fields(editor)
		return exec.CommandContext(ctx, words[0], append(words[1:], file)...)
	}
	return exec.CommandContext(ctx, "sh", "-c", editor+` "$1"`, "sh", file)
}
