package encoder

import (
	"bytes"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

var loadWeights = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile("../weights/minilm-l6-v2.bin")
	return string(b), err
})

func loadModel(t testing.TB) *Model {
	t.Helper()
	data, err := loadWeights()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Load(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTokenize(t *testing.T) {
	m := loadModel(t)
	for _, test := range []struct{ name, text, want string }{
		{"lower-cases and splits at punctuation", "Hello, World!", "hello , world !"},
		{"cuts unknown words into the longest pieces", "embeddings", "em ##bed ##ding ##s"},
		{"strips accents", "Café naïve", "cafe naive"},
		{"splits CJK characters", "日本語", "日 本 語"},
		{"drops format characters inside a word", "zero\u200bwidth", "zero ##wi ##dt ##h"},
		{"drops invalid bytes", "ab\xffout", "about"},
		{"splits snake_case", "user_id", "user _ id"},
		{"gives [UNK] for an emoji", "🎉 party", "[UNK] party"},
		{"gives [UNK] for a word of more than 100 characters", strings.Repeat("x", 101), "[UNK]"},
		{"gives nothing for spaces", " \t\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var pieces []string
			for _, id := range m.Tokenize(test.text, 100).IDs {
				pieces = append(pieces, m.Piece(id))
			}
			if got := strings.Join(pieces, " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTokenizeMarksBorders(t *testing.T) {
	m := loadModel(t)
	got := m.Tokenize("one two. Three\nfour\n\nembeddings v1.2", 100).Breaks
	want := []Break{AtParagraph, AtWord, AtWord, AtSentence, AtLine, AtParagraph, InsideWord, InsideWord, InsideWord, AtWord, InsideWord, AtWord, AtWord}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestTokenizeStopsAtTheLimit(t *testing.T) {
	m := loadModel(t)
	got := m.Tokenize(strings.Repeat("embeddings ", 1000), 10)
	if len(got.IDs) != 10 || len(got.Breaks) != 10 {
		t.Errorf("got %d tokens and %d borders, want 10", len(got.IDs), len(got.Breaks))
	}
}

func TestSplitIdentifiers(t *testing.T) {
	m := loadModel(t)
	for _, test := range []struct{ text, want string }{
		{"call getUserByID(ctx)", "call get User By ID(ctx)"},
		{"HTTPServer", "HTTP Server"},
		{"the URLs of two APIs", "the URLs of two APIs"},
		{"YouTube at home", "YouTube at home"},
		{"utf8Decode", "utf8 Decode"},
		{"snake_case_name path/toFile.go", "snake_case_name path/to File.go"},
		{"README", "README"},
		{"日本GetName語", "日本Get Name語"},
		{"", ""},
	} {
		if got := m.SplitIdentifiers(test.text); got != test.want {
			t.Errorf("%q became %q, want %q", test.text, got, test.want)
		}
	}
}

func FuzzTokenize(f *testing.F) {
	for _, s := range []string{"", "plain words", "getUserByID", "日本語 café", "\xff\xfe\x00", "a\u0301\u0301", strings.Repeat("ab", 300), "x\n\n.y"} {
		f.Add(s)
	}
	m := loadModel(f)
	f.Fuzz(func(t *testing.T, text string) {
		split := m.SplitIdentifiers(text)
		if strings.ReplaceAll(split, " ", "") != strings.ReplaceAll(text, " ", "") {
			t.Fatalf("splitting changed more than spaces: %q became %q", text, split)
		}
		tokens := m.Tokenize(split, 64)
		if len(tokens.IDs) > 64 || len(tokens.IDs) != len(tokens.Breaks) {
			t.Fatalf("%d tokens, %d borders", len(tokens.IDs), len(tokens.Breaks))
		}
		for i, id := range tokens.IDs {
			if id < 0 || id >= VocabSize || !utf8.ValidString(m.Piece(id)) {
				t.Fatalf("token %d of %q is %d", i, text, id)
			}
		}
	})
}

func TestLoadRefusesDamagedFiles(t *testing.T) {
	whole, err := loadWeights()
	if err != nil {
		t.Fatal(err)
	}
	var short bytes.Buffer
	if err := WritePacked(&short, []Section{{"vocab.text", []byte("x")}}); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{
		"empty":                "",
		"another format":       strings.Repeat("x", 1000),
		"a directory cut off":  whole[:100],
		"sections cut off":     whole[:len(whole)/2],
		"sections are missing": short.String(),
	} {
		if _, err := Load(data); err == nil {
			t.Errorf("%s: loaded", name)
		}
	}
}

func FuzzLoad(f *testing.F) {
	var b bytes.Buffer
	if err := WritePacked(&b, VocabularySections([]string{"[CLS]", "a"})); err != nil {
		f.Fatal(err)
	}
	f.Add(b.String()[:400])
	f.Add(packedMagic)
	f.Fuzz(func(t *testing.T, data string) {
		if _, err := Load(data); err == nil {
			t.Fatal("loaded a model from too few bytes")
		}
	})
}

func TestForwardIsTheSameForEveryKernel(t *testing.T) {
	m := loadModel(t)
	ids := m.Wrap(m.Tokenize("Migrations run with make migrate before the server starts", 100).IDs)
	var want []float32
	for _, k := range availableKernels() {
		m.kernels = k
		m.Forward(ids, func(states []float32) {
			if want == nil {
				want = append(want, states...)
				return
			}
			compare(t, states, want, 2e-3)
		})
	}
}
