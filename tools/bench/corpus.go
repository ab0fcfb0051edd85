package main

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
)

//go:embed words.txt
var wordList string

// vocabulary is what the texts are made of, each kind most frequent first.
type vocabulary struct {
	function, subject, action []string
}

var words = sync.OnceValue(func() vocabulary {
	kinds := map[string][]string{}
	for line := range strings.Lines(wordList) {
		kind, list, _ := strings.Cut(line, ":")
		seen := map[string]bool{}
		for _, w := range strings.Fields(list) {
			if !seen[w] {
				seen[w] = true
				kinds[kind] = append(kinds[kind], w)
			}
		}
	}
	return vocabulary{kinds["function"], kinds["subject"], kinds["action"]}
})

// corpus writes memories and questions. The same seed gives the same texts.
type corpus struct {
	random                    *rand.Rand
	function, subject, action *rand.Zipf
	asked                     map[string]bool
	written                   int
}

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, 11))
	v := words()
	// Flatter at the head than running text: words that half of the memories
	// hold are the function words, which are a list of their own.
	zipf := func(list []string, head float64) *rand.Zipf {
		return rand.NewZipf(r, 1.01, head, uint64(len(list)-1))
	}
	return &corpus{
		random: r, function: zipf(v.function, 3), subject: zipf(v.subject, 20), action: zipf(v.action, 10),
		asked: map[string]bool{},
	}
}

// memory returns a new text of 25 to 45 tokens: of its words 40 % are function
// words, one in eight is an identifier, a path or a number.
func (c *corpus) memory() string {
	c.written++
	tokens := 25 + c.random.IntN(21)
	var out []string
	for n := 0; n < tokens; {
		word, cost := c.word()
		out = append(out, word)
		n += cost
	}
	return strings.ToUpper(out[0][:1]) + out[0][1:] + " " + strings.Join(out[1:], " ") + "."
}

// word returns the next word and about how many tokens it has.
func (c *corpus) word() (string, int) {
	v := words()
	switch k := c.random.IntN(100); {
	case k < 40:
		return v.function[c.function.Uint64()], 1
	case k < 73:
		return v.subject[c.subject.Uint64()], 1
	case k < 88:
		return v.action[c.action.Uint64()], 1
	case k < 97:
		return c.identifier(), 3
	default:
		return fmt.Sprint(c.random.IntN(9000)), 1
	}
}

// identifier composes a rare name: there are hundreds of thousands of them.
func (c *corpus) identifier() string {
	v := words()
	a, b := v.subject[c.random.IntN(len(v.subject))], v.subject[c.random.IntN(len(v.subject))]
	switch c.random.IntN(4) {
	case 0:
		return a + "_" + b
	case 1:
		return a + "/" + b + ".go"
	default:
		return a + strings.ToUpper(b[:1]) + b[1:]
	}
}

// question asks in 8 to 12 words for a memory with the given text: most are a
// run of its words, two or three are not in it. No question is returned twice.
func (c *corpus) question(about string) string {
	fields := strings.Fields(strings.Trim(about, "."))
	for {
		out := []string{[]string{"how", "why", "where", "when"}[c.random.IntN(4)]}
		length := 8 + c.random.IntN(5)
		at := c.random.IntN(max(1, len(fields)-length))
		for i := at; len(out) < length; i++ {
			if i >= len(fields) || i == at+length/2 {
				w, _ := c.word()
				out = append(out, w)
				continue
			}
			out = append(out, fields[i])
		}
		if q := strings.Join(out, " "); !c.asked[q] {
			c.asked[q] = true
			return q
		}
	}
}
