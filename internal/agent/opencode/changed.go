package opencode

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
)

// feed is the connection on which Changed asks whether anything happened, and
// what it answered last.
type feed struct {
	mu      sync.Mutex
	conn    *sql.Conn
	version int64  // SQLite's data_version on conn before the last look
	mark    string // what the last look ended with
}

// close needs no lock: the handle has no users any more.
func (f *feed) close() error {
	if f.conn == nil {
		return nil
	}
	return f.conn.Close()
}

// How many of the last rows of a table are looked at for updates in place. With
// events these are told twice; without them a part that is updated later than
// that is noticed with the message that follows it.
const (
	tail              = 256
	tailWithoutEvents = 4096
)

// Changed returns the sessions that changed after the mark, oldest change
// first. When the database is another one than that of the mark, all its
// sessions are new and none is reported as deleted.
func (r *Reader) Changed(ctx context.Context, mark string) (changed, deleted []string, next string, err error) {
	for again := true; ; again = false {
		h, err := r.acquire()
		if err != nil {
			return nil, nil, "", err
		}
		changed, deleted, next, err := h.changed(ctx, r, mark)
		if err != nil && again && h.forgetSchema(err) {
			r.release(h)
			continue
		}
		err = explain(h.path, err)
		r.release(h)
		return changed, deleted, next, err
	}
}

func (h *handle) changed(ctx context.Context, r *Reader, mark string) (changed, deleted []string, next string, err error) {
	f := &h.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.conn == nil {
		if f.conn, err = h.db.Conn(ctx); err != nil {
			return nil, nil, "", err
		}
	}
	var version int64
	if err := f.conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&version); err != nil {
		return nil, nil, "", f.drop(err)
	}
	if mark != "" && mark == f.mark && version == f.version {
		return nil, nil, mark, nil
	}
	tx, err := f.conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, nil, "", f.drop(err)
	}
	defer func() { _ = tx.Rollback() }()
	err = h.within(ctx, r, tx, func(v *view) error {
		changed, deleted, next, err = v.since(ctx, h.path, mark)
		return err
	})
	if err != nil {
		return nil, nil, "", err
	}
	f.version, f.mark = version, next
	return changed, deleted, next, nil
}

// drop gives the connection up after a failure, so that the next call starts
// with a fresh one.
func (f *feed) drop(err error) error {
	_ = f.conn.Close() // the failure that led here says more
	f.conn, f.mark = nil, ""
	return err
}

// since compares the database with what a mark says about it.
func (v *view) since(ctx context.Context, path, encoded string) (changed, deleted []string, next string, err error) {
	birth, err := v.birth(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	old := parseMark(encoded)
	if db := identity(path, birth); old.db != db {
		old = mark{db: db}
	}
	now := mark{db: old.db, at: old.at}
	last := int64(tailWithoutEvents)
	events, err := v.hasEvents(ctx)
	if err != nil {
		return nil, nil, "", err
	}
	if events {
		last = tail
	}
	if now.sessions, err = v.fingerprints(ctx, events); err != nil {
		return nil, nil, "", err
	}
	touched := map[string]bool{}
	for i, table := range []string{"message", "part", "session_message"} {
		if now.rows[i], err = v.touched(ctx, table, old, i, last, &now.at, touched); err != nil {
			return nil, nil, "", err
		}
	}
	for id, print := range now.sessions {
		if was, known := old.sessions[id]; !known || was != print || touched[id] {
			changed = append(changed, id)
		}
	}
	for id := range old.sessions {
		if _, there := now.sessions[id]; !there {
			deleted = append(deleted, id)
		}
	}
	slices.Sort(deleted)
	if err := v.oldestFirst(ctx, changed); err != nil {
		return nil, nil, "", err
	}
	return changed, deleted, now.encode(), nil
}

// birth tells databases apart that had the same path: when OpenCode made this
// one.
func (v *view) birth(ctx context.Context) (at int64, err error) {
	if !v.schema.has("migration", "time_completed") {
		return 0, nil
	}
	err = v.tx.QueryRowContext(ctx, "SELECT COALESCE(CAST(min(time_completed) AS INTEGER), 0) FROM migration").Scan(&at)
	return at, err
}

// hasEvents reports whether this release counts the changes of each session.
func (v *view) hasEvents(ctx context.Context) (counted bool, err error) {
	if !v.schema.has("event_sequence", "aggregate_id") || !v.schema.has("event_sequence", "seq") {
		return false, nil
	}
	err = v.tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM event_sequence)").Scan(&counted)
	return counted, err
}

// fingerprints returns for each session a number that changes when its row or
// its count of events does or, without events, one of its messages.
func (v *view) fingerprints(ctx context.Context, events bool) (map[string]uint32, error) {
	s := v.schema
	var columns []string
	for _, c := range []string{"time_updated", "time_archived", "revert", "title", "directory", "parent_id"} {
		columns = append(columns, s.text("session", "s", c))
	}
	if events {
		columns = append(columns, "COALESCE((SELECT e.seq FROM event_sequence e WHERE e.aggregate_id = s.id), '')")
	}
	prints := map[string]uint32{}
	err := v.fold(ctx, prints, "SELECT COALESCE(s.id, ''), concat_ws(char(31), "+strings.Join(columns, ", ")+") FROM session s")
	if err != nil || events {
		return prints, err
	}
	for _, table := range []string{"message", "session_message"} {
		if !s.has(table, "session_id") || !s.has(table, "data") {
			continue
		}
		// One pass over the table is much cheaper than a walk of the index.
		query := "SELECT COALESCE(t.session_id, ''), concat(count(*), '/', max(" + s.ms(table, "t", "time_updated") + "), '/', sum(octet_length(t.data))) FROM " + table + " t NOT INDEXED GROUP BY 1"
		if err := v.fold(ctx, prints, query); err != nil {
			return nil, err
		}
	}
	return prints, nil
}

// fold mixes the text that a query gives for each session into its fingerprint.
// Only the first query, of the sessions themselves, adds any.
func (v *view) fold(ctx context.Context, prints map[string]uint32, query string) error {
	adds := len(prints) == 0
	rows, err := v.tx.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id, text string
		if err := rows.Scan(&id, &text); err != nil {
			return err
		}
		if before, there := prints[id]; there || adds {
			h := fnv.New32a()
			_, _ = fmt.Fprintf(h, "%d %s", before, text) // a hash takes everything
			prints[id] = h.Sum32()
		}
	}
	return rows.Err()
}

// touched adds the sessions with rows of a table, the i-th of a mark, that are
// new since then, or among the last of the table and updated since. It returns
// the last row, and moves latest on to the newest update.
func (v *view) touched(ctx context.Context, table string, since mark, i int, tail int64, latest *int64, sessions map[string]bool) (last int64, err error) {
	if !v.schema.has(table, "session_id") {
		return 0, nil
	}
	if err := v.tx.QueryRowContext(ctx, "SELECT COALESCE(max(rowid), 0) FROM "+table).Scan(&last); err != nil {
		return 0, err
	}
	from := last - tail
	if len(since.sessions) > 0 { // else all are new anyway
		from = min(from, since.rows[i])
	}
	rows, err := v.tx.QueryContext(ctx, "SELECT COALESCE(t.session_id, ''), max(t.rowid), max("+v.schema.ms(table, "t", "time_updated")+") FROM "+table+
		" t NOT INDEXED WHERE t.rowid > ? GROUP BY 1", from)
	if err != nil {
		return 0, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var id string
		var newest, updated int64
		if err := rows.Scan(&id, &newest, &updated); err != nil {
			return 0, err
		}
		if newest > since.rows[i] || updated > since.at {
			sessions[id] = true
		}
		*latest = max(*latest, updated)
	}
	return last, rows.Err()
}

// oldestFirst sorts sessions by their last change.
func (v *view) oldestFirst(ctx context.Context, ids []string) error {
	if len(ids) < 2 {
		return nil
	}
	const few = 64
	where, args := "1", []any{}
	if len(ids) <= few {
		where = "s.id IN (?" + strings.Repeat(", ?", len(ids)-1) + ")"
		for _, id := range ids {
			args = append(args, id)
		}
	}
	found, err := v.sessions(ctx, where, args...)
	if err != nil {
		return err
	}
	active := maps.Collect(func(yield func(string, int64) bool) {
		for _, s := range found {
			if !yield(s.id, s.active) {
				return
			}
		}
	})
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(active[a], active[b]), cmp.Compare(a, b)) })
	return nil
}
