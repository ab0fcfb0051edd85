package redact

import (
	"bufio"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
)

// vector is one text with which gitleaks checks one of its rules; see testdata/README.md.
type vector struct {
	Rule    string
	Secret  bool
	Text    string
	Secrets []string
}

func readVectors(t testing.TB) []vector {
	t.Helper()
	f, err := os.Open("testdata/gitleaks_vectors.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	decode := func(s string) string {
		b, err := base64.StdEncoding.DecodeString(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	var vectors []vector
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		v.Text = decode(v.Text)
		for i, s := range v.Secrets {
			v.Secrets[i] = decode(s)
		}
		vectors = append(vectors, v)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return vectors
}

func newRedactor(t testing.TB, options ...Option) *Redactor {
	t.Helper()
	r, err := New(options...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// missed are the texts, by rule, whose secret we leave, and why.
var missed = map[string]struct {
	texts int
	why   string
}{
	"aws-amazon-bedrock-api-key-long-lived": {1, "a documented key that consists of the word EXAMPLE"},
	"hashicorp-tf-password":                 {1, "a quoted word as password: as often a message, a field or a type"},
	"nuget-config-password":                 {2, "quoted words as password"},
}

func TestSecretsThatGitleaksKnowsAreRedacted(t *testing.T) {
	r := newRedactor(t)
	rules := map[string]bool{}
	leaks := map[string]int{}
	all, leaked := 0, 0
	for _, v := range readVectors(t) {
		if !v.Secret || len(v.Secrets) == 0 {
			continue
		}
		all++
		rules[v.Rule] = true
		out := r.String(v.Text)
		if slices.ContainsFunc(v.Secrets, func(secret string) bool { return secret != "" && strings.Contains(out, secret) }) {
			leaked++
			leaks[v.Rule]++
			if leaks[v.Rule] > missed[v.Rule].texts {
				t.Errorf("%s: %q is left in %q", v.Rule, v.Secrets, out)
			}
		}
		if again := r.String(out); again != out {
			t.Errorf("%s: redacted again, %q became %q", v.Rule, out, again)
		}
	}
	rate := float64(all-leaked) / float64(all)
	t.Logf("%d rules, %d texts, %.2f%% redacted", len(rules), all, 100*rate)
	if len(rules) < 215 || rate < 0.98 {
		t.Errorf("%.2f%% of %d rules' texts are redacted, want 98%% of at least 215 rules", 100*rate, len(rules))
	}
}

// TestTextsThatGitleaksKnowsToBeHarmlessSurvive allows what is harmless to one
// rule only: most of the texts that we change hold another service's secret, a
// secret by its name, or a key that is known to be public.
func TestTextsThatGitleaksKnowsToBeHarmlessSurvive(t *testing.T) {
	// anotherSecret are the rules whose harmless texts hold secrets by our
	// judgement, with how many.
	anotherSecret := map[string]int{
		"1password-service-account-token":     1,  // the beginning of a token
		"anthropic-admin-api-key":             3,  // the other kind of key, and other lengths
		"anthropic-api-key":                   3,  // the same
		"cisco-meraki-api-key":                2,  // values of names that say secret
		"clickhouse-cloud-api-secret-key":     1,  // the same
		"cloudflare-api-key":                  5,  // the two other kinds of key
		"cloudflare-global-api-key":           5,  // the same
		"cloudflare-origin-ca-key":            6,  // the same
		"curl-auth-header":                    1,  // a JSON web token
		"flyio-access-token":                  1,  // an authenticity token
		"freemius-secret-key":                 1,  // the same secret in another kind of file
		"gcp-api-key":                         15, // real keys, known to be public
		"generic-api-key":                     1,  // a key that gitleaks knows to be public
		"grafana-cloud-api-token":             1,  // a value of a name that says secret
		"mailchimp-api-key":                   1,  // the same
		"nuget-config-password":               3,  // passwords in another kind of file
		"sentry-org-token":                    1,  // a token without one of its fields
		"settlemint-application-access-token": 2,  // a value of a name that says secret
		"slack-user-token":                    1,  // the same
		"settlemint-personal-access-token":    1,  // a value of a name that says secret
		"settlemint-service-access-token":     1,  // the same
		"stripe-access-token":                 1,  // the same
		"telegram-bot-api-token":              2,  // the same
	}
	r := newRedactor(t)
	all, changed := 0, 0
	for _, v := range readVectors(t) {
		if v.Secret {
			continue
		}
		all++
		if out, found := r.Text(v.Text); len(found) > 0 {
			changed++
			if anotherSecret[v.Rule]--; anotherSecret[v.Rule] < 0 {
				t.Errorf("%s: %q became %q", v.Rule, v.Text, out)
			}
		}
	}
	t.Logf("%d texts, %.1f%% left alone", all, 100*float64(all-changed)/float64(all))
}
