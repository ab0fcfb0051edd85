package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
)

// tensors reads a safetensors file: a length, a JSON directory, then the data.
type tensors struct {
	directory map[string]json.RawMessage
	data      []byte
	err       error
}

func openTensors(b []byte) (*tensors, error) {
	if len(b) < 8 {
		return nil, fmt.Errorf("safetensors file is cut short")
	}
	n := binary.LittleEndian.Uint64(b)
	if n > uint64(len(b)-8) {
		return nil, fmt.Errorf("safetensors directory of %d bytes does not fit the file", n)
	}
	t := &tensors{data: b[8+n:]}
	if err := json.Unmarshal(b[8:8+n], &t.directory); err != nil {
		return nil, fmt.Errorf("read safetensors directory: %w", err)
	}
	return t, nil
}

// floats returns the named half-precision tensors, one after the other.
func (t *tensors) floats(names ...string) []float32 {
	var out []float32
	for _, name := range names {
		var entry struct {
			Type    string `json:"dtype"`
			Offsets [2]int `json:"data_offsets"`
		}
		if err := json.Unmarshal(t.directory[name], &entry); err != nil || entry.Type != "F16" {
			t.err = fmt.Errorf("safetensors file has no half-precision tensor %s", name)
			return nil
		}
		data := t.data[entry.Offsets[0]:entry.Offsets[1]]
		for i := 0; i+1 < len(data); i += 2 {
			out = append(out, fromHalf(binary.LittleEndian.Uint16(data[i:])))
		}
	}
	return out
}

func fromHalf(h uint16) float32 {
	sign, exponent, fraction := uint32(h>>15)<<31, uint32(h>>10)&31, uint32(h)&1023
	switch exponent {
	case 0:
		value := float32(fraction) * 0x1p-24
		return math.Float32frombits(math.Float32bits(value) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | fraction<<13)
	}
	return math.Float32frombits(sign | (exponent+112)<<23 | fraction<<13)
}
