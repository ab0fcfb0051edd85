package timerange

import (
	"strings"
	"time"
)

// unit is a length of time that has a name, shortest first.
type unit int

const (
	second unit = iota
	minute
	hour
	day
	week
	month
	quarter
	year
)

func unitOf(word string) (unit, bool) {
	switch strings.TrimSuffix(word, "s") {
	case "second", "sec":
		return second, true
	case "minute", "min":
		return minute, true
	case "hour", "hr":
		return hour, true
	case "day":
		return day, true
	case "week":
		return week, true
	case "month":
		return month, true
	case "quarter":
		return quarter, true
	case "year":
		return year, true
	default:
		return 0, false
	}
}

func plural(word string) bool { return strings.HasSuffix(word, "s") }

// most is the largest number of units that can be meant; more is no phrase
// about time but a number beside a word.
func (u unit) most() int {
	if u >= month {
		return 200
	}
	return 1000
}

// length is that of the units that are always equally long.
func (u unit) length() time.Duration {
	switch u {
	case second:
		return time.Second
	case minute:
		return time.Minute
	default:
		return time.Hour
	}
}

// add moves t by n units.
func (u unit) add(t time.Time, n int) time.Time {
	switch u {
	case day:
		return t.AddDate(0, 0, n)
	case week:
		return t.AddDate(0, 0, 7*n)
	case month:
		return t.AddDate(0, n, 0)
	case quarter:
		return t.AddDate(0, 3*n, 0)
	case year:
		return t.AddDate(n, 0, 0)
	default:
		return t.Add(time.Duration(n) * u.length())
	}
}

// anchor is a time in the same unit from which units can be counted: one month
// before the 31st must not overflow into the month after.
func (u unit) anchor(t time.Time) time.Time {
	if u >= month {
		return u.start(t)
	}
	return t
}

// start is when the unit that holds t began. Weeks begin on Monday.
func (u unit) start(t time.Time) time.Time {
	y, m, _ := t.Date()
	switch u {
	case day:
		return StartOfDay(t)
	case week:
		return StartOfDay(t).AddDate(0, 0, -int(t.Weekday()+6)%7)
	case month:
		return date(y, m, 1, t)
	case quarter:
		return date(y, (m-1)/3*3+1, 1, t)
	case year:
		return date(y, time.January, 1, t)
	default:
		return t
	}
}

// rolling is the beginning of a stretch of n units that ends now.
func (u unit) rolling(now time.Time, n int) time.Time {
	if u < day {
		return u.add(now, -n)
	}
	return StartOfDay(u.add(now, -n))
}

// StartOfDay returns the midnight with which the day of t began, where t is.
func StartOfDay(t time.Time) time.Time {
	y, m, d := t.Date()
	return date(y, m, d, t)
}

// date is the beginning of a day in the time zone of like.
func date(y int, m time.Month, d int, like time.Time) time.Time {
	return time.Date(y, m, d, 0, 0, 0, 0, like.Location())
}
