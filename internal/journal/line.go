package journal

import (
	"fmt"
	"path/filepath"
	"strings"

	"codememory"
)

// ToolLine renders one use of a tool with its outcome on one line, such as
// "edit internal/auth/token.go" or "go test ./... → exit 1: 2 failures".
func ToolLine(c codememory.ToolCall, dir string) string {
	line := subjectOf(c, dir)
	if out := outcome(c); out != "" {
		line += " → " + out
	}
	return line
}

// isCommand reports whether the tool runs a command line.
func isCommand(c codememory.ToolCall) bool {
	switch strings.ToLower(c.Name) {
	case "bash", "shell", "exec", "exec_command", "run_shell_command", "local_shell", "powershell":
		return true
	}
	return false
}

func subjectOf(c codememory.ToolCall, dir string) string {
	target := oneLine(relative(c.Target, dir), 120)
	switch {
	case isCommand(c) && target != "":
		return "`" + strings.ReplaceAll(target, "`", "'") + "`"
	case target == "":
		return c.Name
	}
	return c.Name + " " + target
}

// outcome is what became of a call: an exit code that is not zero with the
// line that says most, an error, or nothing when it simply worked.
func outcome(c codememory.ToolCall) string {
	switch {
	case c.Running:
		return "not finished"
	case c.Error != "":
		return "error: " + oneLine(c.Error, 120)
	case c.Exit != nil && *c.Exit != 0:
		if why := tellingLine(c.Output); why != "" {
			return fmt.Sprintf("exit %d: %s", *c.Exit, why)
		}
		return fmt.Sprintf("exit %d", *c.Exit)
	case c.Exit != nil:
		return "ok"
	}
	return ""
}

// tellingLine picks the line of a failing command's output that best says why.
func tellingLine(output string) string {
	var last string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		low := strings.ToLower(line)
		for _, mark := range []string{"error", "fail", "panic", "cannot", "not found", "undefined", "exception", "denied", "refused"} {
			if strings.Contains(low, mark) {
				return oneLine(line, 120)
			}
		}
		last = line
	}
	return oneLine(last, 120)
}

// relative shortens a path inside the session's folder.
func relative(path, dir string) string {
	if dir == "" || !filepath.IsAbs(path) {
		return path
	}
	rel, err := filepath.Rel(dir, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return path
	}
	return filepath.ToSlash(rel)
}

// oneLine folds white space and cuts at a word.
func oneLine(s string, most int) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	cut := strings.ToValidUTF8(s[:most], "")
	if i := strings.LastIndexByte(cut, ' '); i > most/2 {
		cut = cut[:i]
	}
	return cut + "…"
}
