package opencodetest

import (
	"fmt"
	"strings"
)

// Data is a JSON object.
type Data = map[string]any

// Session is one row of the table session and what hangs on it.
type Session struct {
	ID     string
	Dir    string
	Title  string
	Parent string

	db *DB
}

// Session starts a session in a folder.
func (d *DB) Session(dir, title string) *Session {
	d.t.Helper()
	return d.insertSession(&Session{Dir: dir, Title: title, db: d})
}

// Child starts a subagent's session.
func (s *Session) Child(title string) *Session {
	s.db.t.Helper()
	return s.db.insertSession(&Session{Dir: s.Dir, Title: title, Parent: s.ID, db: s.db})
}

func (d *DB) insertSession(s *Session) *Session {
	d.t.Helper()
	s.ID = d.id("ses")
	at := d.tick()
	var parent any
	if s.Parent != "" {
		parent = s.Parent
	}
	d.Exec(`INSERT INTO session (id, project_id, parent_id, slug, directory, title, version, agent, model, time_created, time_updated)
		VALUES (?, ?, ?, 'quick-fox', ?, ?, '1.18.33', 'build', '{"id":"m","providerID":"scripted"}', ?, ?)`, s.ID, Project, parent, s.Dir, s.Title, at, at)
	d.bump(s.ID, "session.created.1", []byte("{}"))
	return s
}

// update sets columns of the session's row.
func (s *Session) update(set string, args ...any) {
	s.db.t.Helper()
	args = append(args, s.db.tick(), s.ID)
	s.db.Exec("UPDATE session SET "+set+", time_updated = ? WHERE id = ?", args...)
	s.db.bump(s.ID, "session.updated.1", []byte("{}"))
}

// Archive puts the session away.
func (s *Session) Archive() {
	s.db.t.Helper()
	s.update("time_archived = ?", s.db.Now.UnixMilli())
}

// Rename gives the session a title.
func (s *Session) Rename(title string) {
	s.db.t.Helper()
	s.Title = title
	s.update("title = ?", title)
}

// Revert undoes everything from a message on, or, with a part, from that part
// of the message on.
func (s *Session) Revert(message, part string) {
	s.db.t.Helper()
	revert := Data{"messageID": message}
	if part != "" {
		revert["partID"] = part
	}
	s.update("revert = ?", string(s.db.encode(revert)))
}

// Unrevert takes the undo back.
func (s *Session) Unrevert() {
	s.db.t.Helper()
	s.update("revert = NULL")
}

// Delete removes the session with all that hangs on it.
func (s *Session) Delete() {
	s.db.t.Helper()
	s.db.Exec("DELETE FROM session WHERE id = ?", s.ID)
	if !s.db.NoEvents {
		s.db.Exec("DELETE FROM event WHERE aggregate_id = ?", s.ID)
		s.db.Exec("DELETE FROM event_sequence WHERE aggregate_id = ?", s.ID)
	}
}

// Todo writes one line of the session's todo list.
func (s *Session) Todo(position int, content, status, priority string) {
	s.db.t.Helper()
	at := s.db.tick()
	s.db.Exec(`INSERT INTO todo VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET content = excluded.content, status = excluded.status,
		time_updated = excluded.time_updated`, s.ID, content, status, priority, position, at, at)
}

// Fork copies the session as OpenCode does: all messages under new ids, with
// their old times.
func (s *Session) Fork() *Session {
	s.db.t.Helper()
	d := s.db
	fork := d.Session(s.Dir, s.Title+" (fork #1)")
	ids := map[string]string{}
	type row struct {
		id, message, data string
		at                int64
	}
	read := func(query string) (rows []row) {
		found, err := d.db.Query(query, s.ID)
		if err != nil {
			d.t.Fatalf("%s: %v", query, err)
		}
		defer func() { _ = found.Close() }()
		for found.Next() {
			var r row
			if err := found.Scan(&r.id, &r.message, &r.at, &r.data); err != nil {
				d.t.Fatal(err)
			}
			rows = append(rows, r)
		}
		return rows
	}
	for _, r := range read("SELECT id, '', time_created, data FROM message WHERE session_id = ? ORDER BY time_created, id") {
		ids[r.id] = d.id("msg")
		for from, to := range ids {
			r.data = strings.ReplaceAll(r.data, from, to)
		}
		d.Exec("INSERT INTO message VALUES (?, ?, ?, ?, ?)", ids[r.id], fork.ID, r.at, d.tick(), r.data)
	}
	for _, r := range read("SELECT id, message_id, time_created, data FROM part WHERE session_id = ? ORDER BY id") {
		at := d.tick()
		d.Exec("INSERT INTO part VALUES (?, ?, ?, ?, ?, ?)", d.id("prt"), ids[r.message], fork.ID, at, at, r.data)
	}
	d.bump(fork.ID, "message.updated.1", []byte("{}"))
	return fork
}

// V2 adds a row to the table of the second runtime.
func (s *Session) V2(kind string, data any) string {
	s.db.t.Helper()
	id := s.db.id("msg")
	at := s.db.tick()
	s.db.Exec(`INSERT INTO session_message (id, session_id, type, seq, time_created, time_updated, data)
		SELECT ?, ?, ?, COALESCE(max(seq), 0) + 1, ?, ?, ? FROM session_message WHERE session_id = ?`,
		id, s.ID, kind, at, at, string(s.db.encode(data)), s.ID)
	s.db.bump(s.ID, "session.next."+kind, []byte("{}"))
	return id
}

// Turn writes a question and its answer, one step, done.
func (s *Session) Turn(prompt, answer string) (user, assistant *Message) {
	s.db.t.Helper()
	user = s.User(prompt)
	assistant = s.Assistant(user)
	assistant.Text(answer)
	assistant.Finish("stop")
	return user, assistant
}

// String names the session in failures.
func (s *Session) String() string { return fmt.Sprintf("%s %q", s.ID, s.Title) }
