package redact

import (
	"strings"
	"testing"
	"time"
)

const (
	prose = "The scheduler keeps one queue per project and drains it in order; a failed job is tried again after a minute, then after ten. " +
		"We decided against a shared pool because a slow repository blocked every other one. "
	code = "func (s *Store) Get(ctx context.Context, key string) (*Memory, error) {\n\trow := s.db.QueryRowContext(ctx, query, key)\n" +
		"\tvar m Memory\n\tif err := row.Scan(&m.ID, &m.Token, &m.Access); err != nil {\n\t\treturn nil, fmt.Errorf(\"get %s: %w\", key, err)\n\t}\n\treturn &m, nil\n}\n"
)

func fill(piece string, size int) string {
	return strings.Repeat(piece, size/len(piece)+1)[:size]
}

// hostile are texts made to keep the rules busy.
var hostile = map[string]string{
	"keywords":        "key token secret api auth access password ",
	"assignments":     "key=",
	"values":          "api_key = \"aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5z\" ",
	"almost tokens":   "ghp_x7Rk2mQ9vLp4TzN8wYb3JcH6sDfG1aKe5u-",
	"almost JWTs":     "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.",
	"dashes":          "sk-a-a-a-",
	"long token":      "xai-xai-",
	"services":        "datadog,asana:linear=dropbox>twitter,",
	"URLs":            "http://a:",
	"PEM headers":     "-----BEGIN PRIVATE KEY-----",
	"manifests":       "kind: Secret\ndata:\n",
	"cookies":         "cookie: a=b;",
	"curl":            "curl -u a:b ",
	"private":         "<private><private></private>",
	"markers":         "[REDACTED:a]key=",
	"slack":           "xoxe-1-xoxp-1-xoxb-1-",
	"one letter":      "a",
	"underscores":     "sc_ext_sc_",
	"authress":        "ext_aaaaa.aaaa.acc-aaaaaaaaaa.",
	"base64 in lines": "ZXlKaGJHY2lPaU\n",
}

func BenchmarkText(b *testing.B) {
	texts := map[string]string{"prose": prose, "code": code}
	for name, piece := range hostile {
		texts["hostile "+name] = piece
	}
	r := newRedactor(b)
	for name, piece := range texts {
		text := fill(piece, 2048)
		b.Run(strings.ReplaceAll(name, " ", "-"), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Text(text)
			}
		})
	}
}

// BenchmarkFirstText measures a fresh redactor: the table of keywords, and the
// patterns that the text asks for.
func BenchmarkFirstText(b *testing.B) {
	for name, piece := range map[string]string{"prose": prose, "code": code, "secrets": "GITHUB_TOKEN=" + githubToken + "\n"} {
		text := fill(piece, 2048)
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				newRedactor(b).Text(text)
			}
		})
	}
}

// TestHostileTextTakesLinearTime compares a text with one sixteen times as
// long. On a busy machine a measurement may be far too high, so that it counts
// only if it is repeated: quadratic time is too long every time.
func TestHostileTextTakesLinearTime(t *testing.T) {
	if testing.Short() {
		t.Skip("measures time")
	}
	const small, factor, slack, attempts = 2 << 10, 16, 6, 20
	r := newRedactor(t)
	measure := func(text string) time.Duration {
		start := time.Now()
		r.Text(text)
		return time.Since(start)
	}
	for name, piece := range hostile {
		short, long := time.Duration(0), time.Duration(0)
		linear := false
		for attempt := 0; attempt < attempts && !linear; attempt++ {
			short, long = measure(fill(piece, small)), measure(fill(piece, factor*small))
			linear = long <= slack*factor*short
		}
		if !linear {
			t.Errorf("%s: %v for %d bytes, %v for %d times as much", name, short, small, long, factor)
		}
	}
}
