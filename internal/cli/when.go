package cli

import (
	"fmt"
	"strings"
	"time"
)

// ago says how long ago t was, as people say it; what is more than a month old
// is a date.
func ago(now, t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	d := now.Sub(t)
	switch {
	case d < -time.Minute:
		return stamp(t) // a clock was wrong: show it rather than hide it
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return plural(int(d/time.Minute), "minute", "minutes") + " ago"
	case d < 24*time.Hour:
		return plural(int(d/time.Hour), "hour", "hours") + " ago"
	case d < 31*24*time.Hour:
		return plural(int(d/(24*time.Hour)), "day", "days") + " ago"
	default:
		return t.Local().Format("2006-01-02")
	}
}

// shortAgo is ago for a column of a table: 17m ago, 5h ago, 3d ago.
func shortAgo(now, t time.Time) string {
	long := ago(now, t)
	count, unit, ok := strings.Cut(strings.TrimSuffix(long, " ago"), " ")
	if !ok || long == "just now" || !strings.HasSuffix(long, " ago") {
		return long
	}
	return count + unit[:1] + " ago"
}

// stamp is a local time to the minute.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// size says how large n bytes are.
func size(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d bytes", n)
	}
	value, i := float64(n)/unit, 0
	for value >= unit && i < 3 {
		value /= unit
		i++
	}
	return fmt.Sprintf("%.1f %s", value, []string{"KB", "MB", "GB", "TB"}[i])
}
