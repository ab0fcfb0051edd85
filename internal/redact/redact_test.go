package redact

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// The secrets in these tests are put together at run time so that scanners of
// this repository stay quiet.
var (
	githubToken = "ghp_" + "x7Rk2mQ9vLp4TzN8wYb3JcH6sDfG1aKe5uVo"
	awsSecret   = "wJalrXUtnFEMI7" + "K9MDENGbPxRfiCYq2Lm4Np8Zt"
	jwt         = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + ".eyJzdWIiOiIxMjM0NTY3ODkwIn0" + ".dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
	pem         = "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEpQIBAAKCAQEAn6O8li4m98LLYtPKSzEmQ7Loh9P13f4yQ92EF3yxR5MsXFu9\n", 3) + "-----END RSA " + "PRIVATE KEY-----"
)

func TestText(t *testing.T) {
	r := newRedactor(t)
	for _, tt := range []struct{ name, in, want string }{
		{"a private block goes", "a <private>b</private> c", "a [REDACTED] c"},
		{"the tag's case does not matter", "a <PRIVATE>b</Private> c", "a [REDACTED] c"},
		{"private blocks nest", "<private>a<private>b</private>c</private>d", "[REDACTED]d"},
		{"an unclosed private block reaches to the end", "a <private>b\nc", "a [REDACTED]"},
		{"a closing tag alone stays", "a </private> b", "a </private> b"},
		{"a token goes wherever it stands", "use " + githubToken + ".", "use [REDACTED:github-pat]."},
		{"a token after an escaped line break goes", `x\n` + githubToken + `\ny`, `x\n[REDACTED:github-pat]\ny`},
		{"the more telling rule is named", "GITHUB_TOKEN=" + githubToken, "GITHUB_TOKEN=[REDACTED:github-pat]"},
		{"an environment file loses its values", "PORT=8080\nDB_PASSWORD=opensesame\nLOG=debug", "PORT=8080\nDB_PASSWORD=[REDACTED:env-secret]\nLOG=debug"},
		{"exported variables too", `export API_KEY="k3yk3yk3y"`, `export API_KEY="[REDACTED:env-secret]"`},
		{"an environment in JSON loses its values", `"env": {"API_KEY": "k3yk3yk3y", "GRANT_TOKEN": "access_token"}`, `"env": {"API_KEY": "[REDACTED:env-secret]", "GRANT_TOKEN": "access_token"}`},
		{"an AWS secret goes by its name", "aws_secret_access_key = " + awsSecret, "aws_secret_access_key = [REDACTED:generic-api-key]"},
		{"a password in JSON goes", `{"password": "tr0ub4dor&3"}`, `{"password": "[REDACTED:password]"}`},
		{"a password in JSON within JSON goes", `{\"password\": \"tr0ub4dor3\"}`, `{\"password\": \"[REDACTED:password]\"}`},
		{"a password with a backslash goes whole", `password = "tr0ub\4dor"`, `password = "[REDACTED:password]"`},
		{"a secret of a service whose name sounds public goes", "KEYSTONE_PASSWORD=opensesame RAPID_API_KEY=opensesame1", "KEYSTONE_PASSWORD=[REDACTED:env-secret] RAPID_API_KEY=[REDACTED:env-secret]"},
		{"a password in YAML goes", "password: tr0ub4dor", "password: [REDACTED:password]"},
		{"a password in a sentence goes", "The admin password is tr0ub4dor.", "The admin password is [REDACTED:password]."},
		{"a password in a connection string goes", "Server=db;Password=tr0ub4dor;Port=1", "Server=db;Password=[REDACTED:password];Port=1"},
		{"a password on a command line goes", "deploy --password tr0ub4dor --now", "deploy --password [REDACTED:password] --now"},
		{"a password of a name that ends in pass goes", "SMTP_PASS=abc123xyz smtpPass: abc123xyz", "SMTP_PASS=[REDACTED:env-secret] smtpPass: [REDACTED:password]"},
		{"a user's pass goes", "user: admin / pass: tr0ub4dor", "user: admin / pass: [REDACTED:password]"},
		{"a password in .netrc goes", "machine x login me password tr0ub4dor", "machine x login me password [REDACTED:password]"},
		{"a spoken token goes", "the token is `aK3x9QmZ7rT2vB5n`", "the token is `[REDACTED:secret]`"},
		{"a signed URL loses its signature", "https://x/c?sig=Yk3Jx0q1pZr8sT6vW9yB2eH5kM8nQ1tU4wX7zA0cD3g%3D&e=1", "https://x/c?sig=[REDACTED:signed-url]&e=1"},
		{"a token in a clone URL goes, its host stays", "https://x-access-token:" + githubToken + "@github.com/a/b", "https://x-access-token:[REDACTED:url-credentials]@github.com/a/b"},
		{"a long value goes to its end", "PRIVATE_KEY=" + strings.Repeat("aB3dE5fG7h", 200) + " x", "PRIVATE_KEY=[REDACTED:env-secret] x"},
		{"a password in a URL goes", "postgres://app:s3cr3tpw@db.internal:5432/x", "postgres://app:[REDACTED:url-credentials]@db.internal:5432/x"},
		{"a password with an @ in a URL goes whole", "https://app:s3cr@tpw@db.internal/x", "https://app:[REDACTED:url-credentials]@db.internal/x"},
		{"a bearer token goes", "Authorization: Bearer abcDEF123456ghiJKL789", "Authorization: Bearer [REDACTED:authorization-header]"},
		{"basic credentials go", "authorization: Basic dXNlcjpwYXNz", "authorization: Basic [REDACTED:authorization-header]"},
		{"a cookie's value goes, its attributes stay", "Set-Cookie: sid=a81bc81bdead4e5d; Path=/; HttpOnly", "Set-Cookie: sid=[REDACTED:cookie]; Path=/; HttpOnly"},
		{"a JSON web token goes", "got " + jwt + " back", "got [REDACTED:jwt] back"},
		{"a private key goes", "key:\n" + pem + "\nend", "key:\n[REDACTED:private-key]\nend"},
		{"a private key without its end goes", "key:\n" + pem[:200] + "\n", "key:\n[REDACTED:private-key]\n"},
		{"a private key on one line goes", strings.ReplaceAll(pem, "\n", `\n`), "[REDACTED:private-key]"},
		{"curl's password goes", "curl -s -u admin:tr0ub4dor https://x", "curl -s -u admin:[REDACTED:curl-auth-user] https://x"},
		{"a Kubernetes secret loses its values", "kind: Secret\ndata:\n  a: bXlwYXNzd29yZA==\n  b: 'UyFCXCpkJHpEc2I9'\n", "kind: Secret\ndata:\n  a: [REDACTED:kubernetes-secret-yaml]\n  b: '[REDACTED:kubernetes-secret-yaml]'\n"},
		{"two secrets in one line go", githubToken + " " + githubToken, "[REDACTED:github-pat] [REDACTED:github-pat]"},
		{"a secret goes where it stands again", "password: tr0ub4dor9\nlogged in with tr0ub4dor9", "password: [REDACTED:password]\nlogged in with [REDACTED:password]"},
		{"a word that is a password stays where it is a word", "DB_PASSWORD=production in production", "DB_PASSWORD=[REDACTED:env-secret] in production"},
		{"a redacted text stays as it is", "password=[REDACTED:password] [REDACTED] x", "password=[REDACTED:password] [REDACTED] x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := r.String(tt.in)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if again := r.String(got); again != got {
				t.Errorf("redacted again: %q", again)
			}
		})
	}
}

func TestHarmlessTextSurvives(t *testing.T) {
	r := newRedactor(t)
	for name, text := range map[string]string{
		"a git commit":                    "fixed in 4f3c2a1b9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a, see git log",
		"a commit of a service's client":  "datadog_commit = 4f3c2a1b9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a",
		"a UUID":                          "session 0b5681e7-8e36-46b0-ae92-c229edae9643",
		"a UUID under a key":              `"key": "0b5681e7-8e36-46b0-ae92-c229edae9643"`,
		"a digest":                        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"a digest as a cache key":         `"cache_key": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`,
		"a line of go.sum":                "golang.org/x/oauth2 v0.18.0 h1:09qnuIAgzdx1XplqJvW6CQqMCtGZykZWcXzPMPUusvI=",
		"an integrity hash":               `"integrity": "sha512-Yd3UES5mWCSqR+qNT93S3UoYUkqAZ9lLg8a7g9rimsWmYGK8cVToA4/sF3RrshdyV3sAGMXVUmpMYOw+dLpOuw=="`,
		"an image":                        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		"a public key":                    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me@host",
		"a public key in PEM":             "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1Olb3zMAFFxXKHiIkQO5cJ3Yhl5i6UPp\n-----END PUBLIC KEY-----",
		"a placeholder":                   "API_KEY=your-api-key",
		"crosses":                         "token: \"xxxxxxxxxxxxxxxxxxxx1\"",
		"a variable":                      "PASSWORD=${DB_PASSWORD} TOKEN=$TOKEN KEY=$(cat key)",
		"angle brackets":                  "Authorization: Bearer <token>",
		"an environment lookup":           "const apiKey = process.env.API_KEY2 || import.meta.env.KEY",
		"a template":                      "password: {{ .Values.password1 }}",
		"a call":                          "token = getToken2(user)",
		"a type":                          "password: string; token?: string",
		"a public token":                  "CSRF_TOKEN=aK3x9QmZ7rT2vB5n next_page_token: \"aK3x9QmZ7rT2vB5n\"",
		"a limit":                         "MAX_TOKENS=4096 token_limit: 128000",
		"a password file":                 "DB_PASSWORD_FILE=/run/secrets/db_password",
		"a key's path":                    "PRIVATE_KEY=/etc/ssl/private/key1.pem",
		"Amazon's example":                "AKIAIOSFODNN7EXAMPLE",
		"a URL without password":          "https://user@example.com/a:b@c http://localhost:8080/x@y",
		"a local default":                 "postgres://postgres:postgres@localhost:5432/app",
		"an e-mail address":               "write to https://x.org or me@x.org: thanks",
		"prose about secrets":             "The token is refreshed every hour; the password is bcrypt-hashed, the secret is rotated. Auth: OAuth2 with PKCE.",
		"a test's result":                 "    --- PASS: TestStore2 (0.01s)\nPASS: all5tests",
		"a shortened key":                 "STRIPE_SECRET_KEY=sk_test_...\nAPI_KEY=\"sk-...\"",
		"a parser's complaint":            `unexpected token: "123.4e5ghi"`,
		"a regular expression":            `(?i)password\s*[:=]\s*\S+`,
		"a method of a receiver called s": "s.ReadUint16LengthPrefixed(&x)",
	} {
		t.Run(name, func(t *testing.T) {
			if out, found := r.Text(text); out != text {
				t.Errorf("became %q by %v", out, found)
			}
		})
	}
}

func TestFindingsSayWhereAndNotWhat(t *testing.T) {
	in := "é " + githubToken + " and <private>x</private>"
	_, found := newRedactor(t).Text(in)
	want := []Finding{
		{Rule: "github-pat", Start: 3, End: 3 + len(githubToken)},
		{Rule: PrivateRule, Start: strings.Index(in, "<private>"), End: len(in)},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestFullyPrivate(t *testing.T) {
	r := newRedactor(t)
	for text, want := range map[string]bool{
		"":                                false,
		"a fact":                          false,
		" ":                               false,
		"<private>all of it</private>":    true,
		" <private>all</private>. ":       true,
		"<private>unclosed":               true,
		"<private>a</private> but not b":  false,
		githubToken:                       true,
		"[REDACTED]":                      true,
		"- " + githubToken + "\n- " + pem: true,
	} {
		if got := r.FullyPrivate(text); got != want {
			t.Errorf("FullyPrivate(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestValueRedactsEveryStringAndLeavesTheOriginal(t *testing.T) {
	in := map[string]any{
		"password": "tr0ub4dor",
		"list":     []any{"x " + githubToken, 1.5, nil, true},
		"env":      map[string]string{"API_TOKEN": "k3yk3yk3y-7aQ", "HOME": "/root"},
		"args":     []string{"--token", githubToken},
		"nested":   map[string]any{"note": "<private>x</private>", "n": 3},
	}
	want := map[string]any{
		"password": "[REDACTED:password]",
		"list":     []any{"x [REDACTED:github-pat]", 1.5, nil, true},
		"env":      map[string]string{"API_TOKEN": "[REDACTED:env-secret]", "HOME": "/root"},
		"args":     []string{"--token", "[REDACTED:github-pat]"},
		"nested":   map[string]any{"note": "[REDACTED]", "n": 3},
	}
	r := newRedactor(t)
	got := r.Value(in)
	if diff := cmp.Diff(any(want), got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if in["password"] != "tr0ub4dor" || in["args"].([]string)[1] != githubToken {
		t.Error("the original was changed")
	}
	if diff := cmp.Diff(got, r.Value(got)); diff != "" {
		t.Errorf("redacted again:\n%s", diff)
	}
}

func TestOneRedactorServesManyAtOnce(t *testing.T) {
	r, vectors := newRedactor(t), readVectors(t)[:500]
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for _, v := range vectors {
				r.Text(v.Text)
			}
		})
	}
	wait.Wait()
}

func TestOptions(t *testing.T) {
	t.Run("a pattern of the user's is redacted under its name", func(t *testing.T) {
		r := newRedactor(t, WithPattern("ticket", `ACME-\d+`), WithPattern("badge", `badge (\w+)`))
		want := "[REDACTED:ticket] and badge [REDACTED:badge]"
		if got := r.String("ACME-12 and badge b7"); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
	t.Run("a pattern finds what is shorter than any secret", func(t *testing.T) {
		if got := newRedactor(t, WithPattern("name", `Bob`)).String("Bob"); got != "[REDACTED:name]" {
			t.Errorf("got %q", got)
		}
	})
	t.Run("an allowed value stays", func(t *testing.T) {
		r := newRedactor(t, WithAllowed(`ghp_x7.*`))
		if got := r.String(githubToken); got != githubToken {
			t.Errorf("got %q", got)
		}
	})
	t.Run("what is not a regular expression is refused", func(t *testing.T) {
		for _, option := range []Option{WithPattern("a", `(`), WithAllowed(`(`), WithPattern("A b", `x`)} {
			if _, err := New(option); codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("err = %v, want an Invalid error", err)
			}
		}
	})
}
