package opencode

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"codememory"
)

// schema is which tables and columns a database has. OpenCode's releases differ,
// so every statement is made from what is there.
type schema struct {
	version int64 // SQLite's own counter of changes of the schema
	tables  map[string]map[string]bool
	v1, v2  bool // whether there is a message/part store, a session_message store
}

// needed are the columns without which a store cannot be read.
var needed = map[string][]string{
	"session":         {"id", "directory"},
	"message":         {"id", "session_id", "data"},
	"part":            {"id", "message_id", "data"},
	"session_message": {"id", "session_id", "type", "data"},
}

// probe returns the schema, looking at the tables again only when they changed.
func (h *handle) probe(ctx context.Context, tx *sql.Tx) (*schema, error) {
	var version int64
	if err := tx.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version); err != nil {
		return nil, err
	}
	h.schemaMu.Lock()
	defer h.schemaMu.Unlock()
	if h.schema != nil && h.schema.version == version {
		return h.schema, nil
	}
	s, err := readSchema(ctx, tx, version)
	if err != nil {
		return nil, err
	}
	h.schema = s
	return s, nil
}

// forgetSchema reports whether err may be due to a schema that is out of date,
// and if so has it probed again.
func (h *handle) forgetSchema(err error) bool {
	if !tablesChanged(err) {
		return false
	}
	h.schemaMu.Lock()
	defer h.schemaMu.Unlock()
	h.schema = nil
	return true
}

func readSchema(ctx context.Context, tx *sql.Tx, version int64) (*schema, error) {
	rows, err := tx.QueryContext(ctx, `SELECT t.name, c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	s := &schema{version: version, tables: map[string]map[string]bool{}}
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			return nil, err
		}
		if s.tables[table] == nil {
			s.tables[table] = map[string]bool{}
		}
		s.tables[table][column] = true
	}
	s.v1 = len(s.lacks("message")) == 0 && len(s.lacks("part")) == 0
	s.v2 = len(s.lacks("session_message")) == 0
	return s, rows.Err()
}

// has reports whether there is such a column.
func (s *schema) has(table, column string) bool { return s.tables[table][column] }

// col returns the expression for a column that a release may lack.
func (s *schema) col(table, alias, column string) string {
	if !s.has(table, column) {
		return "NULL"
	}
	return alias + "." + column
}

// ms returns the expression for a time in milliseconds, 0 when it is missing.
func (s *schema) ms(table, alias, column string) string {
	return "COALESCE(CAST(" + s.col(table, alias, column) + " AS INTEGER), 0)"
}

// text returns the expression for text, empty when it is missing.
func (s *schema) text(table, alias, column string) string {
	return "COALESCE(CAST(" + s.col(table, alias, column) + " AS TEXT), '')"
}

// lacks lists the columns that a table needs and does not have.
func (s *schema) lacks(table string) (missing []string) {
	for _, column := range needed[table] {
		if !s.has(table, column) {
			missing = append(missing, table+"."+column)
		}
	}
	return missing
}

// usable fails with Unavailable when there is nothing that can be read, and
// says what was found instead.
func (s *schema) usable(path string) error {
	if len(s.tables) == 0 {
		return codememory.Errorf(codememory.Unavailable, "%s is empty: OpenCode has not made its tables yet; start OpenCode once", path)
	}
	missing := s.lacks("session")
	if !s.v1 && !s.v2 {
		missing = append(missing, s.lacks("message")...)
		missing = append(missing, s.lacks("part")...)
		missing = append(missing, s.lacks("session_message")...)
	}
	if len(missing) == 0 {
		return nil
	}
	return codememory.Errorf(codememory.Unavailable,
		"%s has no tables that CodeMemory knows how to read: %s missing, tables found: %s; if OpenCode is being updated try again, else update CodeMemory",
		path, strings.Join(missing, ", "), s.names())
}

// names lists the tables for a message.
func (s *schema) names() string {
	const most = 25
	names := slices.Sorted(maps.Keys(s.tables))
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
