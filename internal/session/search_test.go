package session

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

var now = time.Date(2026, 5, 5, 12, 0, 0, 0, time.UTC)

func day(s string) time.Time {
	t, err := time.Parse("2006-01-02 15:04", s)
	if err != nil {
		panic(err)
	}
	return t
}

// library is a small project's past.
func library() []Record {
	return []Record{
		{
			ID: "tei", Agent: "cursor", StartedAt: day("2026-02-23 14:32"), Goal: "Migrate BGE-M3 embedding endpoint from vLLM to TEI for lower latency",
			Pending: []string{"Resolve the OOM on A10G"}, Decisions: []string{"TEI over Infinity: native support"}, Files: []codememory.FileChange{modified("src/inference/embedding_server.py")},
		},
		{
			ID: "kv", Agent: "claude-code", StartedAt: day("2026-04-30 09:00"), Goal: "Implement a KV cache", Summary: []string{"prefill is faster"},
			Files: []codememory.FileChange{created("src/cache/kv.go"), modified("src/inference/client.py")},
		},
		{
			ID: "claude", Agent: "codex", StartedAt: day("2026-01-01 00:30"), Goal: "Claude API integration", Completed: []string{"Retry on 529"},
		},
		{
			ID: "redis", Agent: "claude-code", StartedAt: day("2026-05-04 18:00"), Goal: "Put redis behind the session store", Decisions: []string{"Redis, since TTLs are native"},
			Files: []codememory.FileChange{modified("src/inference/embedding_server.py")},
		},
		{ID: "spec", Agent: "cursor", StartedAt: day("2026-03-20 10:00"), Goal: "Speculative decoding", Summary: []string{"draft model chosen"}},
	}
}

func idsOf(hits []Hit) []string {
	var ids []string
	for _, h := range hits {
		ids = append(ids, h.Record.ID)
	}
	return ids
}

func TestSearchAnswersPlainWords(t *testing.T) {
	tests := map[string]struct {
		query string
		want  []string
	}{
		"one word":                                {"redis", []string{"redis"}},
		"a word of another form":                  {"migrated endpoints", []string{"tei"}},
		"words that no session has do not hurt":   {"how was the quantum KV cache thing implemented anyway", []string{"kv"}},
		"punctuation is harmless":                 {`what's "TEI"? (v1.2) -- it's: "x* AND OR NOT ^`, []string{"tei"}},
		"an agent before the word session":        {"cursor session about speculative decoding", []string{"spec"}},
		"an agent after in":                       {"decoding in cursor", []string{"spec"}},
		"an agent after with":                     {"API with codex", []string{"claude"}},
		"an agent of two words":                   {"claude code session redis", []string{"redis"}},
		"no session of that agent":                {"opencode session redis", nil},
		"an agent's name that is the subject":     {"claude api integration", []string{"claude"}},
		"a thing called like an agent":            {"redis with gemini", []string{"redis"}},
		"a date alone lists":                      {"what did we do in january", []string{"claude"}},
		"a date and words":                        {"kv cache implementation last week", []string{"kv"}},
		"a date at which it did not happen":       {"kv cache in february", nil},
		"vague words beside a date list":          {"what changed yesterday", []string{"redis"}},
		"a file that was touched":                 {"changes to embedding_server.py yesterday", []string{"redis"}},
		"a path and words":                        {"src/inference/client.py latency", []string{"kv"}},
		"a folder":                                {"src/cache/", []string{"kv"}},
		"a path alone lists newest first":         {"src/inference/embedding_server.py", []string{"redis", "tei"}},
		"a file that no session touched":          {"redis.conf.yaml redis", []string{"redis"}},
		"nothing fits":                            {"kubernetes ingress", nil},
		"no words at all":                         {" ?!. ", nil},
		"an agent alone lists":                    {"cursor sessions", []string{"spec", "tei"}},
		"only function words list everything":     {"what did we do", []string{"redis", "kv", "spec", "tei", "claude"}},
		"before a day":                            {"API before march 15", []string{"claude"}},
		"the word session is not searched for":    {"session where I had the OOM on A10G", []string{"tei"}},
		"a session with one of the words follows": {"native support and the redis store", []string{"redis", "tei"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, idsOf(Search(library(), tt.query, now))); diff != "" {
				t.Errorf("%q -want +got\n%s", tt.query, diff)
			}
		})
	}
}

func TestMoreMatchedWordsWin(t *testing.T) {
	records := []Record{
		{ID: "one", StartedAt: begin, Summary: []string{"auth auth auth auth"}},
		{ID: "both", StartedAt: begin, Summary: []string{"the auth refactor"}},
		{ID: "none", StartedAt: begin, Goal: "other"},
	}
	hits := Search(records, "auth refactor", now)
	if diff := cmp.Diff([]string{"both", "one"}, idsOf(hits)); diff != "" {
		t.Errorf("%s %v", diff, hits)
	}
}

func TestWeightsOrderTheFields(t *testing.T) {
	records := []Record{
		{ID: "summary", Summary: []string{"zebra"}},
		{ID: "todos", Pending: []string{"zebra"}},
		{ID: "decisions", Decisions: []string{"zebra"}},
		{ID: "goal", Goal: "zebra"},
	}
	if diff := cmp.Diff([]string{"goal", "decisions", "todos", "summary"}, idsOf(Search(records, "zebra", now))); diff != "" {
		t.Error(diff)
	}
}

func TestQuestionsAreTakenApartAsByOpenCodeMemoryWithoutItsDefects(t *testing.T) {
	data, err := os.ReadFile("testdata/ocm_preprocessor.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Now   time.Time
		Cases map[string]struct {
			Clean  string  `json:"clean_query"`
			After  *int64  `json:"date_after"`
			Before *int64  `json:"date_before"`
			Tool   *string `json:"tool_hint"`
			Path   *string `json:"path_hint"`
		}
	}
	if err := json.Unmarshal(data, &golden); err != nil {
		t.Fatal(err)
	}
	// Where it differs on purpose: whole days instead of the time of day at
	// which one asks, an agent's name as a subject, and words that say nothing.
	january, may := day("2026-01-01 00:00").Unix(), day("2026-05-01 00:00").Unix()
	march := day("2026-03-15 00:00").Unix()
	for query, want := range golden.Cases {
		t.Run(query, func(t *testing.T) {
			tool := ""
			if want.Tool != nil {
				tool = *want.Tool
			}
			switch query {
			case "what did we do in january":
				want.After, *want.Before = &january, day("2026-02-01 00:00").Unix()-1
			case "in may we changed the parser":
				want.After, *want.Before = &may, day("2026-06-01 00:00").Unix()-1
			case "auth refactor before march 15":
				*want.Before = march - 1
			case "claude api integration":
				tool, want.Clean = "", "claude api integration"
			case "what's new in v1.2":
				want.Clean = "new v1.2"
			}
			q := ask(query, golden.Now, func(string) bool { return true })
			if got := strings.Join(q.words, " "); got != want.Clean {
				t.Errorf("words %q, want %q", got, want.Clean)
			}
			if q.agent != tool {
				t.Errorf("agent %q, want %q", q.agent, tool)
			}
			if got := strings.Join(q.paths, " "); (want.Path == nil) != (got == "") || want.Path != nil && got != *want.Path {
				t.Errorf("paths %q", got)
			}
			compare := func(name string, got time.Time, want *int64, until int64) {
				if (want == nil) != got.IsZero() || want != nil && got.Unix() != *want+until {
					t.Errorf("%s is %s (%d)", name, got, got.Unix())
				}
			}
			compare("from", q.when.From, want.After, 0)
			compare("to", q.when.To, want.Before, 1) // ours is the first second after it
		})
	}
}

func TestASingleSessionIsFoundLikeOneOfMany(t *testing.T) {
	for _, n := range []int{1, 21, 200} {
		records := []Record{{ID: "it", Goal: "tune the batch size", StartedAt: begin}}
		for i := 1; i < n; i++ {
			records = append(records, Record{ID: fmt.Sprint(i), Goal: fmt.Sprintf("something else, number %d", i), StartedAt: begin})
		}
		if diff := cmp.Diff([]string{"it"}, idsOf(Search(records, "Which batch size did we choose?", now))); diff != "" {
			t.Errorf("of %d: %s", n, diff)
		}
	}
}

func TestWeakHitsAreLeftOutByTheirShareOfTheBest(t *testing.T) {
	records := []Record{{ID: "best", Goal: "postgres connection pool exhaustion"}}
	for i := range 30 {
		records = append(records, Record{ID: fmt.Sprint("weak", i), Summary: []string{"looked at the pool, among many other things that have nothing to do with it"}})
	}
	if diff := cmp.Diff([]string{"best"}, idsOf(Search(records, "postgres connection pool exhaustion", now))); diff != "" {
		t.Error(diff)
	}
}

func TestStoreSearchSeesChangesAndNamesTheFile(t *testing.T) {
	s, _ := openStore(t)
	for _, r := range library() {
		mustSave(t, s, r)
	}
	ids := func(query string, f Filter) []string {
		t.Helper()
		hits, err := s.Search(query, now, f)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hits {
			if _, err := os.Stat(h.Path); err != nil {
				t.Error(err)
			}
		}
		return idsOf(hits)
	}
	if diff := cmp.Diff([]string{"redis"}, ids("embedding_server.py", Filter{Agent: "claude-code"})); diff != "" {
		t.Error(diff)
	}
	if got := ids("zebra", Filter{}); got != nil {
		t.Errorf("got %v", got)
	}
	if _, err := s.Update("kv", func(r *Record) error { r.Goal = "zebra"; return nil }); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"kv"}, ids("zebra", Filter{})); diff != "" {
		t.Error(diff)
	}
	if got := ids("what did we do", Filter{Limit: 2}); len(got) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestClampLimit(t *testing.T) {
	for n, want := range map[int]int{-3: 1, 0: 1, 1: 1, 4: 4, 5: 5, 50: 5} {
		if got := ClampLimit(n); got != want {
			t.Errorf("%d gives %d, want %d", n, got, want)
		}
	}
}

func FuzzSearch(f *testing.F) {
	for _, seed := range []string{"", "in", "in claude", "claude code", "with", "/", "//", "a/", "'", "\xff", "in january in cursor session", "🔲 | ` \\"} {
		f.Add(seed)
	}
	records := library()
	f.Fuzz(func(t *testing.T, query string) {
		last := 0.0
		for i, h := range Search(records, query, now) {
			if !(h.Score > 0) || i > 0 && h.Score > last {
				t.Errorf("%q: score %v after %v", query, h.Score, last)
			}
			last = h.Score
		}
	})
}
