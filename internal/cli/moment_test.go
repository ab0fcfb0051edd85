package cli

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	p := &program{now: func() time.Time { return now }}
	local := func(month time.Month, day, hour, minute int) time.Time {
		return time.Date(2026, month, day, hour, minute, 0, 0, time.Local)
	}
	tests := map[string]struct {
		word string
		want time.Time
	}{
		"nothing is no restriction": {"", time.Time{}},
		"a date begins its day":     {"2026-05-01", local(time.May, 1, 0, 0)},
		"a date with a time":        {"2026-05-01 14:30", local(time.May, 1, 14, 30)},
		"a month":                   {"2026-03", local(time.March, 1, 0, 0)},
		"a full stamp":              {"2026-05-01T14:30:00Z", time.Date(2026, 5, 1, 14, 30, 0, 0, time.UTC)},
		"days ago":                  {"7d", now.Add(-7 * 24 * time.Hour)},
		"hours ago":                 {"12h", now.Add(-12 * time.Hour)},
		"words":                     {"yesterday", local(time.May, 3, 0, 0)},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, err := p.moment("--since", tt.word)
			if err != nil || !got.Equal(tt.want) {
				t.Errorf("moment(%q) = %v, %v, want %v", tt.word, got, err, tt.want)
			}
		})
	}
	for _, word := range []string{"blue", "d", "-3d", "99999999999d", "2026-13-01", "yesterday in cursor"} {
		if got, err := p.moment("--since", word); err == nil {
			t.Errorf("moment(%q) = %v, want an error", word, got)
		}
	}
}
