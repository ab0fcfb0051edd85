package term

import (
	"io"
	"strings"
)

const gap = "  "

// Table lays out rows in columns. The last column takes what is left of the
// width and is cut to it; the others are as wide as their widest cell.
type Table struct {
	header []string
	rows   [][]string
	style  map[int]func(string) string
}

// NewTable starts a table; without a header none is printed.
func NewTable(header ...string) *Table {
	return &Table{header: header, style: map[int]func(string) string{}}
}

// Style colours a column, after its width is known.
func (t *Table) Style(column int, style func(string) string) { t.style[column] = style }

// Row adds a row. Cells are printed on one line each, cleaned.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = OneLine(cell)
	}
	t.rows = append(t.rows, row)
}

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// Write prints the table in columns, coloured by style.
func (t *Table) Write(w io.Writer, columns int, style Style) error {
	widths := t.widths(columns)
	var b strings.Builder
	if len(t.header) > 0 {
		t.line(&b, t.header, widths, func(_ int, s string) string { return style.Dim(s) })
	}
	for _, row := range t.rows {
		t.line(&b, row, widths, func(column int, s string) string {
			if f := t.style[column]; f != nil {
				return f(s)
			}
			return s
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Table) line(b *strings.Builder, cells []string, widths []int, paint func(int, string) string) {
	for len(cells) > 0 && cells[len(cells)-1] == "" {
		cells = cells[:len(cells)-1] // no white space at the end of a line
	}
	for i, cell := range cells {
		cell = Truncate(cell, widths[i])
		if i == len(cells)-1 {
			b.WriteString(paint(i, cell))
			break
		}
		padding := strings.Repeat(" ", max(0, widths[i]-Width(cell)))
		b.WriteString(paint(i, cell) + padding + gap)
	}
	b.WriteByte('\n')
}

// widths gives each column its natural width, and takes what exceeds the line
// from the widest ones, the last column first down to a readable rest.
func (t *Table) widths(columns int) []int {
	var widths []int
	for _, row := range append([][]string{t.header}, t.rows...) {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	if len(widths) == 0 {
		return nil
	}
	const readable, narrow = 20, 6
	total := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		total += w
	}
	excess := total - columns
	shrink := func(i, floor int) {
		if take := min(excess, widths[i]-floor); take > 0 {
			widths[i] -= take
			excess -= take
		}
	}
	last := len(widths) - 1
	shrink(last, readable)
	for excess > 0 {
		widest := 0
		for i, w := range widths {
			if w > widths[widest] {
				widest = i
			}
		}
		before := excess
		if shrink(widest, max(narrow, widths[widest]-1)); excess == before {
			break
		}
	}
	return widths
}
