package index

import (
	"encoding/binary"
	"slices"
	"strings"

	"codememory/internal/text"
)

// dictionary holds the terms with the documents they occur in. Terms of one
// stem form a chain, so that a second set of postings for stems is not needed:
// the postings of a stem are those of its forms.
type dictionary struct {
	byText map[string]uint32
	stems  map[string]uint32 // stem → the newest term of its chain
	terms  []term
}

const noTerm = ^uint32(0)

type term struct {
	postings []byte // see appendPosting
	last     uint32 // highest document number in postings
	df       uint32 // live documents
	next     uint32 // another term of the same stem, or noTerm
}

func newDictionary() dictionary {
	return dictionary{byText: map[string]uint32{}, stems: map[string]uint32{}}
}

// post records a new document's terms and returns them in the packed form
// that the document keeps.
func (d *dictionary) post(doc uint32, terms []text.DocumentTerm) []byte {
	type entry struct{ number, count uint32 }
	entries := make([]entry, len(terms))
	for i, t := range terms {
		entries[i] = entry{d.number(t.Text), uint32(t.Count)}
	}
	slices.SortFunc(entries, func(a, b entry) int { return int(a.number) - int(b.number) })
	var buf [1024]byte
	packed := buf[:0]
	prev := uint32(0)
	for _, e := range entries {
		packed = appendPair(packed, e.number-prev, e.count)
		prev = e.number
		d.append(e.number, doc, e.count)
	}
	return slices.Clone(packed)
}

// repost appends the postings of a document with an already packed term list.
func (d *dictionary) repost(doc uint32, packed []byte) {
	for number, count := range pairs(packed) {
		d.append(number, doc, count)
	}
}

// unpost takes a document out of the frequencies. Its postings stay until the
// index is compacted; searches skip them.
func (d *dictionary) unpost(packed []byte) {
	for number := range pairs(packed) {
		d.terms[number].df--
	}
}

func (d *dictionary) append(number, doc, count uint32) {
	t := &d.terms[number]
	t.postings = appendPair(t.postings, doc-t.last, count)
	t.last = doc
	t.df++
}

func (d *dictionary) clearPostings() {
	for i := range d.terms {
		t := &d.terms[i]
		t.postings, t.last, t.df = nil, 0, 0
	}
}

func (d *dictionary) number(s string) uint32 {
	if n, ok := d.byText[s]; ok {
		return n
	}
	s = strings.Clone(s) // not a slice of the whole text
	n := uint32(len(d.terms))
	t := term{next: noTerm}
	if !strings.HasPrefix(s, extraPrefix) {
		stem := text.Stem(s)
		if stem == s {
			stem = s // one string in memory instead of two
		}
		if head, ok := d.stems[stem]; ok {
			t.next = head
		}
		d.stems[stem] = n
	}
	d.byText[s] = n
	d.terms = append(d.terms, t)
	return n
}

// forms returns the terms of a stem.
func (d *dictionary) forms(stem string) []uint32 {
	n, ok := d.stems[stem]
	if !ok {
		return nil
	}
	var forms []uint32
	for ; n != noTerm; n = d.terms[n].next {
		forms = append(forms, n)
	}
	return forms
}

// appendPair packs a difference and a count. Most counts are 1, so one bit
// says whether a count follows.
func appendPair(b []byte, delta, count uint32) []byte {
	if count == 1 {
		return binary.AppendUvarint(b, uint64(delta)<<1)
	}
	b = binary.AppendUvarint(b, uint64(delta)<<1|1)
	return binary.AppendUvarint(b, uint64(count))
}

// pairs iterates over what appendPair packed, with the differences summed up.
func pairs(b []byte) func(yield func(number, count uint32) bool) {
	return func(yield func(number, count uint32) bool) {
		number := uint32(0)
		for i := 0; i < len(b); {
			v, n := uvarint(b[i:])
			i += n
			number += v >> 1
			count := uint32(1)
			if v&1 != 0 {
				count, n = uvarint(b[i:])
				i += n
			}
			if !yield(number, count) {
				return
			}
		}
	}
}

func uvarint(b []byte) (uint32, int) {
	if b[0] < 0x80 {
		return uint32(b[0]), 1
	}
	v, n := binary.Uvarint(b)
	return uint32(v), n
}
