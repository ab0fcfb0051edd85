package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
)

// sample is what one operation took.
type sample struct{ wall, cpu time.Duration }

// series is the same operation, many times.
type series []sample

// wall returns a percentile of the time it took, in milliseconds.
func (s series) wall(percent float64) float64 {
	return percentile(s, percent, func(x sample) time.Duration { return x.wall })
}

// cpu returns the median of the processor time, in milliseconds.
func (s series) cpu() float64 {
	return percentile(s, 50, func(x sample) time.Duration { return x.cpu })
}

func (s series) meanCPU() float64 {
	var sum time.Duration
	for _, x := range s {
		sum += x.cpu
	}
	return millis(sum) / float64(max(1, len(s)))
}

func percentile(s series, percent float64, of func(sample) time.Duration) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	all := make([]time.Duration, len(s))
	for i, x := range s {
		all[i] = of(x)
	}
	slices.Sort(all)
	at := int(math.Ceil(percent/100*float64(len(all)))) - 1
	return millis(all[max(0, at)])
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// figure is one measured number and the most it should be.
type figure struct {
	Name   string  `json:"name,omitempty"`
	Value  float64 `json:"value"`
	Unit   string  `json:"unit"`
	Budget float64 `json:"budget,omitempty"` // 0: none
}

func (f figure) over() bool { return f.Budget > 0 && f.Value > f.Budget }

func (f figure) String() string {
	return strings.TrimSpace(f.Name + " " + number(f.Value) + " " + f.Unit)
}

func (f figure) limit() string {
	return strings.TrimSpace(f.Name + " ≤ " + number(f.Budget) + " " + f.Unit)
}

// number prints three significant digits.
func number(v float64) string {
	switch {
	case v == math.Trunc(v) && math.Abs(v) < 1e7 || math.Abs(v) >= 100:
		return fmt.Sprintf("%.0f", v)
	case math.Abs(v) >= 10:
		return fmt.Sprintf("%.1f", v)
	default:
		return fmt.Sprintf("%.2f", v)
	}
}

// row is one line of the table.
type row struct {
	Name    string   `json:"name"`
	What    string   `json:"what"`
	Figures []figure `json:"figures"`
	Note    string   `json:"note,omitempty"`
}

func (r row) measured() string {
	parts := make([]string, len(r.Figures))
	for i, f := range r.Figures {
		parts[i] = f.String()
	}
	s := strings.Join(parts, ", ")
	if r.Note != "" {
		s += " (" + r.Note + ")"
	}
	return s
}

func (r row) budget() string {
	var parts []string
	for _, f := range r.Figures {
		if f.Budget > 0 {
			parts = append(parts, f.limit())
		}
	}
	return strings.Join(parts, ", ")
}

func (r row) verdict() string {
	budgets, over := 0, 0
	for _, f := range r.Figures {
		if f.Budget > 0 {
			budgets++
		}
		if f.over() {
			over++
		}
	}
	switch {
	case over > 0:
		return "**over**"
	case budgets > 0:
		return "ok"
	}
	return ""
}

// report is a whole run.
type report struct {
	Machine    string    `json:"machine"`
	Go         string    `json:"go"`
	Date       time.Time `json:"date"`
	LoadBefore string    `json:"load_before"`
	LoadAfter  string    `json:"load_after"`
	Rows       []row     `json:"rows"`
}

func (r report) markdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s; load %s before and %s after.\n\n", r.Date.Format(time.DateOnly), r.Machine, r.Go, r.LoadBefore, r.LoadAfter)
	b.WriteString("| what | measured | budget | |\n|---|---|---|---|\n")
	for _, row := range r.Rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", row.What, row.measured(), row.budget(), row.verdict())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r report) json(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(r)
}
