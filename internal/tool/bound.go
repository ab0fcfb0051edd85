package tool

import (
	"fmt"
	"strings"
)

// maxAnswer is the most bytes of an answer: more would push what the model is
// working on out of its window.
const maxAnswer = 24 << 10

// bounded cuts an answer at a line and says how to get the rest.
func bounded(s string) string {
	if len(s) <= maxAnswer {
		return s
	}
	cut := strings.ToValidUTF8(s[:maxAnswer], "")
	if i := strings.LastIndexByte(cut, '\n'); i > maxAnswer/2 {
		cut = cut[:i]
	}
	if strings.Count(cut, "```")%2 == 1 {
		cut += "\n```"
	}
	return fmt.Sprintf("%s\n\n(cut: %d of %d bytes shown; ask for less at once with limit, maxLength or a narrower query)", cut, len(cut), len(s))
}

// fit keeps the blocks nearest to the one that was asked for until the answer
// is full, and returns how many were left out before and after.
func fit(blocks []string, focus, most int) (kept []string, before, after int) {
	if len(blocks) == 0 {
		return nil, 0, 0
	}
	from, to := focus, focus+1
	size := len(blocks[focus])
	for from > 0 || to < len(blocks) {
		// The side that is nearer to the focus goes first, the past before the future.
		back := from > 0 && (to == len(blocks) || focus-from <= to-1-focus)
		next := to
		if back {
			next = from - 1
		}
		if size += len(blocks[next]) + 2; size > most {
			break
		}
		if back {
			from--
		} else {
			to++
		}
	}
	return blocks[from:to], from, len(blocks) - to
}
