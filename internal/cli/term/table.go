package term

import (
	"io"
	"slices"
	"strings"
)

const gap = "  "

// A last column of readable columns is worth more than another column beside
// it; no column is cut below narrow.
const readable, narrow = 20, 6

// Table lays out rows in columns. The last column takes what is left of the
// width and is cut to it; the others are as wide as their widest cell.
type Table struct {
	header []string
	rows   [][]string
	style  map[int]func(string) string
	whole  map[int]bool
	right  map[int]bool
	spare  []int
}

// NewTable starts a table; without a header none is printed.
func NewTable(header ...string) *Table {
	return &Table{header: header, style: map[int]func(string) string{}, whole: map[int]bool{}, right: map[int]bool{}}
}

// Style colours a column, after its width is known.
func (t *Table) Style(column int, style func(string) string) { t.style[column] = style }

// Whole keeps a column from being cut while others can be: half an id cannot be typed.
func (t *Table) Whole(column int) { t.whole[column] = true }

// Right aligns a column of numbers, header included.
func (t *Table) Right(column int) { t.right[column] = true }

// Spare names columns to leave out, in this order, where the line is too short
// for all.
func (t *Table) Spare(columns ...int) { t.spare = append(t.spare, columns...) }

// Row adds a row. Cells are printed on one line each, cleaned.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, cell := range cells {
		row[i] = OneLine(cell)
	}
	t.rows = append(t.rows, row)
}

// Write prints the table in columns, coloured by style.
func (t *Table) Write(w io.Writer, columns int, style Style) error {
	natural := t.natural()
	shown := t.shown(natural, columns)
	widths := t.shrink(natural, shown, columns)
	var b strings.Builder
	if len(t.header) > 0 {
		t.line(&b, t.header, shown, widths, func(_ int, s string) string { return style.Dim(s) })
	}
	for _, row := range t.rows {
		t.line(&b, row, shown, widths, func(column int, s string) string {
			if f := t.style[column]; f != nil {
				return f(s)
			}
			return s
		})
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// line writes the shown cells of a row, with no white space at its end.
func (t *Table) line(b *strings.Builder, row []string, shown []int, widths map[int]int, paint func(int, string) string) {
	pending := ""
	for _, i := range shown {
		if i >= len(row) {
			break
		}
		cell := Truncate(row[i], widths[i])
		padding := strings.Repeat(" ", max(0, widths[i]-Width(cell)))
		switch {
		case cell == "":
			pending += padding + gap
		case t.right[i]:
			b.WriteString(pending + padding + paint(i, cell))
			pending = gap
		default:
			b.WriteString(pending + paint(i, cell))
			pending = padding + gap
		}
	}
	b.WriteByte('\n')
}

// natural is how wide each column would like to be.
func (t *Table) natural() []int {
	var widths []int
	for _, row := range append([][]string{t.header}, t.rows...) {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, cell := range row {
			widths[i] = max(widths[i], Width(cell))
		}
	}
	return widths
}

// shown leaves out spare columns until a readable last column fits.
func (t *Table) shown(natural []int, columns int) []int {
	shown := make([]int, len(natural))
	for i := range shown {
		shown[i] = i
	}
	last := len(natural) - 1
	for _, spare := range t.spare {
		need := len(gap) * (len(shown) - 1)
		for _, i := range shown {
			if i == last {
				need += min(natural[i], readable)
			} else {
				need += natural[i]
			}
		}
		if need <= columns {
			break
		}
		shown = slices.DeleteFunc(shown, func(i int) bool { return i == spare })
	}
	return shown
}

// shrink takes away what exceeds the line: from the last column down to what can
// still be read, then from whichever is widest, and from whole ones only when
// all others are narrow.
func (t *Table) shrink(natural, shown []int, columns int) map[int]int {
	widths := map[int]int{}
	excess := len(gap)*(len(shown)-1) - columns
	for _, i := range shown {
		widths[i] = natural[i]
		excess += natural[i]
	}
	last := len(natural) - 1
	if take := min(excess, widths[last]-readable); take > 0 && !t.whole[last] {
		widths[last] -= take
		excess -= take
	}
	for _, keep := range []bool{true, false} {
		for ; excess > 0; excess-- {
			widest := -1
			for _, i := range shown {
				if widths[i] > narrow && (!keep || !t.whole[i]) && (widest < 0 || widths[i] > widths[widest]) {
					widest = i
				}
			}
			if widest < 0 {
				break
			}
			widths[widest]--
		}
	}
	return widths
}
