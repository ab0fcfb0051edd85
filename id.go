package codememory

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"time"
)

// IDLength is the number of hexadecimal digits of a memory id.
const IDLength = 32

// shortLength is how many digits of an id people and models see.
const shortLength = 8

// ShownPrefix stands before a short id wherever one is shown.
const ShownPrefix = "mem_"

// NewID returns a fresh id: 32 hexadecimal digits that sort by time (a UUIDv7
// without its dashes). Its last eight digits are random, so they, not the
// first, are what is shown.
func NewID(now time.Time) string {
	var b [16]byte
	if _, err := rand.Read(b[6:]); err != nil {
		panic(err) // crypto/rand does not fail on supported systems
	}
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	b[6] = b[6]&0x0f | 0x70
	b[8] = b[8]&0x3f | 0x80
	return hex.EncodeToString(b[:])
}

// ShortID returns the eight digits by which people and models know id.
func ShortID(id string) string {
	if len(id) <= shortLength {
		return id
	}
	return id[len(id)-shortLength:]
}

// ShownID returns id as it is shown: "mem_" and eight digits.
func ShownID(id string) string { return ShownPrefix + ShortID(id) }

// NormalizeIDPrefix turns what a person or a model typed for an id (mem_…, a
// UUID with dashes, upper case) into the digits to look up, or reports false
// when it cannot be one.
func NormalizeIDPrefix(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	s = strings.TrimPrefix(s, ShownPrefix)
	s = strings.ReplaceAll(s, "-", "")
	if len(s) == 0 || len(s) > IDLength {
		return "", false
	}
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return "", false
		}
	}
	return s, true
}
