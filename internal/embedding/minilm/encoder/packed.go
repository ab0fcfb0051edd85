package encoder

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// A packed file is a magic, a directory and sections that start at multiples of
// 64 bytes, so that a weight block never straddles more cache lines than needed:
//
//	magic[8] count:u32 pad:u32 { name[16] offset:u64 length:u64 }… sections…
//
// Numbers are little-endian. Int8 matrices are used in place; the few floats
// are decoded, because an embedded string may start at any address.
const (
	packedMagic    = "CMEMBED1"
	packedHeader   = 16
	packedEntry    = 32
	packedNameLen  = 16
	packedAlign    = 64
	maxPackedCount = 1024
)

// Section is one named part of a packed file.
type Section struct {
	Name string
	Data []byte
}

// WritePacked writes sections as one packed file.
func WritePacked(w io.Writer, sections []Section) error {
	header := make([]byte, packedHeader+packedEntry*len(sections))
	copy(header, packedMagic)
	binary.LittleEndian.PutUint32(header[8:], uint32(len(sections)))
	at := alignUp(len(header))
	for i, s := range sections {
		if len(s.Name) > packedNameLen {
			return fmt.Errorf("section name %q is longer than %d bytes", s.Name, packedNameLen)
		}
		entry := header[packedHeader+packedEntry*i:]
		copy(entry, s.Name)
		binary.LittleEndian.PutUint64(entry[16:], uint64(at))
		binary.LittleEndian.PutUint64(entry[24:], uint64(len(s.Data)))
		at = alignUp(at + len(s.Data))
	}
	if err := writeAligned(w, header); err != nil {
		return err
	}
	for _, s := range sections {
		if err := writeAligned(w, s.Data); err != nil {
			return fmt.Errorf("write section %s: %w", s.Name, err)
		}
	}
	return nil
}

func writeAligned(w io.Writer, b []byte) error {
	if _, err := w.Write(b); err != nil {
		return err
	}
	_, err := w.Write(make([]byte, alignUp(len(b))-len(b)))
	return err
}

func alignUp(n int) int { return (n + packedAlign - 1) &^ (packedAlign - 1) }

// packed is an opened file: sections by name, and the first complaint.
type packed struct {
	sections map[string]string
	err      error
}

func openPacked(data string) (*packed, error) {
	if len(data) < packedHeader || data[:8] != packedMagic {
		return nil, fmt.Errorf("not a packed model: it does not start with %s", packedMagic)
	}
	count := int(binary.LittleEndian.Uint32([]byte(data[8:12])))
	if count > maxPackedCount || packedHeader+count*packedEntry > len(data) {
		return nil, fmt.Errorf("packed model is cut short: %d sections do not fit %d bytes", count, len(data))
	}
	p := &packed{sections: make(map[string]string, count)}
	for i := range count {
		entry := []byte(data[packedHeader+packedEntry*i:][:packedEntry])
		name := string(trimZeros(entry[:packedNameLen]))
		start, length := binary.LittleEndian.Uint64(entry[16:]), binary.LittleEndian.Uint64(entry[24:])
		if start > uint64(len(data)) || length > uint64(len(data))-start {
			return nil, fmt.Errorf("packed model is cut short: section %s ends beyond it", name)
		}
		p.sections[name] = data[start : start+length]
	}
	return p, nil
}

func trimZeros(b []byte) []byte {
	for len(b) > 0 && b[len(b)-1] == 0 {
		b = b[:len(b)-1]
	}
	return b
}

// raw returns a section of exactly size bytes (any size when negative).
func (p *packed) raw(name string, size int) string {
	s, ok := p.sections[name]
	if p.err == nil {
		switch {
		case !ok:
			p.err = fmt.Errorf("packed model has no section %s", name)
		case size >= 0 && len(s) != size:
			p.err = fmt.Errorf("packed model: section %s has %d bytes, not %d", name, len(s), size)
		}
	}
	if p.err != nil {
		return ""
	}
	return s
}

// int8s returns a section as a view of the file: read only.
func (p *packed) int8s(name string, n int) []int8 {
	s := p.raw(name, n)
	if s == "" {
		return nil
	}
	return unsafe.Slice((*int8)(unsafe.Pointer(unsafe.StringData(s))), len(s))
}

func (p *packed) floats(name string, n int) []float32 {
	s := p.raw(name, 4*n)
	out := make([]float32, len(s)/4)
	for i := range out {
		b := s[4*i : 4*i+4]
		out[i] = math.Float32frombits(uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24)
	}
	return out
}

// ReadFloats returns one section of a packed file.
func ReadFloats(data, name string, n int) ([]float32, error) {
	p, err := openPacked(data)
	if err != nil {
		return nil, err
	}
	values := p.floats(name, n)
	return values, p.err
}

// FloatSection makes a section of float32 values.
func FloatSection(name string, values []float32) Section {
	b := make([]byte, 0, 4*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(v))
	}
	return Section{Name: name, Data: b}
}
