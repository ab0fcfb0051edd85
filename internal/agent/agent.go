// Package agent lists the coding agents whose records CodeMemory reads. What is
// particular to one of them is in the package named after it.
package agent

import (
	"path/filepath"

	"codememory"
	"codememory/internal/agent/claudecode"
	"codememory/internal/agent/codex"
	"codememory/internal/agent/copilot"
	"codememory/internal/agent/gemini"
	"codememory/internal/agent/opencode"
	"codememory/internal/render"
)

// Transcripts returns the readers of all agents. getenv is os.Getenv outside of
// tests. Nothing is opened before it is needed.
func Transcripts(getenv func(string) string) []codememory.Transcripts {
	return []codememory.Transcripts{
		opencode.New(opencode.Options{Env: getenv, Strip: render.Strip}),
		claudecode.New(claudecode.Options{Env: getenv, Strip: render.Strip}),
		codex.New(codex.Options{Env: getenv, Strip: render.Strip}),
		gemini.New(gemini.Options{Env: getenv, Strip: render.Strip}),
		copilot.New(copilot.Options{Env: getenv, Strip: render.Strip}),
	}
}

// DataDir is the folder in which agents keep their data.
func DataDir(getenv func(string) string) string {
	if dir := getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return dir
	}
	home := getenv("HOME")
	if home == "" {
		home = getenv("USERPROFILE")
	}
	return filepath.Join(home, ".local", "share")
}
