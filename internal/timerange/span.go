package timerange

import "time"

// span is the time that a name stands for.
type span struct {
	Range
	guessedYear bool // the year was not said
}

// context says what stood before a name.
type context int

const (
	bare  context = iota // nothing that asks for a date: only clear names count
	onDay                // "on": weekdays count, too
	named                // another preposition: months and years count, too
)

// span reads the name of a time: a date, a day, or a stretch of time up to now.
func (p parser) span(i int, c context) (span, int, bool) {
	for _, read := range []func(int, context) (span, int, bool){
		p.isoDate, p.dayWord, p.rolling, p.calendarUnit, p.ago, p.monthDay, p.month, p.weekday, p.year,
	} {
		if s, next, ok := read(i, c); ok {
			return s, next, true
		}
	}
	return span{}, 0, false
}

// dayWord reads today and its neighbours.
func (p parser) dayWord(i int, _ context) (span, int, bool) {
	switch {
	case p.is(i, "today", "tonight"):
		return p.days(0), i + 1, true
	case p.is(i, "this") && p.is(i+1, "morning", "afternoon", "evening"):
		return p.days(0), i + 2, true
	case p.is(i, "yesterday"):
		next := i + 1
		if p.is(next, "morning", "afternoon", "evening") {
			next++
		}
		return p.days(-1), next, true
	case p.is(i, "the") && p.is(i+1, "day") && p.is(i+2, "before") && p.is(i+3, "yesterday"):
		return p.days(-2), i + 4, true
	case p.is(i, "last") && p.is(i+1, "night"):
		today := StartOfDay(p.now)
		return span{Range: Range{From: today.Add(-6 * time.Hour), To: today.Add(6 * time.Hour)}}, i + 2, true
	}
	return span{}, 0, false
}

// rolling reads a stretch that ends now: "last 3 days", "the past month". It
// begins at midnight, so that the first day counts whole. "last week" alone is
// the last seven days to the minute.
func (p parser) rolling(i int, _ context) (span, int, bool) {
	article := p.is(i, "the", "these")
	if article {
		i++
	}
	if !p.is(i, "last", "past", "previous") {
		return span{}, 0, false
	}
	past := p.is(i, "past")
	if n, next, ok := p.count(i + 1); ok {
		if u, ok := unitOf(p.word(next)); ok && n <= u.most() {
			return span{Range: Range{From: u.rolling(p.now, n)}}, next + 1, true
		}
		return span{}, 0, false
	}
	u, ok := unitOf(p.word(i + 1))
	switch {
	case !ok || plural(p.word(i+1)):
		return span{}, 0, false
	case u == week && (article || past || p.is(i, "last")):
		return span{Range: Range{From: p.now.AddDate(0, 0, -7)}}, i + 2, true
	case u == hour || (article || past) && u != minute && u != second:
		return span{Range: Range{From: u.rolling(p.now, 1)}}, i + 2, true
	default:
		return span{}, 0, false
	}
}

// calendarUnit reads "this week", "last month", "previous quarter".
func (p parser) calendarUnit(i int, _ context) (span, int, bool) {
	steps := -1
	switch {
	case p.is(i, "this"):
		steps = 0
	case !p.is(i, "last", "previous"):
		return span{}, 0, false
	}
	u, ok := unitOf(p.word(i + 1))
	if !ok || plural(p.word(i+1)) || u < week {
		return span{}, 0, false
	}
	from := u.start(p.now)
	return span{Range: Range{From: u.add(from, steps), To: u.add(from, steps+1)}}, i + 2, true
}

// ago reads "2 days ago": that day, week or month, or about that hour. A vague
// number gives a wide interval.
func (p parser) ago(i int, _ context) (span, int, bool) {
	n, next, ok := p.count(i)
	vague := false
	if !ok {
		if n, next, ok = p.vagueCount(i); !ok {
			return span{}, 0, false
		}
		vague = true
	}
	u, known := unitOf(p.word(next))
	if !known || n > u.most() || !p.is(next+1, "ago", "back") {
		return span{}, 0, false
	}
	next += 2
	switch {
	case vague:
		return span{Range: Range{From: u.start(u.add(p.now, -2*n)), To: u.add(u.start(u.add(p.now, -1)), 1)}}, next, true
	case u < day:
		at, slack := u.add(p.now, -n), max(u.length(), 15*time.Minute)
		return span{Range: Range{From: at.Add(-slack), To: at.Add(slack)}}, next, true
	default:
		from := u.start(u.add(u.anchor(p.now), -n))
		return span{Range: Range{From: from, To: u.add(from, 1)}}, next, true
	}
}

// days is the day so many days from today.
func (p parser) days(n int) span {
	from := StartOfDay(p.now).AddDate(0, 0, n)
	return span{Range: Range{From: from, To: from.AddDate(0, 0, 1)}}
}
