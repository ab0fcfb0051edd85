package extract

import (
	"regexp"
	"strings"
	"sync"
)

type pastePatterns struct{ log, code, intro *regexp.Regexp }

var paste = sync.OnceValue(func() pastePatterns {
	return pastePatterns{
		log:  regexp.MustCompile(`^(?:\[?\d{4}-\d\d-\d\d|\[?\d\d:\d\d:\d\d|(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|FAIL|PASS)\b[:\s\]]|ok\s{2,}|npm (?:ERR!|WARN|error)|\s*at \S+ ?\(|\s*File ".+", line \d+|Traceback |goroutine \d+|panic:|---? FAIL|=== RUN|\$ |❯ |➜ |# ?\w+@|error(?:\[\w+\])?:|warning:|fatal:|\S+\.(?:go|py|ts|tsx|js|rs|java|c|cpp|rb):\d+|[+-]{3} [ab/]|@@ |diff --git|index [0-9a-f]{7}|HTTP/\d|<[a-z!/][^>]*>\s*$|\{.*\}\s*$|\S+=\S+\s*$)`),
		code: regexp.MustCompile(`^\s*(?:import|from \S+ import|export|const|let|var|func|def|class|public|private|return|if \(|for \(|while \(|package|#include|using|SELECT|INSERT|UPDATE|CREATE)\s.*[({;=:]|^\s*//|^\s*/?\*|^\s*\|`),
		// What follows on the next lines is somebody else's text.
		intro: regexp.MustCompile(`(?i)\b(?:output|log|logs|error|stack ?trace|trace|says?|said|docs?|documentation|readme|message|got this|page|article|blog(?: post)?|issue|ticket|email|e-mail|mail|thread|comment|wrote|writes|pasted?|quote|transcript|result|reply|response|answer|from (?:stack ?overflow|chatgpt|the web))\b[^.!?]{0,60}:$`),
	}
})

// pasted reports whether a line was copied from a program rather than typed:
// a log, a trace, code.
func pasted(line string) bool {
	if trimmed := strings.TrimRight(line, " \t"); trimmed != "" && strings.IndexByte(";{}", trimmed[len(trimmed)-1]) >= 0 || strings.HasSuffix(trimmed, "=>") {
		return true
	}
	p := paste()
	return p.log.MatchString(line) || p.code.MatchString(line)
}

// withoutPastes drops paragraphs that were pasted: those that a line like "the
// log says:" introduces, and those of which a good part looks like a program's.
func withoutPastes(text string) string {
	var out []string
	announced := false
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.Trim(paragraph, "\n"), "\n")
		foreign := 0
		for _, line := range lines {
			if pasted(line) {
				foreign++
			}
		}
		if announced || foreign > 0 && foreign*3 >= len(lines) {
			announced = false
			continue
		}
		for i, line := range lines {
			if line = strings.TrimSpace(line); strings.HasSuffix(line, ":") && paste().intro.MatchString(line) {
				announced = i == len(lines)-1
				lines = lines[:i]
				break
			}
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return strings.Join(out, "\n\n")
}
