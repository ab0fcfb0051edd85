package redact

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzText(f *testing.F) {
	for _, seed := range []string{
		"", "plain text", "a <private>b</private> c <private>", "password=hunter22 token: abc\xff", "[REDACTED:x][REDACTED",
		"curl -u é:ü https://é:üüüü@x", "kind: Secret\ndata:\n  a: |\n    aaaaaaaaaaaa", "Cookie: a=b; ü=1", pem, jwt, githubToken + githubToken,
		"-----BEGIN PRIVATE KEY-----", "Authorization: Basic dXNlcjpwYXNz", "key=AKIAQYLPMN5HHHFPZAM2AKIAQYLPMN5HHHFPZAM2",
		`{"a":"password","b":"\"tr0ub4dor\""}`, "data:image/png;base64,AAAA password is `x1y2z3`",
	} {
		f.Add(seed)
	}
	for i, v := range readVectors(f) {
		if i%200 == 0 {
			f.Add(v.Text)
		}
	}
	r := newRedactor(f, WithPattern("word", `\bZZ\w+`))
	f.Fuzz(func(t *testing.T, s string) {
		out, found := r.Text(s)
		at := 0
		var rest strings.Builder
		for _, finding := range found {
			if finding.Start < at || finding.End <= finding.Start || finding.End > len(s) {
				t.Fatalf("findings %v overlap or leave the text of %d bytes", found, len(s))
			}
			rest.WriteString(s[at:finding.Start] + marker(finding.Rule))
			at = finding.End
		}
		if rest.WriteString(s[at:]); rest.String() != out {
			t.Fatalf("the output is not the input without its findings: %q", out)
		}
		for _, finding := range found[:min(len(found), maxRepeated)] {
			secret := s[finding.Start:finding.End]
			if finding.Rule != PrivateRule && repeatable(secret) && containsOutsideMarkers(out, secret) {
				t.Fatalf("%q is left in %q", secret, out)
			}
		}
		if utf8.ValidString(s) && !utf8.ValidString(out) {
			t.Fatalf("%q became invalid UTF-8: %q", s, out)
		}
		if again := r.String(out); again != out {
			t.Fatalf("redacted again, %q became %q", out, again)
		}
	})
}

func containsOutsideMarkers(s, secret string) bool {
	at := 0
	for _, m := range markers(s) {
		if strings.Contains(s[at:m.Start], secret) {
			return true
		}
		at = m.End
	}
	return strings.Contains(s[at:], secret)
}
