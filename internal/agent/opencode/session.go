package opencode

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"codememory"
)

// session is one row of the table session.
type session struct {
	id, parent, dir, title, model string
	created, active               int64
	archived                      bool
	revert                        revert
}

// sessionColumns selects a session s with the time of its last change. The
// session's own time is not it: it stands still while a turn runs. Reading the
// last messages only keeps this cheap for a thousand sessions; more than one,
// because a queued question is younger than the step that still runs.
func (s *schema) sessionColumns() string {
	active := []string{s.ms("session", "s", "time_updated")}
	if s.v1 {
		const last = "(SELECT l.id FROM message l WHERE l.session_id = s.id ORDER BY l.time_created DESC, l.id DESC LIMIT 3)"
		if s.has("message", "time_updated") {
			active = append(active, "COALESCE((SELECT max(m.time_updated) FROM message m WHERE m.id IN "+last+"), 0)")
		}
		if s.has("part", "time_updated") {
			active = append(active, "COALESCE((SELECT max(p.time_updated) FROM part p WHERE p.message_id IN "+last+"), 0)")
		}
	}
	if s.v2 && s.has("session_message", "time_updated") {
		active = append(active, "COALESCE((SELECT max(m.time_updated) FROM session_message m WHERE m.session_id = s.id), 0)")
	}
	last := active[0]
	if len(active) > 1 {
		last = "max(" + strings.Join(active, ", ") + ")"
	}
	return strings.Join([]string{
		"COALESCE(s.id, '')", s.text("session", "s", "parent_id"), s.text("session", "s", "directory"), s.text("session", "s", "title"),
		s.text("session", "s", "model"), s.text("session", "s", "revert"), s.ms("session", "s", "time_created"), s.ms("session", "s", "time_archived"), last,
	}, ", ")
}

// sessions returns the sessions that a condition on s names.
func (v *view) sessions(ctx context.Context, where string, args ...any) ([]session, error) {
	rows, err := v.tx.QueryContext(ctx, "SELECT "+v.schema.sessionColumns()+" FROM session s WHERE "+where, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var out []session
	for rows.Next() {
		var s session
		var model, undone string
		var archived int64
		if err := rows.Scan(&s.id, &s.parent, &s.dir, &s.title, &model, &undone, &s.created, &archived, &s.active); err != nil {
			return nil, err
		}
		s.dir, s.title = strings.ToValidUTF8(s.dir, "\uFFFD"), strings.ToValidUTF8(s.title, "\uFFFD")
		s.archived = archived != 0
		var ref modelRef
		if decode([]byte(model), &ref) {
			s.model = modelName(ref.ProviderID, ref.id())
		}
		decode([]byte(undone), &s.revert)
		out = append(out, s)
	}
	return out, rows.Err()
}

// session returns one session or fails with NotFound.
func (v *view) session(ctx context.Context, id string) (session, error) {
	found, err := v.sessions(ctx, "s.id = ?", id)
	if err != nil {
		return session{}, err
	}
	if len(found) == 0 {
		return session{}, codememory.Errorf(codememory.NotFound, "OpenCode has no session %s", id)
	}
	return found[0], nil
}

// childActivity tells when a subagent last did something; 0 when it is unknown.
func (v *view) childActivity(ctx context.Context) func(string) int64 {
	return func(id string) int64 {
		s, err := v.session(ctx, id)
		if err != nil {
			return 0
		}
		return s.active
	}
}

// messages reads a session from the store that has its rows.
func (v *view) messages(ctx context.Context, id string, maxOutput int) ([]message, error) {
	second, err := v.inSecond(ctx, id)
	if err != nil {
		return nil, err
	}
	if second {
		return v.v2(ctx, id, maxOutput)
	}
	return v.v1(ctx, id, maxOutput)
}

// inSecond reports whether a session is in the newer store. Where both have
// rows of it, the one that was written to last is the true one.
func (v *view) inSecond(ctx context.Context, id string) (bool, error) {
	var old, young int64
	if !v.schema.v1 || !v.schema.v2 {
		return v.schema.v2, nil
	}
	if err := v.newest(ctx, "message", id, &old); err != nil {
		return false, err
	}
	err := v.newest(ctx, "session_message", id, &young)
	return young > old, err
}

// newest tells when a store got its last message of a session, 0 for never.
func (v *view) newest(ctx context.Context, table, id string, at *int64) error {
	query := "SELECT " + v.schema.ms(table, "t", "time_created") + " FROM " + table + " t WHERE t.session_id = ?"
	if v.schema.has(table, "time_created") {
		query += " ORDER BY t.time_created DESC LIMIT 1"
	}
	err := v.tx.QueryRowContext(ctx, query, id).Scan(at)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	*at = max(*at, 1)
	return err
}

// countMessages counts what messages would read.
func (v *view) countMessages(ctx context.Context, id string) (int, error) {
	var most int
	for table, there := range map[string]bool{"message": v.schema.v1, "session_message": v.schema.v2} {
		if !there {
			continue
		}
		var n int
		if err := v.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+table+" WHERE session_id = ?", id).Scan(&n); err != nil {
			return 0, err
		}
		most = max(most, n)
	}
	return most, nil
}

// Sessions lists sessions, last active first.
func (r *Reader) Sessions(ctx context.Context, q codememory.SessionQuery) ([]codememory.AgentSession, error) {
	var out []codememory.AgentSession
	err := r.view(ctx, func(v *view) error {
		where, args := "1", []any{}
		if v.schema.has("session", "parent_id") {
			switch {
			case q.Parent != "":
				where, args = "s.parent_id = ?", []any{q.Parent}
			case !q.Children:
				where = "COALESCE(s.parent_id, '') = ''"
			}
		} else if q.Parent != "" {
			where = "0"
		}
		found, err := v.sessions(ctx, where, args...)
		if err != nil {
			return err
		}
		found = slices.DeleteFunc(found, func(s session) bool {
			return q.Dir != "" && !below(s.dir, q.Dir) || !q.Since.IsZero() && s.active < q.Since.UnixMilli()
		})
		slices.SortFunc(found, func(a, b session) int { return cmp.Or(cmp.Compare(b.active, a.active), cmp.Compare(a.id, b.id)) })
		if q.Limit > 0 && len(found) > q.Limit {
			found = found[:q.Limit]
		}
		out = make([]codememory.AgentSession, 0, len(found))
		for _, s := range found {
			c, err := v.agentSession(ctx, s)
			if err != nil {
				return err
			}
			out = append(out, c)
		}
		return nil
	})
	return out, err
}

// Session returns one session, or fails with NotFound.
func (r *Reader) Session(ctx context.Context, id string) (codememory.AgentSession, error) {
	var c codememory.AgentSession
	err := r.view(ctx, func(v *view) error {
		s, err := v.session(ctx, id)
		if err != nil {
			return err
		}
		c, err = v.agentSession(ctx, s)
		return err
	})
	return c, err
}

func (v *view) agentSession(ctx context.Context, s session) (codememory.AgentSession, error) {
	n, err := v.countMessages(ctx, s.id)
	return codememory.AgentSession{
		Agent: Agent, ID: s.id, Parent: s.parent, Dir: s.dir, Title: s.title, Model: s.model,
		CreatedAt: instant(s.created), ActiveAt: instant(s.active), Archived: s.archived, Messages: n,
	}, err
}

// below reports whether dir is the folder or inside it.
func below(dir, folder string) bool {
	clean := func(p string) string {
		p = filepath.ToSlash(filepath.Clean(p))
		if runtime.GOOS == "windows" {
			p = strings.ToLower(p)
		}
		return p
	}
	dir, folder = clean(dir), clean(folder)
	return dir == folder || strings.HasPrefix(dir, strings.TrimSuffix(folder, "/")+"/")
}

// instant turns milliseconds into a time; 0 is no time.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}
