package render

import "strings"

const noticeOpen = `<codememory kind="notice">`

// Notice frames a line of CodeMemory's own, as opposed to remembered text, so
// that capture knows it again.
func Notice(line string) string {
	if line = strings.TrimSpace(line); line == "" {
		return ""
	}
	return noticeOpen + "\n" + inline(line) + "\n" + closeTag
}
