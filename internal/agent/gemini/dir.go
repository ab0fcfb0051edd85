package gemini

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// place finds the folder that a session works in: what the session says itself,
// then what Gemini CLI notes about the project, the one whose hash the session
// has before the others.
func (p *parser) place() string {
	candidates := slices.Concat(p.said, p.directories, p.noted())
	for _, dir := range candidates {
		sum := sha256.Sum256([]byte(dir))
		if hex.EncodeToString(sum[:]) == p.project {
			return dir
		}
	}
	if len(candidates) > 0 {
		return candidates[0]
	}
	return ""
}

// noted reads which folder Gemini CLI gave the project's name to.
func (p *parser) noted() (dirs []string) {
	rel, err := filepath.Rel(filepath.Join(p.home, "tmp"), p.path)
	if err != nil {
		return nil
	}
	slug := strings.Split(filepath.ToSlash(rel), "/")[0]
	if b, err := os.ReadFile(filepath.Join(p.home, "tmp", slug, ".project_root")); err == nil {
		if dir := strings.TrimSpace(string(b)); dir != "" {
			dirs = append(dirs, dir)
		}
	}
	var registry struct {
		Projects map[string]string `json:"projects"`
	}
	b, err := os.ReadFile(filepath.Join(p.home, "projects.json"))
	if err != nil || json.Unmarshal(b, &registry) != nil {
		return dirs
	}
	for _, dir := range slices.Sorted(maps.Keys(registry.Projects)) {
		if registry.Projects[dir] == slug {
			dirs = append(dirs, dir)
		}
	}
	return dirs
}

// workspace reads the folders out of what Gemini CLI tells the model at the
// beginning.
func workspace(text string) (dirs []string) {
	_, list, ok := strings.Cut(text, "**Workspace Directories:**\n")
	if !ok {
		return nil
	}
	for line := range strings.Lines(list) {
		dir, ok := strings.CutPrefix(strings.TrimSpace(line), "- ")
		if !ok || strings.HasPrefix(dir, "**") {
			break
		}
		dirs = append(dirs, dir)
	}
	return dirs
}
