package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestAnalyzeDocumentFindsTheTermsPeopleAskFor(t *testing.T) {
	tests := []struct {
		name, text string
		want       string
	}{
		{"plain words are lower case", "We Rotate Tokens", "we rotate tokens"},
		{"snake case is kept whole and split", "get_user_name", "getusername get user name"},
		{"camel case with acronym and digit", "HTTPServer2", "httpserver2 http server 2"},
		{"camel case equals snake case as a whole", "getUserName", "getusername get user name"},
		{"kebab case", "refresh-token", "refreshtoken refresh token"},
		{"dotted names", "os.ReadFile", "osreadfile os readfile read file"},
		{"paths", "src/auth/token.go", "src/auth/token.go tokengo src auth token go"},
		{"windows paths", `src\auth`, "src/auth src auth"},
		{"sentence punctuation is not part of a word", "Use Redis. Then (maybe) Kafka!", "use redis then maybe kafka"},
		{"possessive", "the developer's editor", "the developer editor"},
		{"contraction", "don't", "dont"},
		{"C++ and C# survive", "C++ and C#, F#", "c++ and c# f#"},
		{"versions", "Python 3.12", "python 312 3 12"},
		{"chinese in pairs", "数据库", "数据 据库"},
		{"a single chinese character", "库", "库"},
		{"identifiers glued to chinese", "使用getUser函数", "使用 getuser get user 函数"},
		{"japanese", "テスト", "テス スト"},
		{"korean whole and in pairs", "데이터를", "데이터를 데이 이터 터를"},
		{"russian", "Мы используем Кэш", "мы используем кэш"},
		{"greek", "Βάση δεδομένων", "βάση δεδομένων"},
		{"thai", "ไทย", "ไท ทย"},
		{"full width letters", "ＡＢＣ", "abc"},
		{"dunder", "__init__", "init"},
		{"nothing", " ,. -- ", ""},
		{"invalid bytes separate", "ab\xffcd", "ab cd"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, d := range AnalyzeDocument(tt.text).Terms {
				got = append(got, d.Text)
			}
			if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAnalyzeQueryWeighsStopWordsAndPartsDown(t *testing.T) {
	weights := map[string]float64{}
	stems := map[string]string{}
	for _, q := range AnalyzeQuery("why is the refresh_token café rotated") {
		weights[q.Text], stems[q.Text] = q.Weight, q.Stem
	}
	if !(weights["the"] < weights["rotated"] && weights["refresh"] < weights["refreshtoken"]) {
		t.Errorf("weights: %v", weights)
	}
	if stems["rotated"] != Stem("rotates") || stems["café"] != "cafe" {
		t.Errorf("stems: %v", stems)
	}
}

func TestStemUnitesFormsAndAccents(t *testing.T) {
	for _, p := range [][2]string{{"caching", "caches"}, {"cached", "caches"}, {"café", "cafe"}, {"Straße", "Strasse"}, {"migrations", "migration"}, {"naïve", "naive"}} {
		if a, b := Stem(lower(p[0])), Stem(lower(p[1])); a != b {
			t.Errorf("%s and %s have stems %s and %s", p[0], p[1], a, b)
		}
	}
}

func TestTokensCountsDenseScriptsByCharacter(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abcd": 1, "abcde": 2, "数据库": 3, "use 数据库": 4} {
		if got := Tokens(text); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"HTTPServer2 get_user", "数据库getUser", "ab\xff\xfecd", "c++ a-b/c.d", "데이터를", strings.Repeat("x", 200), "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := AnalyzeDocument(s)
		for _, w := range d.Terms {
			if w.Text == "" || w.Count < 1 || len(w.Text) > 3*maxTermBytes || !utf8.ValidString(w.Text) {
				t.Fatalf("bad term %+v of %+q", w, s)
			}
		}
		found := map[string]bool{}
		for _, w := range d.Terms {
			found[w.Text] = true
		}
		for _, q := range AnalyzeQuery(s) {
			if !found[q.Text] || q.Stem == "" || q.Weight <= 0 {
				t.Fatalf("query term %+v is not a document term of the same text", q)
			}
		}
		n := Normalize(s)
		if again := Normalize(n); again != n {
			t.Fatalf("Normalize(%+q) = %+q, again %+q", s, n, again)
		}
		Tokens(s)
		Entities(s)
	})
}
