package main

import (
	"fmt"
	"html"
	"strings"
	"time"
)

// shot is a command with what it printed.
type shot struct {
	command string
	lines   []string
}

// Measures of the picture in pixels, and of its animation.
const (
	lineHeight = 19
	charWidth  = 8.1
	margin     = 18
	columns    = 100
	pause      = 900 * time.Millisecond
)

// draw lets one command after the other appear. A viewer that does not animate
// shows all of them.
func draw(shots []shot) string {
	rows := 0
	for _, s := range shots {
		rows += 1 + len(s.lines) + 1
	}
	width, height := int(columns*charWidth)+2*margin, rows*lineHeight+2*margin+14
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="A session in a terminal">`+"\n", width, height, width, height)
	b.WriteString(`<style>
.frame{fill:#15181d}.dot{fill:#3a4049}
text{font:13.5px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#c9d1d9}
.prompt{fill:#7ee787}.command{fill:#f0f6fc;font-weight:600}.why{fill:#8b949e}.id{fill:#79c0ff}
@media (prefers-reduced-motion:no-preference){.shot{animation:appear .25s both}}
@keyframes appear{from{opacity:0}to{opacity:1}}
</style>
`)
	fmt.Fprintf(&b, `<rect class="frame" width="%d" height="%d" rx="9"/>`+"\n", width, height)
	for i := range 3 {
		fmt.Fprintf(&b, `<circle class="dot" cx="%d" cy="14" r="5"/>`, margin+4+i*17)
	}
	b.WriteString("\n")
	y, at := margin+24, time.Duration(0)
	for _, s := range shots {
		fmt.Fprintf(&b, `<g class="shot" style="animation-delay:%dms">`+"\n", at.Milliseconds())
		fmt.Fprintf(&b, `<text x="%d" y="%d"><tspan class="prompt">$ </tspan><tspan class="command">%s</tspan></text>`+"\n", margin, y, html.EscapeString(s.command))
		y += lineHeight
		for _, l := range s.lines {
			if l != "" {
				fmt.Fprintf(&b, `<text x="%d" y="%d">%s</text>`+"\n", margin, y, styled(l))
			}
			y += lineHeight
		}
		y += lineHeight
		b.WriteString("</g>\n")
		at += pause + time.Duration(len(s.lines))*120*time.Millisecond
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// styled colours what the program itself colours on a terminal.
func styled(line string) string {
	if runes := []rune(line); len(runes) > columns {
		line = string(runes[:columns-1]) + "…"
	}
	escaped := html.EscapeString(line)
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "why:"):
		return `<tspan class="why">` + escaped + `</tspan>`
	case strings.HasPrefix(line, "mem_"):
		id, rest, _ := strings.Cut(escaped, " ")
		return `<tspan class="id">` + id + `</tspan> ` + rest
	}
	return escaped
}
