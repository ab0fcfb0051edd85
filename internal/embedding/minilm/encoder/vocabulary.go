package encoder

import (
	"encoding/binary"
	"fmt"
)

// vocabulary finds word pieces in the packed file without building a map: a
// hash table of ids made when the file was packed, probed linearly.
type vocabulary struct {
	text    string // all pieces, one after the other
	offsets string // count+1 × u32: piece i is text[offsets[i]:offsets[i+1]]
	slots   string // a power of two × u16: id+1, 0 = empty
}

const vocabularySlots = 1 << 16

func (v *vocabulary) offset(i int) int {
	b := v.offsets[4*i : 4*i+4]
	return int(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
}

func (v *vocabulary) piece(id int32) string {
	return v.text[v.offset(int(id)):v.offset(int(id)+1)]
}

// find returns the id of prefix+word. The prefix is "" or "##".
func (v *vocabulary) find(prefix, word string) (int32, bool) {
	mask := uint32(len(v.slots)/2 - 1)
	for at := hashPiece(prefix, word) & mask; ; at = (at + 1) & mask {
		slot := uint16(v.slots[2*at]) | uint16(v.slots[2*at+1])<<8
		if slot == 0 {
			return 0, false
		}
		piece := v.piece(int32(slot - 1))
		if len(piece) == len(prefix)+len(word) && piece[:len(prefix)] == prefix && piece[len(prefix):] == word {
			return int32(slot - 1), true
		}
	}
}

// hashPiece is FNV-1a over prefix and word.
func hashPiece(prefix, word string) uint32 {
	h := uint32(2166136261)
	for i := range len(prefix) {
		h = (h ^ uint32(prefix[i])) * 16777619
	}
	for i := range len(word) {
		h = (h ^ uint32(word[i])) * 16777619
	}
	return h ^ h>>15
}

// VocabularySections packs pieces, in the order of their ids.
func VocabularySections(pieces []string) []Section {
	var text, offsets []byte
	slots := make([]byte, 2*vocabularySlots)
	for id, piece := range pieces {
		offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(text)))
		text = append(text, piece...)
		at := hashPiece("", piece) % vocabularySlots
		for binary.LittleEndian.Uint16(slots[2*at:]) != 0 {
			at = (at + 1) % vocabularySlots
		}
		binary.LittleEndian.PutUint16(slots[2*at:], uint16(id+1))
	}
	offsets = binary.LittleEndian.AppendUint32(offsets, uint32(len(text)))
	return []Section{{"vocab.text", text}, {"vocab.offsets", offsets}, {"vocab.slots", slots}}
}

func (p *packed) vocabulary() vocabulary {
	v := vocabulary{
		text:    p.raw("vocab.text", -1),
		offsets: p.raw("vocab.offsets", 4*(VocabSize+1)),
		slots:   p.raw("vocab.slots", 2*vocabularySlots),
	}
	if p.err == nil && v.offset(VocabSize) != len(v.text) {
		p.err = fmt.Errorf("packed model: the vocabulary ends at byte %d of %d", v.offset(VocabSize), len(v.text))
	}
	return v
}
