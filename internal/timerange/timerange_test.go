package timerange

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestKnownQueries(t *testing.T) {
	data, err := os.ReadFile("testdata/queries.json")
	if err != nil {
		t.Fatal(err)
	}
	var known struct {
		Now   time.Time
		Cases []struct {
			Query, Rest string
			From, To    int64
		}
	}
	if err := json.Unmarshal(data, &known); err != nil {
		t.Fatal(err)
	}
	if len(known.Cases) != 12 {
		t.Fatalf("%d cases", len(known.Cases))
	}
	seconds := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return t.Unix()
	}
	for _, c := range known.Cases {
		t.Run(c.Query, func(t *testing.T) {
			r, rest, ok := Find(c.Query, known.Now)
			wantOK := c.From != 0 || c.To != 0
			if !wantOK {
				c.Rest = c.Query
			}
			if ok != wantOK || seconds(r.From) != c.From || seconds(r.To) != c.To || rest != c.Rest {
				t.Errorf("got %v %v, %q, %v", r.From, r.To, rest, ok)
			}
		})
	}
}

// The present of the tests below: a Wednesday afternoon, east of Greenwich.
var (
	vienna = time.FixedZone("CET", 3600)
	now    = time.Date(2026, time.November, 18, 15, 30, 0, 0, vienna)
)

// text writes an interval without what is usual: midnight and the zone.
func text(r Range) string {
	one := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return strings.TrimSuffix(t.Format("2006-01-02 15:04:05"), " 00:00:00")
	}
	return one(r.From) + ".." + one(r.To)
}

func TestPhrases(t *testing.T) {
	for phrase, want := range map[string]string{
		"today":                                  "2026-11-18..2026-11-19",
		"this morning":                           "2026-11-18..2026-11-19",
		"yesterday":                              "2026-11-17..2026-11-18",
		"yesterday afternoon":                    "2026-11-17..2026-11-18",
		"the day before yesterday":               "2026-11-16..2026-11-17",
		"last night":                             "2026-11-17 18:00:00..2026-11-18 06:00:00",
		"since yesterday":                        "2026-11-17..",
		"before yesterday":                       "..2026-11-17",
		"this week":                              "2026-11-16..2026-11-23",
		"last week":                              "2026-11-11 15:30:00..",
		"in the past week":                       "2026-11-11 15:30:00..",
		"previous week":                          "2026-11-09..2026-11-16",
		"this month":                             "2026-11-01..2026-12-01",
		"last month":                             "2026-10-01..2026-11-01",
		"in the last month":                      "2026-10-18..",
		"over the past year":                     "2025-11-18..",
		"this year":                              "2026-01-01..2027-01-01",
		"last year":                              "2025-01-01..2026-01-01",
		"last quarter":                           "2026-07-01..2026-10-01",
		"this quarter":                           "2026-10-01..2027-01-01",
		"last 3 days":                            "2026-11-15..",
		"in the last two weeks":                  "2026-11-04..",
		"within the past 6 months":               "2026-05-18..",
		"last 24 hours":                          "2026-11-17 15:30:00..",
		"last hour":                              "2026-11-18 14:30:00..",
		"2 days ago":                             "2026-11-16..2026-11-17",
		"a week ago":                             "2026-11-09..2026-11-16",
		"2 weeks ago":                            "2026-11-02..2026-11-09",
		"three months ago":                       "2026-08-01..2026-09-01",
		"a year ago":                             "2025-01-01..2026-01-01",
		"2 hours ago":                            "2026-11-18 12:30:00..2026-11-18 14:30:00",
		"a few days ago":                         "2026-11-12..2026-11-18",
		"a couple of weeks ago":                  "2026-10-19..2026-11-16",
		"since 2 days ago":                       "2026-11-16..",
		"in january":                             "2026-01-01..2026-02-01",
		"in november":                            "2026-11-01..2026-12-01",
		"in december":                            "2025-12-01..2026-01-01",
		"in may":                                 "2026-05-01..2026-06-01",
		"In May,":                                "2026-05-01..2026-06-01",
		"during sept":                            "2026-09-01..2026-10-01",
		"in march 2025":                          "2025-03-01..2025-04-01",
		"march 2025":                             "2025-03-01..2025-04-01",
		"last march":                             "2026-03-01..2026-04-01",
		"since march":                            "2026-03-01..",
		"before may":                             "..2026-05-01",
		"after may":                              "2026-06-01..",
		"may 3":                                  "2026-05-03..2026-05-04",
		"on may 3rd":                             "2026-05-03..2026-05-04",
		"march 15th, 2025":                       "2025-03-15..2025-03-16",
		"on the 15th of march":                   "2026-03-15..2026-03-16",
		"3 june 2024":                            "2024-06-03..2024-06-04",
		"dec 24":                                 "2025-12-24..2025-12-25",
		"nov 18":                                 "2026-11-18..2026-11-19",
		"nov 19":                                 "2025-11-19..2025-11-20",
		"feb 29":                                 "2024-02-29..2024-03-01",
		"before march 15":                        "..2026-03-15",
		"until march 15":                         "..2026-03-16",
		"after 2026-03-01":                       "2026-03-02..",
		"since 2026-03-01":                       "2026-03-01..",
		"2026-10-03":                             "2026-10-03..2026-10-04",
		"on 2026/10/03":                          "2026-10-03..2026-10-04",
		"2026-10-03T14:00":                       "2026-10-03..2026-10-04",
		"in 2026-02":                             "2026-02-01..2026-03-01",
		"in 2025":                                "2025-01-01..2026-01-01",
		"before 2025":                            "..2025-01-01",
		"since monday":                           "2026-11-16..",
		"since wednesday":                        "2026-11-18..",
		"since thursday":                         "2026-11-12..",
		"on friday":                              "2026-11-13..2026-11-14",
		"last wednesday":                         "2026-11-11..2026-11-12",
		"this friday":                            "2026-11-20..2026-11-21",
		"between 2026-03-01 and 2026-03-05":      "2026-03-01..2026-03-06",
		"between march 5 and march 1":            "2026-03-05..2027-03-02",
		"between 2026-03-05 and 2026-03-01":      "2026-03-01..2026-03-06",
		"between november and february":          "2026-11-01..2027-03-01",
		"between monday and yesterday":           "2026-11-16..2026-11-18",
		"from march 1 to april 2":                "2026-03-01..2026-04-03",
		"from march onwards":                     "2026-03-01..",
		"from yesterday":                         "2026-11-17..2026-11-18",
		"after 2026-03-01 and before 2026-04-01": "2026-03-02..2026-04-01",
		"last week's":                            "2026-11-11 15:30:00..",
	} {
		for _, around := range []struct{ before, after string }{
			{"", ""}, {"what happened to the auth bug ", ""}, {"", " why did login fail"}, {"the token (", ") change"}, {"redis: ", "?"},
		} {
			query := around.before + phrase + around.after
			r, rest, ok := Find(query, now)
			if !ok || text(r) != want {
				t.Errorf("%q gave %s, %v; want %s", query, text(r), ok, want)
			}
			for word := range strings.FieldsSeq(phrase) {
				if len(word) > 3 && strings.Contains(rest, word) {
					t.Errorf("%q left %q", query, rest)
				}
			}
		}
	}
}

func TestNoDateHere(t *testing.T) {
	for _, query := range []string{
		"", " ", "the auth bug", "we", "we may need a second look", "may", "march of tests", "the march of tests",
		"second", "the second test", "this may be wrong", "the state it was in may be stale", "after may not fail", "step 3 may fail", "line 15 may be wrong",
		"last minute change", "last session", "last 5 commits", "the last one", "last second", "past tense", "last time",
		"sun microsystems on sun hardware", "sat solver", "in 2000 files", "before 2000 ms", "since 2048 tokens", "in 2048", "in 4242",
		"logs/2026-10-03.md", "2026-10-03.md", "CVE-2026-10-03", "2026-13-40", "in 2026-02-30", "february 30", "protocol 2026-07-28",
		"version 2026-07-28 of the spec", `"last week"`, "`yesterday`", "what's new in v1.2", "monday.com", "on monday.com", "monday", "january",
		"in dec format", "mar files", "today.go", "yesterday_test.go", "ago", "3 ago", "days ago", "0 days ago", "99999 days ago", "last 9999 days",
		"as last. week two", "between us and them", "between march", "from here to there", "since", "before", "on 2024 macbook", "5 may", "in", "in the",
		"since version 3", "before the refactor", "after login", "until it works", "the last of us", "few", "a couple", "a", "an hour", "two weeks", "in two weeks",
	} {
		if r, rest, ok := Find(query, now); ok || rest != query {
			t.Errorf("%q gave %s and left %q", query, text(r), rest)
		}
	}
}

func TestTheRestReadsWell(t *testing.T) {
	for query, want := range map[string]string{
		"what did we do yesterday?":             "what did we do",
		"yesterday: the auth bug":               "the auth bug",
		"the bug, since monday, in login":       "the bug in login",
		"summary of last week":                  "summary",
		"last week":                             "",
		"  fix   the parser   in march 2025  ":  "fix   the parser",
		"Größe in Mai? in May ÄNDERUNG":         "Größe in Mai? ÄNDERUNG",
		"auth after 2026-03-01 before march 10": "auth",
		"auth after 2026-03-01 and before june": "auth",
		"notes from last month's refactoring":   "notes refactoring",
		"İstanbul yesterday İ":                  "İstanbul İ",
	} {
		if _, rest, ok := Find(query, now); !ok || rest != want {
			t.Errorf("%q left %q, %v; want %q", query, rest, ok, want)
		}
	}
}

func TestDaysAreThoseOfTheUsersZone(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Skipf("no time zones on this machine: %v", err)
	}
	// The clocks went back in the night to this Sunday: it has 25 hours.
	r, _, ok := Find("yesterday", time.Date(2026, time.October, 26, 0, 30, 0, 0, berlin))
	want := Range{From: time.Date(2026, time.October, 24, 22, 0, 0, 0, time.UTC), To: time.Date(2026, time.October, 25, 23, 0, 0, 0, time.UTC)}
	if !ok || !r.From.Equal(want.From) || !r.To.Equal(want.To) {
		t.Errorf("got %v..%v, want %v..%v", r.From, r.To, want.From, want.To)
	}
}

func TestMonthsDoNotOverflow(t *testing.T) {
	end := time.Date(2026, time.March, 31, 12, 0, 0, 0, time.UTC)
	got := make(map[string]string)
	for _, q := range []string{"last month", "a month ago", "this month", "on sunday", "this week"} {
		r, _, _ := Find(q, end)
		got[q] = text(r)
	}
	want := map[string]string{
		"last month": "2026-02-01..2026-03-01", "a month ago": "2026-02-01..2026-03-01", "this month": "2026-03-01..2026-04-01",
		"on sunday": "2026-03-29..2026-03-30", "this week": "2026-03-30..2026-04-06",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other intervals (-want +got):\n%s", diff)
	}
}

func TestContains(t *testing.T) {
	r := Range{From: now, To: now.Add(time.Hour)}
	for at, want := range map[time.Time]bool{now.Add(-1): false, now: true, now.Add(time.Hour - 1): true, now.Add(time.Hour): false} {
		if r.Contains(at) != want {
			t.Errorf("Contains(%v) = %v", at, !want)
		}
	}
	if !(Range{}).Contains(now) || (Range{To: now}).Contains(now) || !(Range{From: now}).Contains(now.AddDate(9, 0, 0)) {
		t.Error("open ends are wrong")
	}
}

func FuzzFind(f *testing.F) {
	for _, seed := range []string{
		"", "kv cache last week", "between march 5 and may 2", "after 2026-03-01 before 2026-04-01", "since 2 days ago", "a couple of years ago",
		"in the last 1000 weeks", "feb 29", "31 april 2026", "from 2025 to 2024", "last 200 years", "the 31st of", "\xff last week \xfe", "İ yesterday",
	} {
		f.Add(seed, int64(1794000000))
	}
	f.Fuzz(func(t *testing.T, query string, at int64) {
		now := time.Unix(at%(1<<33), 0).In(vienna)
		r, rest, ok := Find(query, now)
		switch {
		case !ok && (rest != query || r != Range{}):
			t.Errorf("found nothing in %q but gave %v and %q", query, r, rest)
		case ok && r.From.IsZero() && r.To.IsZero():
			t.Errorf("%q gave an interval without ends", query)
		case ok && !r.From.IsZero() && !r.To.IsZero() && !r.From.Before(r.To):
			t.Errorf("%q gave an empty interval %v", query, r)
		case ok && len(rest) >= len(query):
			t.Errorf("%q kept its phrase: %q", query, rest)
		}
	})
}
