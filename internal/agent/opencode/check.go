package opencode

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
)

// newestMigration is the last change of OpenCode's tables that this package was
// tested with.
const newestMigration = "20260622202450_simplify_session_input"

// checked is how many of the last rows of a table Check looks at for damage.
const checked = 10_000

// Check says in one line where the database is, what is in it and what is wrong
// with it.
func (r *Reader) Check(ctx context.Context) (string, error) {
	found, err := r.Candidates()
	if err != nil {
		return "", err
	}
	r.mu.Lock()
	r.located = r.located.Add(-relocate) // choose anew among the candidates
	r.mu.Unlock()
	var facts []string
	err = r.view(ctx, func(v *view) error {
		facts, err = v.facts(ctx)
		return err
	})
	if err != nil {
		return "", err
	}
	if n := r.damaged.count(); n > 0 {
		facts = append(facts, fmt.Sprintf("%s with damaged JSON skipped", plural(n, "row")))
	}
	for _, other := range found[1:] {
		facts = append(facts, fmt.Sprintf("not read: %s, last active %s", filepath.Base(other.Path), other.Active.UTC().Format("2006-01-02 15:04")))
	}
	return fmt.Sprintf("%s: %s", found[0].Path, strings.Join(facts, "; ")), nil
}

// facts describes what a database holds.
func (v *view) facts(ctx context.Context) ([]string, error) {
	var sessions, messages int
	if err := v.tx.QueryRowContext(ctx, "SELECT count(*) FROM session").Scan(&sessions); err != nil {
		return nil, err
	}
	if err := v.allMessages(ctx, &messages); err != nil {
		return nil, err
	}
	facts := []string{plural(sessions, "session") + ", " + plural(messages, "message")}
	if v.schema.has("session", "version") {
		var version string
		query := "SELECT COALESCE((SELECT version FROM session ORDER BY rowid DESC LIMIT 1), '')"
		if err := v.tx.QueryRowContext(ctx, query).Scan(&version); err != nil {
			return nil, err
		}
		if version != "" {
			facts = append(facts, "last written by OpenCode "+version)
		}
	}
	if v.schema.has("migration", "id") {
		var last string
		if err := v.tx.QueryRowContext(ctx, "SELECT COALESCE(max(id), '') FROM migration").Scan(&last); err != nil {
			return nil, err
		}
		if last > newestMigration {
			facts = append(facts, fmt.Sprintf("its schema %s is newer than tested (%s)", last, newestMigration))
		}
	}
	if missing := v.schema.degraded(); len(missing) > 0 {
		facts = append(facts, "columns not there: "+strings.Join(missing, ", "))
	}
	return facts, v.findDamage(ctx)
}

// degraded lists the columns that OpenCode 1.18 has, this database has not, and
// reading does without.
func (s *schema) degraded() (missing []string) {
	if s.v2 && !s.v1 {
		missing = append(missing, append(s.lacks("message"), s.lacks("part")...)...)
	}
	for _, c := range [][2]string{
		{"session", "parent_id"},
		{"session", "title"},
		{"session", "model"},
		{"session", "revert"},
		{"session", "time_created"},
		{"session", "time_updated"},
		{"session", "time_archived"},
		{"message", "time_created"},
		{"message", "time_updated"},
		{"part", "session_id"},
		{"part", "time_updated"},
	} {
		if s.tables[c[0]] != nil && !s.has(c[0], c[1]) {
			missing = append(missing, c[0]+"."+c[1])
		}
	}
	return missing
}

// findDamage notes the rows among the last ones whose JSON is broken.
func (v *view) findDamage(ctx context.Context) error {
	for _, table := range []string{"message", "part", "session_message"} {
		if !v.schema.has(table, "data") {
			continue
		}
		if err := v.findDamageIn(ctx, table); err != nil {
			return err
		}
	}
	return nil
}

func (v *view) findDamageIn(ctx context.Context, table string) error {
	rows, err := v.tx.QueryContext(ctx, "SELECT COALESCE(id, '') FROM "+table+" WHERE rowid > (SELECT COALESCE(max(rowid), 0) FROM "+table+") - ? AND (data IS NULL OR NOT json_valid(data))", checked)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		if err := rows.Scan(&id); err != nil {
			return err
		}
		v.damage.add(id)
	}
	return rows.Err()
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
