package opencode_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
)

// everything calls all that a reader can do and returns the first error.
func everything(t *testing.T, r *opencode.Reader, session string) error {
	t.Helper()
	var first error
	note := func(err error) {
		if first == nil {
			first = err
		}
	}
	_, err := r.Check(t.Context())
	note(err)
	_, err = r.Sessions(t.Context(), codememory.SessionQuery{Children: true})
	note(err)
	_, err = r.Session(t.Context(), session)
	note(err)
	_, err = r.Turns(t.Context(), session, 100)
	note(err)
	_, _, _, err = r.Changed(t.Context(), "")
	note(err)
	_, err = r.Summary(t.Context())
	note(err)
	_, err = r.Messages(t.Context(), session, 0, "")
	note(err)
	_, err = r.Todos(t.Context(), session)
	note(err)
	_, err = r.Compactions(t.Context(), session)
	note(err)
	return first
}

func TestLogIsReadWhileOpenCodeRuns(t *testing.T) {
	s := newScene(t)
	s.Exec("PRAGMA wal_autocheckpoint = 0")
	ses := s.Session("/app", "work")
	ses.Turn("one", "first")
	if got := turns(t, s.r, ses.ID); len(got) != 1 {
		t.Fatalf("%d turns", len(got))
	}
	ses.Turn("two", "second")
	if got := turns(t, s.r, ses.ID); len(got) != 2 {
		t.Errorf("%d turns after a write to the log", len(got))
	}
}

func TestTheLogOfAnOpenCodeThatIsGoneIsRead(t *testing.T) {
	s := newScene(t)
	s.Exec("PRAGMA wal_autocheckpoint = 0")
	ses := s.Session("/app", "work")
	ses.Turn("one", "first")
	// What a killed process leaves: the file, and all news in its log.
	copied := filepath.Join(t.TempDir(), "opencode.db")
	for _, suffix := range []string{"", "-wal"} {
		b, err := os.ReadFile(s.Path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(copied+suffix, b, 0o400); err != nil {
			t.Fatal(err)
		}
	}
	before, err := os.ReadFile(copied + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	r := opencode.New(opencode.Options{Path: copied})
	if got := turns(t, r, ses.ID); len(got) != 1 {
		t.Errorf("%d turns", len(got))
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile(copied + "-wal")
	if err != nil || string(before) != string(after) {
		t.Errorf("the log changed: %v", err)
	}
}

func TestALockedDatabaseIsUnavailable(t *testing.T) {
	path := unpack(t, "opencode-1.18.33.db") // keeps a rollback journal, so that a writer can lock readers out
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer func() { _ = db.Close() }()
	if _, err := db.Exec("BEGIN EXCLUSIVE"); err != nil {
		t.Fatal(err)
	}
	r := reader(t, opencode.Options{Path: path, BusyTimeout: 20 * time.Millisecond})
	_, err = r.Turns(t.Context(), sesEdits, 0)
	if codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), "locked") {
		t.Errorf("turns: %v", err)
	}
	if _, _, _, err = r.Changed(t.Context(), ""); codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("changed: %v", err)
	}
	if _, err := db.Exec("ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	if err := everything(t, r, sesEdits); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

func TestAWriterInAnExclusiveTransactionDoesNotLockOutReadersOfTheLog(t *testing.T) {
	s := newScene(t)
	ses := s.Session("/app", "work")
	ses.Turn("one", "first")
	s.Exec("BEGIN EXCLUSIVE")
	ses.Turn("two", "not yet")
	if err := everything(t, s.r, ses.ID); err != nil {
		t.Error(err)
	}
	if got := turns(t, s.r, ses.ID); len(got) != 1 {
		t.Errorf("%d turns, want only what was committed", len(got))
	}
	s.Exec("COMMIT")
	if got := turns(t, s.r, ses.ID); len(got) != 2 {
		t.Errorf("%d turns after the commit", len(got))
	}
}

func TestFilesThatAreNoDatabase(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(unpack(t, "opencode-1.18.33.db"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"empty":             nil,
		"text":              []byte(strings.Repeat("not a database\n", 1000)),
		"cut in the header": whole[:50],
		"cut to one page":   whole[:4096],
		"cut in half":       whole[:len(whole)/2],
		"zeroes at the end": append(append([]byte{}, whole[:len(whole)/3]...), make([]byte, len(whole)-len(whole)/3)...),
		"zeroes after head": append(append([]byte{}, whole[:100]...), make([]byte, len(whole)-100)...),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "opencode.db")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			r := reader(t, opencode.Options{Path: path})
			if err := everything(t, r, sesEdits); codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), path) {
				t.Errorf("%v", err)
			}
			after, err := os.ReadFile(path)
			if err != nil || string(after) != string(content) {
				t.Errorf("the file was changed: %v", err)
			}
		})
	}
}

func TestADatabaseThatAppearsIsReplacedAndGoes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be replaced there")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "opencode.db")
	r := reader(t, opencode.Options{Path: path})
	if _, err := r.Turns(t.Context(), "ses", 0); codememory.CodeOf(err) != codememory.NotFound {
		t.Fatalf("before there is one: %v", err)
	}
	make := func(title string) string {
		d := opencodetest.Create(t, filepath.Join(t.TempDir(), "opencode.db"))
		ses := d.Session("/app", title)
		ses.Turn("q", title)
		d.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
		d.Close()
		if err := os.Rename(d.Path, path); err != nil {
			t.Fatal(err)
		}
		return ses.ID
	}
	first := make("first")
	if got := turns(t, r, first); got[0].Answer() != "first" {
		t.Errorf("turns %+v", got)
	}
	_, _, mark, err := r.Changed(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	second := make("second")
	if got := turns(t, r, second); got[0].Answer() != "second" {
		t.Errorf("after it was replaced: %+v", got)
	}
	if _, _, _, err := r.Changed(t.Context(), mark); err != nil {
		t.Errorf("changed after it was replaced: %v", err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, _, _, err := r.Changed(t.Context(), mark); codememory.CodeOf(err) != codememory.NotFound {
		t.Errorf("after it has gone: %v", err)
	}
	third := make("third")
	if got := turns(t, r, third); got[0].Answer() != "third" {
		t.Errorf("after it came back: %+v", got)
	}
}

func TestSchemasThatWeDoNotKnow(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		sql  string
		want string // in the error; empty: it can be read
		line string // in the line of Check
	}{
		{"a column that nobody needs is missing", "ALTER TABLE session DROP COLUMN revert; ALTER TABLE session DROP COLUMN model; ALTER TABLE session DROP COLUMN time_archived", "", "session.revert"},
		{"no event tables", "DROP TABLE event; DROP TABLE event_sequence", "", ""},
		{"no todos, no projects", "PRAGMA foreign_keys = 0; DROP TABLE todo; DROP TABLE migration", "", ""},
		{"times are missing", "DROP INDEX message_session_time_created_id_idx; ALTER TABLE message DROP COLUMN time_updated; ALTER TABLE part DROP COLUMN time_updated; ALTER TABLE part DROP COLUMN time_created", "", "message.time_updated"},
		{"parts do not name their session", "DROP INDEX part_session_idx; ALTER TABLE part DROP COLUMN session_id", "", "part.session_id"},
		{"a migration from the future", "INSERT INTO migration VALUES ('20990101000000_future', 1)", "", "newer than tested"},
		{"another table and columns", "CREATE TABLE brain (id); ALTER TABLE message ADD COLUMN mood", "", ""},
		{"parts have moved away", "ALTER TABLE part RENAME TO part_v3; DROP TABLE session_message", "part.id, part.message_id, part.data, session_message.id", ""},
		{"messages without data", "ALTER TABLE message RENAME COLUMN data TO body; DROP TABLE session_message", "message.data", ""},
		{"sessions have moved away", "PRAGMA foreign_keys = 0; ALTER TABLE session RENAME TO sessions", "session.id", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			ses := s.Session("/app", "work")
			ses.Turn("one", "first")
			if err := everything(t, s.r, ses.ID); err != nil {
				t.Fatal(err)
			}
			s.Exec(tt.sql) // while the reader has it open
			err := everything(t, s.r, ses.ID)
			if tt.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff([]string{"prompt done: one -> first"}, outline(turns(t, s.r, ses.ID))); diff != "" {
					t.Error(diff)
				}
			} else if codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "tables found: ") {
				t.Errorf("%v", err)
			}
			line, err := s.r.Check(t.Context())
			if tt.want == "" && (err != nil || !strings.Contains(line, tt.line)) {
				t.Errorf("check %q, %v", line, err)
			}
		})
	}
}

func TestRowsThatMakeNoSense(t *testing.T) {
	s := newScene(t)
	ses := s.Session("/app", "work")
	user, answer := ses.Turn("one", "first")
	for _, raw := range []string{
		"", "null", "5", "[]", `"text"`, "{}", `{"type":5}`, `{"type":"text","text":{"a":1}}`, `{"type":"text","text":null}`, `{"type":"tool"}`,
		`{"type":"tool","tool":"bash","state":"odd"}`, `{"type":"tool","tool":7,"state":{"status":"completed","input":"text","output":{"x":1},"metadata":[],"time":"now"}}`,
		`{"type":"text","text":"half \ud800 pair"}`, "{\"type\":\"text\",\"text\":\"bad \xff byte\"}", `{"type":"patch","files":"x"}`, `{"type":"text","text":"ok","time":{"start":1.5e12}}`,
	} {
		answer.Part(raw)
		user.Part(raw)
	}
	for i, raw := range []string{"", "null", "[]", `{"role":"robot"}`, `{"role":"assistant","parentID":5,"error":"boom","time":"never","tokens":[]}`, `{"role":"user","time":null,"summary":"x","model":"m"}`} {
		s.Exec("INSERT INTO message VALUES (?, ?, ?, ?, ?)", "msg_odd"+string(rune('a'+i)), ses.ID, s.Now.UnixMilli(), s.Now.UnixMilli(), raw)
	}
	s.Exec("INSERT INTO message VALUES ('msg_blob', ?, 'yesterday', 1.5, x'ff00')", ses.ID)
	s.Exec("UPDATE session SET revert = 'no json', model = '[', title = CAST(x'74ff' AS TEXT)")
	if err := everything(t, s.r, ses.ID); err != nil {
		t.Fatal(err)
	}
	got := turns(t, s.r, ses.ID)
	if !strings.HasPrefix(got[0].Prompt, "one\n") || got[0].ID != user.ID {
		t.Errorf("turns %q", outline(got))
	}
	line, err := s.r.Check(t.Context())
	if err != nil || !strings.Contains(line, "rows with damaged JSON skipped") {
		t.Errorf("check %q, %v", line, err)
	}
	found, err := s.r.Session(t.Context(), ses.ID)
	if err != nil || found.Title != "t\uFFFD" {
		t.Errorf("session %+v, %v", found, err)
	}
}

func TestAClosedReaderSaysSo(t *testing.T) {
	r := opencode.New(opencode.Options{Path: unpack(t, "small.db")})
	if _, err := r.Turns(t.Context(), "ses_main", 0); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Turns(t.Context(), "ses_main", 0); codememory.CodeOf(err) != codememory.Unavailable {
		t.Errorf("%v", err)
	}
}

func TestPathsWithOddCharacters(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "50% of #1 äöü & more")
	if runtime.GOOS != "windows" {
		dir += "?x=1"
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d := opencodetest.Create(t, filepath.Join(dir, "opencode.db"))
	ses := d.Session("/app", "work")
	ses.Turn("one", "first")
	r := reader(t, opencode.Options{Path: d.Path})
	if got := turns(t, r, ses.ID); len(got) != 1 {
		t.Errorf("%d turns", len(got))
	}
}
