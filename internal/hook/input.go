package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"time"
)

// patience is how long a payload is waited for when the arguments say it all.
const patience = 30 * time.Millisecond

// input is what came on stdin. drained is closed when nothing more comes: an
// agent that still writes when its hook ends may die of it.
type input struct {
	data    []byte
	drained <-chan struct{}
}

// read waits for the payload until it is whole, cut at MaxInput, or late. Some
// agents keep the pipe open after it.
func read(ctx context.Context, r io.Reader) (input, error) {
	drained := make(chan struct{})
	if r == nil || isDevice(r) {
		close(drained)
		return input{drained: drained}, nil
	}
	whole := make(chan []byte, 1)
	go func() {
		defer close(drained)
		data, more := readPayload(r)
		whole <- data
		if more {
			_, _ = io.Copy(io.Discard, r)
		}
	}()
	select {
	case data := <-whole:
		return input{data, drained}, nil
	case <-ctx.Done():
		return input{drained: drained}, ctx.Err()
	}
}

// readPayload reads one JSON object, and reports whether it stopped at the
// limit instead.
func readPayload(r io.Reader) (data []byte, more bool) {
	data = make([]byte, 0, 8<<10)
	for {
		if len(data) == cap(data) {
			data = append(data, make([]byte, cap(data))...)[:len(data)]
		}
		n, err := r.Read(data[len(data):min(cap(data), MaxInput)])
		data = data[:len(data)+n]
		switch {
		case err != nil:
			return data, false
		case len(data) >= MaxInput:
			return data, true
		case bytes.HasSuffix(bytes.TrimRight(data, " \r\n\t"), []byte("}")) && json.Valid(data):
			return data, false
		}
	}
}

// isDevice tells a terminal, where nobody types a payload.
func isDevice(r io.Reader) bool {
	f, ok := r.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
