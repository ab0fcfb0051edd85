package install

import "path/filepath"

// Rules connects nothing: it puts the rules for memory into the files of a
// project that agents read as instructions.
func Rules(m Machine, project string) Integration {
	return Integration{Agent: "rules", Project: project, data: m.Layout.Data, roots: []string{project}, wanted: func(manifest) ([]part, error) {
		return rulesOf(project), nil
	}}
}

// rulesOf chooses the files. Claude Code reads AGENTS.md only where there is no
// CLAUDE.md, the others never read CLAUDE.md.
func rulesOf(dir string) []part {
	var parts []part
	claude, agents := filepath.Join(dir, "CLAUDE.md"), filepath.Join(dir, "AGENTS.md")
	if exists(claude) {
		parts = append(parts, rules(claude))
	}
	if !exists(claude) || exists(agents) {
		parts = append(parts, rules(agents))
	}
	if exists(filepath.Join(dir, ".cursor")) {
		parts = append(parts, cursorRule(filepath.Join(dir, ".cursor", "rules")))
	}
	return parts
}
