package jsonl

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
)

// Limits of what is taken into memory at once.
const (
	longLine   = 1 << 20   // above it the long strings of a line are cut
	longString = 256 << 10 // what is left of each
	mostLine   = 16 << 20  // a line that is longer even so is left out
)

// scanLines calls fn with each line of r and returns how many bytes it has gone
// through. A line that is not finished yet is left for later, unless it is a
// whole JSON value: then only the line feed is missing. The long strings of a
// huge line are cut with a mark; a line that cannot be shortened comes as nil.
// The bytes are valid until fn returns.
func scanLines(r io.Reader, fn func(line []byte) error) (int64, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	var short *shortener
	var done, size int64
	for {
		chunk, err := in.ReadSlice('\n')
		size += int64(len(chunk))
		if short == nil && len(line)+len(chunk) > longLine {
			short = &shortener{limit: longString, most: mostLine}
			short.take(line)
		}
		if short != nil {
			short.take(chunk)
		} else {
			line = append(line, chunk...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return done, err
		}
		whole := line
		if short != nil {
			whole = short.bytes()
		}
		if err != nil && !json.Valid(whole) {
			return done, nil // the rest is still being written
		}
		if size > 0 {
			if whole = bytes.TrimSpace(whole); len(whole) > 0 || short != nil {
				if failed := fn(whole); failed != nil {
					return done, failed
				}
			}
		}
		done += size
		if err != nil {
			return done, nil
		}
		line, short, size = line[:0], nil, 0
	}
}

// FirstLine returns the first line of a file. It fails when the line is not
// finished yet or is huge.
func FirstLine(path string) ([]byte, error) {
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	return bufio.NewReaderSize(io.LimitReader(in, longLine), 64<<10).ReadBytes('\n')
}
