package session

import (
	"slices"
	"strconv"
	"strings"

	"codememory"
)

// Bounds of what is told about commands that failed.
const (
	maxFailed    = 3
	commandChars = 120
	reasonChars  = 80
)

// failedCommands returns the commands whose last run in the turn failed, newest
// last, each with how it ended. One that succeeded in the end is no news.
func failedCommands(t codememory.Turn) []string {
	seen := map[string]bool{}
	var failed []string
	for _, s := range slices.Backward(t.Steps) {
		c := s.Tool
		if c == nil || !isCommand(*c) || c.Target == "" || seen[c.Target] {
			continue
		}
		seen[c.Target] = true
		if (c.Error != "" || c.Exit != nil && *c.Exit != 0) && len(failed) < maxFailed {
			failed = append(failed, codeSpan(cut(oneLine(c.Target), commandChars))+" ("+ending(*c)+")")
		}
	}
	slices.Reverse(failed)
	return failed
}

// isCommand reports whether a tool ran a command. Not every agent says how it
// ended.
func isCommand(c codememory.ToolCall) bool {
	name := strings.ToLower(c.Name)
	return c.Exit != nil || name == "bash" || strings.Contains(name, "shell")
}

// ending says in a few words how a command failed.
func ending(c codememory.ToolCall) string {
	line, _, _ := strings.Cut(strings.TrimSpace(c.Error), "\n")
	if line = cut(oneLine(line), reasonChars); line != "" {
		return line
	}
	return "exit code " + strconv.Itoa(*c.Exit)
}
