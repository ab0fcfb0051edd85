package text

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEntitiesFindsNamedThings(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"tools and libraries", "We use FastAPI with PostgreSQL and Redis in Docker.", "fastapi/framework postgres/tool redis/tool docker/tool"},
		{"aliases", "py.test on k8s with Node.js", "pytest/tool kubernetes/tool node.js/framework"},
		{"plural", "JWTs and webhooks", "jwt/protocol webhook/protocol"},
		{"files", "Fix src/auth/token.go and ./docker-compose.yml", "src/auth/token.go/file docker-compose.yml/file"},
		{"errors", "open: ENOENT, then SQLITE_BUSY and a ValueError", "enoent/error sqlite_busy/error valueerror/error"},
		{"packages", "import github.com/spf13/cobra and @tanstack/react-query", "github.com/spf13/cobra/library @tanstack/react-query/library"},
		{"symbols", "parseConfig calls get_user and os.ReadFile()", "parseconfig/symbol get_user/symbol os.readfile/symbol"},
		{"backticked words", "set `retries` high", "retries/other"},
		{"ordinary words are not names", "go and make a cursor black, rest express e.g. i.e.", ""},
		{"written as names they are", "Use Go and Make", "go/library make/tool"},
		{"phrases", "rate limiting with a circuit breaker", "rate limiting/pattern circuit breaker/pattern"},
		{"urls are not files", "see https://example.com/a/b.go", ""},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, e := range Entities(tt.text) {
				got = append(got, e.Name+"/"+string(e.Type))
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestEntityNameResolvesAliases(t *testing.T) {
	for in, want := range map[string]string{
		"Py.Test": "pytest", "PostgreSQL": "postgres", "K8s": "kubernetes", "Docker Compose": "docker-compose",
		"OAuth2": "oauth", "Next.JS": "next.js", "myService": "myservice", " `FooError` ": "fooerror",
	} {
		if got := EntityName(in); got != want {
			t.Errorf("EntityName(%q) = %q, want %q", in, got, want)
		}
	}
	if !SameEntity("rate-limiters", "rate limiter") || SameEntity("redis", "react") {
		t.Error("SameEntity confuses names")
	}
}
