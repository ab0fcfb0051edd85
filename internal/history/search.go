package history

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"codememory/internal/text"
)

// Query asks for turns by words.
type Query struct {
	Text    string
	Project string // empty: all
	Agent   string
	Since   time.Time
	Until   time.Time
	Limit   int
}

// Hit is a turn found; it is read from the agent's own records.
type Hit struct {
	Agent   string
	Session string
	Turn    string
	Project string
	Started time.Time
	Score   float64
}

// rareTerms and commonShare prune a question: bm25 scores every row that
// matches, so a word that a tenth of all turns holds costs more than the rest
// of the question together and tells less.
const (
	rareTerms   = 5
	commonShare = 0.005
	rareEnough  = 300 // a word in fewer turns than this is never left out
	// mostScored is how many turns are ranked: of a word that more of them hold
	// the newest are taken, unranked.
	mostScored = 8000
	newestRows = 2000
)

// newestSQL walks the index from its end, which costs nothing per match.
const newestSQL = `SELECT t.agent, t.session, t.turn, t.project, t.started, 0.0 FROM
	(SELECT rowid AS n FROM turns_fts WHERE turns_fts MATCH ? ORDER BY rowid DESC LIMIT %d) AS f CROSS JOIN turns t ON t.n = f.n WHERE %s ORDER BY t.started DESC LIMIT ?`

// searchSQL keeps full text the outer loop, see the test of its plan.
const searchSQL = `SELECT t.agent, t.session, t.turn, t.project, t.started, -bm25(turns_fts, 2.0, 1.0, 0.5) FROM turns_fts CROSS JOIN turns t ON t.n = turns_fts.rowid
	WHERE turns_fts MATCH ? AND %s ORDER BY bm25(turns_fts, 2.0, 1.0, 0.5) LIMIT ?`

// Search finds turns that hold some of the question's words, best first.
func (d *DB) Search(ctx context.Context, q Query) ([]Hit, error) {
	match, ranked, err := d.match(ctx, q.Text)
	if err != nil || match == "" {
		return nil, err
	}
	conds, args := []string{"1"}, []any{match}
	add := func(cond string, arg any) {
		conds = append(conds, cond)
		args = append(args, arg)
	}
	if q.Project != "" {
		add("t.project = ?", q.Project)
	}
	if q.Agent != "" {
		add("t.agent = ?", q.Agent)
	}
	if !q.Since.IsZero() {
		add("t.started >= ?", q.Since.UnixMilli())
	}
	if !q.Until.IsZero() {
		add("t.started < ?", q.Until.UnixMilli())
	}
	limit := q.Limit
	if limit <= 0 {
		limit = 10
	}
	query := fmt.Sprintf(searchSQL, strings.Join(conds, " AND "))
	if !ranked {
		query = fmt.Sprintf(newestSQL, newestRows, strings.Join(conds, " AND "))
	}
	rows, err := d.h.Read.QueryContext(ctx, query, append(args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("search the history: %w", err)
	}
	defer rows.Close()
	var hits []Hit
	for rows.Next() {
		var h Hit
		var started int64
		if err := rows.Scan(&h.Agent, &h.Session, &h.Turn, &h.Project, &started, &h.Score); err != nil {
			return nil, err
		}
		h.Started = time.UnixMilli(started).UTC()
		hits = append(hits, h)
	}
	return hits, rows.Err()
}

// match turns a question into the rarest of its words, joined by OR. ranked is false
// when even the rarest word is so frequent that ranking its turns takes too long.
func (d *DB) match(ctx context.Context, question string) (match string, ranked bool, err error) {
	type word struct {
		text string
		rows int
	}
	var words []word
	var total int
	if err := d.h.Read.QueryRowContext(ctx, "SELECT coalesce(max(n), 0) FROM turns").Scan(&total); err != nil {
		return "", false, err
	}
	all := splitWords(question)
	for _, w := range all {
		if text.IsStopWord(w) {
			continue
		}
		n, err := d.frequency(ctx, w, total)
		if err != nil {
			return "", false, err
		}
		words = append(words, word{w, n})
	}
	if len(words) == 0 { // a question of stop words only
		for _, w := range all {
			words = append(words, word{w, 0})
		}
	}
	slices.SortStableFunc(words, func(a, b word) int { return a.rows - b.rows })
	var kept []string
	matches := 0
	for i, w := range words {
		common := w.rows > rareEnough && float64(w.rows) > commonShare*float64(total)
		if i > 0 && (common || len(kept) >= rareTerms) {
			break
		}
		kept = append(kept, quoted(w.text))
		matches += w.rows
	}
	return strings.Join(kept, " OR "), matches <= mostScored, nil
}

// frequency is how many turns hold a word, or mostScored+1 when more do: that
// many decide all there is to decide, and the rest of a frequent word's turns
// would cost a tenth of a second to count. Counts of frequent words are kept
// until the history has grown by a fifth.
func (d *DB) frequency(ctx context.Context, word string, total int) (int, error) {
	if v, ok := d.counts.Load(word); ok {
		if c := v.(count); total <= c.total+c.total/5 {
			return c.turns, nil
		}
	}
	c := count{total: total}
	if err := d.h.Read.QueryRowContext(ctx, frequencySQL, quoted(word), mostScored+1).Scan(&c.turns); err != nil {
		return 0, err
	}
	if c.turns > rareEnough { // the others are counted in no time
		d.counts.Store(word, c)
	}
	return c.turns, nil
}

const frequencySQL = `SELECT count(*) FROM (SELECT 1 FROM turns_fts WHERE turns_fts MATCH ? LIMIT ?)`

// quoted makes a word a phrase of a question: no character in it is an operator.
func quoted(word string) string { return `"` + strings.ReplaceAll(word, `"`, `""`) + `"` }

// count is how many of total turns held a word when it was looked up.
type count struct{ turns, total int }

// splitWords takes a question apart as the index does with text: what is not a
// letter or a digit at the ends of a word does not count. Inside of one it
// makes a phrase of it.
func splitWords(question string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(question)) {
		w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if w != "" && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// Count returns how many turns are indexed.
func (d *DB) Count(ctx context.Context) (int, error) {
	var n int
	err := d.h.Read.QueryRowContext(ctx, "SELECT count(*) FROM turns").Scan(&n)
	return n, err
}
