package install

import (
	"embed"
	"path"
	"path/filepath"
	"strings"
)

// rulesText tells agents when to search and when to save, where no hook does it
// for them.
//
//go:embed text/rules.md
var rulesText string

//go:embed text/skills
var skillFiles embed.FS

// skillMark is in every skill of ours, whatever its version.
const skillMark = "<!-- codememory:skill"

// skills puts our skills into a folder of skills.
func skills(dir string) []part {
	var parts []part
	for _, name := range []string{"memory-recall", "memory-handoff"} {
		text, err := skillFiles.ReadFile(path.Join("text", "skills", name, "SKILL.md"))
		if err != nil {
			panic(err) // it is part of the program
		}
		parts = append(parts, part{path: filepath.Join(dir, name, "SKILL.md"), why: "a skill", edit: whole{text, []byte(skillMark)}})
	}
	return parts
}

// rules puts the rules into a file of instructions.
func rules(file string) part {
	return part{path: file, why: "when to search and to save", edit: block{strings.TrimSpace(rulesText)}}
}

const cursorHead = `---
description: When to search and to save memories (CodeMemory)
alwaysApply: true
---
`

// cursorRule is the file of its own that Cursor wants.
func cursorRule(dir string) part {
	return part{
		path: filepath.Join(dir, "codememory.mdc"), why: "when to search and to save",
		edit: whole{[]byte(cursorHead + block{strings.TrimSpace(rulesText)}.lines()), []byte(blockBegin)},
	}
}
