package install

import (
	"strings"

	"github.com/rogpeppe/go-internal/diff"

	"codememory/internal/redact"
)

// longestLine is what is shown of a line. Some programs write their settings
// as a single one.
const longestLine = 300

// Diff shows what the change does to a file, as people know it from git. Where
// the file has secrets beside our part they are left out.
func (c Change) Diff() string {
	if c.Folder || c.Action == Keep {
		return ""
	}
	before, after := c.Path, c.Path
	if c.before == nil {
		before = "/dev/null"
	}
	if c.Action == Remove {
		after = "/dev/null"
	}
	text := string(diff.Diff(before, c.before, after, c.data))
	if _, rest, ok := strings.Cut(text, "\n"); ok && strings.HasPrefix(text, "diff ") {
		text = rest
	}
	r, err := redact.New()
	if err != nil {
		return ""
	}
	var b strings.Builder
	for line := range strings.Lines(r.String(text)) {
		line = strings.TrimRight(line, "\r\n")
		if len(line) > longestLine {
			line = strings.ToValidUTF8(line[:longestLine], "") + "…"
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}
