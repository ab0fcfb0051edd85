package extract

import (
	"regexp"
	"strings"
	"sync"
)

var errorLines = sync.OnceValue(func() []*regexp.Regexp {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(s) }
	// Most telling first.
	return []*regexp.Regexp{
		re(`(?i)(?:connection refused|ECONNREFUSED|EADDRINUSE|address already in use|permission denied|EACCES|no such file or directory|ENOENT|command not found|executable file not found|could not resolve host|getaddrinfo|certificate|no space left|too many open files|database is locked|role "[^"]+" does not exist|relation "[^"]+" does not exist|authentication failed|unauthorized|is not set|must be set|environment variable|missing required|not installed|unsupported (?:engine|version)|requires (?:node|python|go|java)|incompatible|version mismatch|peer dep|ERESOLVE|checksum mismatch|missing go\.sum entry|timed? ?out|ETIMEDOUT)`),
		re(`^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Panic|Warning)\b:?\s+\S`),
		re(`(?i)\b(?:cannot find (?:module|package|name)|module not found|no module named|unresolved import|could not find|cannot import|undefined reference|unknown (?:flag|option|command|field))\b`),
		re(`^(?:panic|fatal error|fatal|error(?:\[\w+\])?|ERROR|Error):\s+\S`),
		re(`^E\s{2,}\S`),
		re(`^\S+\.\w+:\d+(?::\d+)?:?\s+(?:error:?\s+)?\S.{5,}`),
		re(`(?i)\b(?:error|failed|failure|cannot|not found|undefined|denied|refused|exception|unable to)\b`),
	}
})

var (
	environmental = sync.OnceValue(func() *regexp.Regexp { return errorLines()[0] })
	missing       = sync.OnceValue(func() *regexp.Regexp { return errorLines()[2] })
	// nothingSaid are lines that say only that something failed.
	nothingSaid = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:FAIL\b.*|---? FAIL.*|exit (?:status|code) \d+|error: (?:script|process|command|recipe|target|build|test|tests|task|job)\b.{0,40}(?:failed|exited).*|npm (?:ERR!|error) (?:code|errno|syscall|command|A complete log|Lifecycle|Test failed|path|cwd).*|make(?:\[\d+\])?: \*\*\* .*|error Command failed.*|.*\b\d+ (?:failed|failing|errors?|failures?)\b.*|(?:build|tests?|compilation|lint) failed\.?|found \d+ errors?.*|assertionerror:?\s*$|error:?\s*$|failed:?\s*$|process completed with exit code.*|error: could not compile.*|aborting due to.*|\[error\]\s*$)$`)
	})
	failedTest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\S+_test\.go:\d+:\s+`) })
	ansi       = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`) })
	lineNoise  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\[?\d{4}-\d\d-\d\d[T ][\d:.,+Z-]+\]?\s*|\[?\d\d:\d\d:\d\d[.\d]*\]?\s*|npm (?:ERR!|error)\s+|E\s{2,}|\s*[│|❯×✖●✗]\s*)+`)
	})
	assertion = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(?:assert|AssertionError|expect\(|expected\b|want\b|got\b|\S+_test\.go:\d+|E?\s*assert\b)|\b(?:got .* want|want .* got|expected .* (?:to|but|got|received)|not equal|!=)\b`)
	})
)

// telling returns the line of a failed command's output that says what went
// wrong, if one does.
func telling(output, dir string) (string, bool) {
	const looked, most = 200, 160
	var lines []string
	for line := range strings.Lines(ansi().ReplaceAllString(output, "")) {
		if line = strings.TrimSpace(lineNoise().ReplaceAllString(strings.TrimRight(line, "\r\n"), "")); line != "" {
			lines = append(lines, line)
		}
		if len(lines) == looked {
			break
		}
	}
	for _, pattern := range errorLines() {
		for _, line := range lines {
			if said := failedTest().ReplaceAllString(line, ""); said != line && (environmental().MatchString(said) || missing().MatchString(said)) {
				line = said // the test only passes on what went wrong around it
			}
			if !pattern.MatchString(line) || nothingSaid().MatchString(line) || assertion().MatchString(line) {
				continue
			}
			line = strings.ReplaceAll(line, strings.TrimRight(dir, "/")+"/", "")
			line = strings.ReplaceAll(strings.Join(strings.Fields(line), " "), `"`, "'")
			if len(signatureWords(line)) < 2 {
				continue
			}
			return cut(line, most), true
		}
	}
	return "", false
}

var signatureNoise = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`:\d+(?::\d+)?|\b0x[0-9a-f]+\b|\d+(?:\.\d+)*(?:ms|s)?`)
})

// signature is the error apart from numbers and places: the same error has it
// tomorrow too.
func signature(line string) string { return strings.Join(signatureWords(line), " ") }

func signatureWords(line string) []string {
	return strings.FieldsFunc(strings.ToLower(signatureNoise().ReplaceAllString(line, "")), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r == '_' || r > 127)
	})
}
