package tool

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"codememory"
)

// Levels are the percentages of the usable window at which advice begins.
type Levels struct {
	Yellow, Red, Critical int
}

// DefaultLevels are the levels when none are configured.
var DefaultLevels = Levels{Yellow: 70, Red: 85, Critical: 92}

// The sizes that agents assume of a model that does not tell its own.
const (
	assumedWindow = 200_000
	maxOutput     = 32_000 // most that is kept free for an answer
	maxReserved   = 20_000 // most that is kept free where the input has its own limit
)

// Usable returns how many tokens fit before the agent compacts, by the agent's
// own rule, and whether the model told its limits.
func (m Model) Usable() (tokens int, known bool) {
	out := maxOutput
	if m.Output > 0 {
		out = min(m.Output, maxOutput)
	}
	switch {
	case m.Input > 0:
		return max(m.Input-min(maxReserved, out), 1), true
	case m.Context > out:
		return m.Context - out, true
	case m.Context > 0:
		return m.Context, true
	}
	return assumedWindow - maxOutput, false
}

// Usage is how full the window of a session is.
type Usage struct {
	Used      int    // tokens of the last call
	Usable    int    // tokens until the agent compacts
	Percent   int    // rounded
	Assumed   bool   // the model did not tell its limits
	Model     string // provider/model
	Level     string // GREEN, YELLOW, RED or CRITICAL
	Growing   bool
	TurnsLeft int  // 0: cannot be told
	Compacted bool // the session was compacted after this was measured
}

// Usage measures the session of a request; false when it made no call yet.
func (r *Router) Usage(ctx context.Context, req Request) (Usage, bool, error) {
	if req.Session == "" {
		return Usage{}, false, nil
	}
	f, err := r.session(ctx, req.Agent, req.Session)
	if err != nil {
		return Usage{}, false, err
	}
	turns, err := f.turns(ctx, 1)
	if err != nil {
		return Usage{}, false, err
	}
	u, ok := measure(turns, req.Model, r.opts.Levels)
	return u, ok, nil
}

// measure takes the readings since the last compaction that has any after it.
func measure(turns []codememory.Turn, m Model, levels Levels) (Usage, bool) {
	var readings []int
	var u Usage
	for _, t := range turns {
		if t.Kind == codememory.CompactionTurn {
			u.Compacted = len(readings) > 0
			continue
		}
		n := filled(t.Tokens)
		if n == 0 {
			continue
		}
		if u.Compacted { // what was before says nothing about what is now
			readings, u.Compacted = nil, false
		}
		readings = append(readings, n)
		u.Model = t.Model
	}
	if len(readings) == 0 {
		return u, false
	}
	if m.ID != "" {
		u.Model = m.ID
		if m.Provider != "" {
			u.Model = m.Provider + "/" + m.ID
		}
	}
	usable, known := m.Usable()
	u.Used, u.Usable, u.Assumed = readings[len(readings)-1], usable, !known
	u.Percent = int(math.Round(float64(u.Used) * 100 / float64(usable)))
	u.Level = levels.of(u.Percent)
	u.Growing, u.TurnsLeft = trend(readings, usable)
	return u, true
}

// filled is how much of the window one call took, by the agent's own rule.
func filled(t codememory.TokenCount) int {
	if t.Total > 0 {
		return t.Total
	}
	return t.Input + t.Output + t.CacheRead + t.CacheWrite
}

func (l Levels) of(percent int) string {
	switch {
	case percent >= l.Critical:
		return "CRITICAL"
	case percent >= l.Red:
		return "RED"
	case percent >= l.Yellow:
		return "YELLOW"
	}
	return "GREEN"
}

// trendReadings is how many turns a trend looks back on.
const trendReadings = 5

// trend tells whether the window fills, and at this pace for how many turns it lasts.
func trend(readings []int, usable int) (growing bool, turnsLeft int) {
	last := readings[max(0, len(readings)-trendReadings):]
	if len(last) < 2 {
		return false, 0
	}
	newest := last[len(last)-1]
	grown := newest - last[0]
	if growing = grown*10 > newest; !growing || newest >= usable {
		return growing, 0
	}
	each := float64(grown) / float64(len(last)-1)
	return true, max(1, int(float64(usable-newest)/each))
}

var advice = map[string]string{
	"GREEN":    "healthy",
	"YELLOW":   "consider compacting at the next break point",
	"RED":      "compact now, at the end of this step",
	"CRITICAL": "automatic compaction is imminent",
}

// contextUse answers the operation context.
func (r *Router) contextUse(ctx context.Context, c call) (string, error) {
	req := c.Request
	if id := c.args.word("sessionId", "session"); id != "" {
		req.Session = id
	}
	u, ok, err := r.Usage(ctx, req)
	if err != nil {
		return "", err
	}
	if !ok {
		return "No context data yet: the session has made no call of a model.", nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Context: %d%% used\nTokens: %s / %s", u.Percent, thousands(u.Used), thousands(u.Usable))
	if u.Assumed {
		b.WriteString(" (assumed: the model's limits are not known)")
	}
	fmt.Fprintf(&b, "\nModel: %s\nStatus: %s — %s", inline(u.Model, 100), u.Level, advice[u.Level])
	switch {
	case u.Compacted:
		b.WriteString("\nNote: the conversation was compacted after this was measured; less is used now.")
	case u.TurnsLeft > 0:
		fmt.Fprintf(&b, "\nTrend: growing, about %d more %s at this pace", u.TurnsLeft, plural(u.TurnsLeft, "turn", "turns"))
	case u.Growing:
		b.WriteString("\nTrend: growing")
	}
	return b.String(), nil
}

// thousands groups the digits of a number.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}
