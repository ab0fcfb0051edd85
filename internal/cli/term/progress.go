package term

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// redrawEvery keeps a fast job from flooding the terminal.
const redrawEvery = 100 * time.Millisecond

// Progress is a single line that says how far a job is. The zero Progress
// draws nothing, so callers need not ask whether there is a terminal.
type Progress struct {
	w       io.Writer
	columns int
	now     func() time.Time

	mu    sync.Mutex
	drawn bool
	last  time.Time
}

// NewProgress returns a progress line on w, which must be a terminal.
func NewProgress(w io.Writer, columns int) *Progress {
	return &Progress{w: w, columns: columns, now: time.Now}
}

// Set shows that done of total are finished; a total of 0 means it is unknown.
func (p *Progress) Set(what string, done, total int) {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.drawn && done != total && now.Sub(p.last) < redrawEvery {
		return
	}
	p.drawn, p.last = true, now
	fmt.Fprint(p.w, "\r\x1b[K"+Truncate(progressLine(what, done, total, p.columns-1), p.columns-1))
}

// Done removes the line.
func (p *Progress) Done() {
	if p.w == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.drawn = false
	}
}

// progressLine draws a bar as long as the line allows.
func progressLine(what string, done, total, columns int) string {
	if total <= 0 {
		return fmt.Sprintf("%s %d", what, done)
	}
	const longest, shortest = 24, 6
	done = min(max(done, 0), total)
	numbers := fmt.Sprintf("%d/%d %d%%", done, total, done*100/total)
	bar := columns - Width(what) - len(" [] ") - len(fmt.Sprintf("%d/%d 100%%", total, total))
	if bar < shortest {
		return what + " " + numbers
	}
	bar = min(bar, longest)
	filled := done * bar / total
	return fmt.Sprintf("%s [%s%s] %s", what, strings.Repeat("#", filled), strings.Repeat("-", bar-filled), numbers)
}
