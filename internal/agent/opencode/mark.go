package opencode

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// mark is what Changed knew when it last looked. It names every session,
// because nothing else can tell afterwards which one was deleted.
type mark struct {
	db       string            // identity of the database
	rows     [3]int64          // the last row of each table of messages
	at       int64             // the newest update seen
	sessions map[string]uint32 // with a number that changes with the session
}

// markForm is the version of the form of a mark.
const markForm = "1."

// mostMark bounds what a broken mark may unpack to.
const mostMark = 64 << 20

// identity names a database by its path and the time it was made.
func identity(path string, birth int64) string {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%s\x00%d", path, birth) // a hash takes everything
	return strconv.FormatUint(h.Sum64(), 36)
}

// encode writes the mark as short text. Equal marks give equal text.
func (m mark) encode() string {
	var plain bytes.Buffer
	fmt.Fprintf(&plain, "%s %d %d %d %d\n", m.db, m.rows[0], m.rows[1], m.rows[2], m.at)
	for _, id := range slices.Sorted(maps.Keys(m.sessions)) {
		fmt.Fprintf(&plain, "%s %s\n", id, strconv.FormatUint(uint64(m.sessions[id]), 36))
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		panic(err) // the level is a constant
	}
	_, _ = w.Write(plain.Bytes()) // a buffer takes everything
	_ = w.Close()
	return markForm + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// parseMark reads a mark. One that cannot be read is the beginning.
func parseMark(s string) mark {
	body, ok := strings.CutPrefix(s, markForm)
	if !ok {
		return mark{}
	}
	packed, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return mark{}
	}
	plain, err := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), mostMark))
	if err != nil {
		return mark{}
	}
	m := mark{sessions: map[string]uint32{}}
	head, rest, _ := strings.Cut(string(plain), "\n")
	if _, err := fmt.Sscanf(head, "%s %d %d %d %d", &m.db, &m.rows[0], &m.rows[1], &m.rows[2], &m.at); err != nil {
		return mark{}
	}
	for line := range strings.Lines(rest) {
		id, number, ok := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		print, err := strconv.ParseUint(number, 36, 32)
		if !ok || err != nil {
			return mark{}
		}
		m.sessions[id] = uint32(print)
	}
	return m
}
