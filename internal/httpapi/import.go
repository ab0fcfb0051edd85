package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"unicode/utf8"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// importBatch is how many records are handed on at once: enough to save them
// in few transactions, few enough not to hold the store for long.
const importBatch = 200

// serveImport stores the records of a JSONL body. A line that is no record is
// skipped and reported. Known ids are left alone, so an import that failed
// half way can simply be repeated.
func (s *Server) serveImport(w http.ResponseWriter, r *http.Request) error {
	var query wire.MemoryQuery
	if err := wire.DecodeQuery(r.URL.Query(), &query); err != nil {
		return err
	}
	body, err := s.readBody(w, r, s.Limits.ImportBody, 6*s.Limits.BodyTime)
	if err != nil {
		return err
	}
	records, skipped := parseLines(body)
	answer := wire.ImportAnswer{Results: make([]codememory.AddResult, 0, len(records)), Skipped: skipped}
	for len(records) > 0 {
		n := min(importBatch, len(records))
		results, err := s.Service.Import(r.Context(), query.Project, records[:n])
		if err != nil {
			return err
		}
		answer.Results = append(answer.Results, results...)
		records = records[n:]
	}
	writeJSON(w, http.StatusOK, answer)
	return nil
}

// parseLines reads one memory a line. Empty lines are no matter.
func parseLines(body []byte) ([]codememory.Memory, []wire.SkippedLine) {
	records, skipped := []codememory.Memory{}, []wire.SkippedLine{}
	line := 0
	for raw := range bytes.Lines(body) {
		line++
		raw = bytes.TrimSpace(raw)
		if line == 1 {
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		}
		if len(raw) == 0 {
			continue
		}
		var m codememory.Memory
		reason := ""
		if !utf8.Valid(raw) {
			reason = "not valid UTF-8"
		} else if err := json.Unmarshal(raw, &m); err != nil {
			reason = fmt.Sprintf("not a memory: %v", err)
		}
		if reason != "" {
			skipped = append(skipped, wire.SkippedLine{Line: line, Reason: reason})
			continue
		}
		records = append(records, m)
	}
	return records, skipped
}
