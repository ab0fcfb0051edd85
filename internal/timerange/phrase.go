package timerange

// phrase reads everything that can be cut from a query: a span with the words
// that say how it bounds the interval.
func (p parser) phrase(i int) (Range, int, bool) {
	switch {
	case p.is(i, "between"):
		return p.fromTo(i+1, "and")
	case p.is(i, "from"):
		if r, next, ok := p.fromTo(i+1, "to", "until", "till", "through"); ok {
			return r, next, true
		}
		if s, next, ok := p.span(i+1, named); ok {
			if p.is(next, "on", "onwards", "onward") {
				return Range{From: s.From}, next + 1, true
			}
			return s.Range, next, true
		}
	case p.is(i, "since"):
		if s, next, ok := p.span(i+1, named); ok {
			return Range{From: s.From}, next, true
		}
	case p.is(i, "after"):
		if s, next, ok := p.span(i+1, named); ok && !s.To.IsZero() {
			return Range{From: s.To}, next, true
		}
	case p.is(i, "before"):
		if s, next, ok := p.span(i+1, named); ok {
			return Range{To: s.From}, next, true
		}
	case p.is(i, "until", "till"):
		if s, next, ok := p.span(i+1, named); ok && !s.To.IsZero() {
			return Range{To: s.To}, next, true
		}
	case p.is(i, "in", "during"):
		if s, next, ok := p.span(i+1, named); ok {
			return s.Range, next, true
		}
	case p.is(i, "on"):
		if s, next, ok := p.span(i+1, onDay); ok {
			return s.Range, next, true
		}
	case p.is(i, "over", "within", "for", "of", "around"):
		if s, next, ok := p.span(i+1, bare); ok {
			return s.Range, next, true
		}
	}
	if s, next, ok := p.span(i, bare); ok {
		return s.Range, next, true
	}
	return Range{}, 0, false
}

// fromTo reads two spans with one of these words between them.
func (p parser) fromTo(i int, link ...string) (Range, int, bool) {
	a, next, ok := p.span(i, named)
	if !ok || !p.is(next, link...) {
		return Range{}, 0, false
	}
	b, next, ok := p.span(next+1, named)
	if !ok {
		return Range{}, 0, false
	}
	if b.From.Before(a.From) {
		if b.guessedYear { // "between november and june": the June after it
			b.From, b.To = b.From.AddDate(1, 0, 0), b.To.AddDate(1, 0, 0)
		} else {
			a, b = b, a
		}
	}
	r := Range{From: a.From, To: b.To}
	if !r.To.IsZero() && !r.From.Before(r.To) {
		return Range{}, 0, false
	}
	return r, next, true
}
