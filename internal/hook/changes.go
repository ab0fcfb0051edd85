package hook

import (
	"strings"

	"codememory"
)

// changes says what a tool did to files, as far as its name and its result
// tell. What a command did is not guessed at.
func changes(tool string, in, result payload, file, commandLine, dir string) []codememory.FileChange {
	kind := codememory.FileModified
	switch fold(tool) {
	case "applypatch":
		return patched(orElse(commandLine, in.text("input", "patch", "patchText")), dir)
	case "write", "create", "writefile", "createfile":
		if isNew(tool, result) {
			kind = codememory.FileCreated
		}
	case "edit", "multiedit", "notebookedit", "replace", "strreplace", "insert", "replacestringinfile", "inserteditintofile", "editfile":
	case "": // an event that is only about edits
		if commandLine != "" {
			return nil
		}
	default:
		return nil
	}
	if file == "" {
		return nil
	}
	return []codememory.FileChange{{Path: join(dir, file), Change: kind}}
}

// isNew reports whether a written file was not there before.
func isNew(tool string, result payload) bool {
	switch fold(tool) {
	case "create", "createfile": // these refuse to overwrite
		return true
	}
	if text := result.text("text_result_for_llm", "textResultForLlm"); text != "" { // Copilot's create, under another name
		return strings.HasPrefix(text, "Created file ")
	}
	if result.text("type") == "create" { // Claude Code
		return true
	}
	shown := object(result["returnDisplay"]) // Gemini
	return string(shown["isNewFile"]) == "true" || shown.has("originalContent") && shown.text("originalContent") == ""
}

func isPatch(text string) bool { return strings.HasPrefix(text, "*** Begin Patch") }

// patched reads the headings of a patch in the form that models write.
func patched(text, dir string) (out []codememory.FileChange) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, h := range []struct {
			heading string
			kind    codememory.ChangeKind
		}{
			{"*** Add File: ", codememory.FileCreated},
			{"*** Update File: ", codememory.FileModified},
			{"*** Delete File: ", codememory.FileDeleted},
			{"*** Move to: ", codememory.FileCreated},
		} {
			file, ok := strings.CutPrefix(line, h.heading)
			if !ok || file == "" {
				continue
			}
			if h.heading == "*** Move to: " && len(out) > 0 {
				out[len(out)-1].Change = codememory.FileDeleted
			}
			out = append(out, codememory.FileChange{Path: join(dir, file), Change: h.kind})
		}
	}
	return out
}
