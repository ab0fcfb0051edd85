package tool

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
)

// section is a heading of a markdown file with what stands below it.
type section struct {
	file    string
	level   int // 0: what stands before the first heading
	heading string
	parent  string // the heading that this one is under
	start   int    // line of the heading, from 1
	end     int    // last line before the next heading
	last    int    // last line before the next heading that is not below this one
	body    string // from start to end
	anchor  anchor
}

// anchor names the turn that a section sums up.
type anchor struct {
	session, turn, agent string
}

var (
	headingOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$`) })
	fenceOf   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^ {0,3}(`{3,}|~{3,})(.*)$") })
	anchorOf  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<!-- session:(\S+) turn:(\S+)(?: agent:(\S+))?[^>]*-->`)
	})
	commentOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?-->`) })
)

// sectionsOf takes a markdown file apart. A "#" inside of a code block is no heading.
func sectionsOf(file, text string) []section {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	all := []section{{file: file, start: 1}}
	fence := ""
	for i, line := range lines {
		if m := fenceOf().FindStringSubmatch(line); m != nil {
			switch {
			case fence == "":
				fence = m[1]
			case m[1][0] == fence[0] && len(m[1]) >= len(fence) && strings.TrimSpace(m[2]) == "":
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		if m := headingOf().FindStringSubmatch(line); m != nil {
			all = append(all, section{file: file, level: len(m[1]), heading: m[2], start: i + 1})
		}
	}
	var out []section
	for i := range all {
		s := &all[i]
		s.end, s.last = len(lines), len(lines)
		if i+1 < len(all) {
			s.end = all[i+1].start - 1
		}
		for _, later := range all[i+1:] {
			if later.level <= s.level {
				s.last = later.start - 1
				break
			}
		}
		for j := i - 1; j >= 0 && s.parent == ""; j-- {
			if all[j].level < s.level {
				s.parent = all[j].heading
				break
			}
		}
		if s.end < s.start {
			continue
		}
		s.body = strings.TrimRight(strings.Join(lines[s.start-1:s.end], "\n"), "\n")
		if m := anchorOf().FindStringSubmatch(s.body); m != nil {
			s.anchor = anchor{m[1], m[2], m[3]}
		}
		out = append(out, *s)
	}
	return out
}

// said is the text of a section without its heading and comments.
func (s section) said() string {
	body := s.body
	if s.level > 0 {
		_, body, _ = strings.Cut(body, "\n")
	}
	return strings.TrimSpace(commentOf().ReplaceAllString(body, ""))
}

// hash identifies a section as long as its own text stays the same.
func (s section) hash() string {
	return codememory.TextHash(s.file + "\x00" + s.body)[:hashLength]
}

const hashLength = 16
