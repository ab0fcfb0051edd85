package text

import (
	"strings"
	"sync"
)

// IsStopWord reports whether a lower-case term is an English function word,
// which says little about what a question is about.
func IsStopWord(term string) bool {
	if len(term) > 10 {
		return false
	}
	_, ok := stopWords()[term]
	return ok
}

var stopWords = sync.OnceValue(func() map[string]struct{} {
	m := map[string]struct{}{}
	for w := range strings.FieldsSeq(stopWordList) {
		m[w] = struct{}{}
	}
	return m
})

const stopWordList = `
a about above after again against all also am an and any are arent as at be because been before being
below between both but by can cannot cant could couldnt did didnt do does doesnt doing dont down during
each either else ever few for from further get gets got had hadnt has hasnt have havent having he her here hers
herself hes him himself his how hows i id if ill im in into is isnt it its itself ive just let lets
may me might more most must my myself neither no nor not now of off on once only or other our ours
ourselves out over own per please rather s same shall she should shouldnt so some such t than that thats
the their theirs them themselves then there theres these they theyre this those though through thus to too
under until up upon us very via was wasnt we were werent weve what whats when whens where wheres whether
which while who whom whos whose why whys will with within without wont would wouldnt yet you youd youll
your youre yours yourself yourselves youve
`
