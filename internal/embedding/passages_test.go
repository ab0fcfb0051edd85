package embedding

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSplitPassages(t *testing.T) {
	paragraph := strings.Repeat("Some words about the server. ", 30) + "\n\n"
	for _, test := range []struct {
		name, text string
		passages   int
	}{
		{"an empty text is one passage", "", 1},
		{"a short text is one passage", "hello", 1},
		{"a long text is several", strings.Repeat(paragraph, 15), 3},
		{"a text without borders is cut all the same", strings.Repeat("é", 7000), 2},
		{"an endless text is limited", strings.Repeat(paragraph, 500), maxPassages},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := splitPassages(test.text)
			if len(got) != test.passages {
				t.Errorf("%d passages, want %d", len(got), test.passages)
			}
			for i, p := range got {
				if utf8.RuneCountInString(p) > passageRunes || !utf8.ValidString(p) {
					t.Errorf("passage %d has %d runes", i, utf8.RuneCountInString(p))
				}
			}
		})
	}
}
