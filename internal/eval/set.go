// Package eval measures retrieval on labelled sets. It runs the real engine
// through the interfaces that the product uses, beside a plain full-text
// baseline in the same run, and offers itself to outside harnesses as lines of
// JSON or over HTTP.
package eval

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Document is an item to be found.
type Document struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Time    string `json:"ts,omitempty"`
	Group   string `json:"group,omitempty"`
	Session string `json:"session,omitempty"` // what counts as found, when sets are scored per session
}

// Updated parses Time, which is a date or a time; zero when it is neither.
func (d Document) Updated() time.Time {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, d.Time); err == nil {
			return t
		}
	}
	return time.Time{}
}

// Query is a question with the ids of the documents that answer it.
type Query struct {
	ID               string   `json:"id"`
	Text             string   `json:"text"`
	Type             string   `json:"type,omitempty"`
	Relevant         []string `json:"relevant"`
	RelevantSessions []string `json:"relevant_sessions,omitempty"`
}

// Set is a labelled collection.
type Set struct {
	Name      string
	Documents []Document
	Queries   []Query
	// Collapse scores per session: the best-ranked document of a session
	// counts for it.
	Collapse bool
}

// LoadSet reads corpus.jsonl and queries.jsonl of a folder, either of them
// possibly compressed (.gz). Folders named *_exchange are scored per session.
func LoadSet(folder string) (Set, error) {
	s := Set{Name: filepath.Base(folder), Collapse: strings.HasSuffix(folder, "_exchange")}
	var err error
	if s.Documents, err = ReadLines[Document](filepath.Join(folder, "corpus.jsonl")); err != nil {
		return Set{}, err
	}
	if s.Queries, err = ReadLines[Query](filepath.Join(folder, "queries.jsonl")); err != nil {
		return Set{}, err
	}
	return s, nil
}

// ReadLines reads a file with one JSON value per line, or path.gz when path
// does not exist.
func ReadLines[T any](path string) ([]T, error) {
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		f, err = os.Open(path + ".gz")
	}
	if err != nil {
		return nil, fmt.Errorf("read labelled set: %w", err)
	}
	defer f.Close()
	var r io.Reader = bufio.NewReader(f)
	if strings.HasSuffix(f.Name(), ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil, fmt.Errorf("read %s: %w", f.Name(), err)
		}
	}
	var out []T
	dec := json.NewDecoder(r)
	for {
		var v T
		if err := dec.Decode(&v); err == io.EOF {
			return out, nil
		} else if err != nil {
			return nil, fmt.Errorf("read %s, value %d: %w", f.Name(), len(out)+1, err)
		}
		out = append(out, v)
	}
}

// sessionOf returns the unit that a document counts for.
func (s Set) sessionOf() map[string]string {
	m := make(map[string]string, len(s.Documents))
	for _, d := range s.Documents {
		if s.Collapse && d.Session != "" {
			m[d.ID] = d.Session
		} else {
			m[d.ID] = d.ID
		}
	}
	return m
}

// relevant returns the units that answer q.
func (s Set) relevant(q Query, sessions map[string]string) map[string]bool {
	want := map[string]bool{}
	if s.Collapse && len(q.RelevantSessions) > 0 {
		for _, id := range q.RelevantSessions {
			want[id] = true
		}
		return want
	}
	for _, id := range q.Relevant {
		if unit, ok := sessions[id]; ok {
			want[unit] = true
		} else {
			want[id] = true
		}
	}
	return want
}
