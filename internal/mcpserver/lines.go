package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory/internal/render"
)

// lines speaks JSON-RPC with one message on each line. Unlike the transport of
// the SDK it survives lines that are no messages: it answers them with an
// error and goes on. When the input ends, calls that came before are answered
// first.
type lines struct {
	in       *bufio.Reader
	messages chan jsonrpc.Message
	ended    chan struct{} // the input ended and its calls are answered
	closed   chan struct{}
	close    sync.Once

	mu       sync.Mutex // guards writing and what follows
	out      io.Writer
	open     map[jsonrpc.ID]bool // calls that are not answered
	answered chan struct{}       // has one item after an answer
	readErr  error
}

// answerTime is how long calls may take after the input ended.
const answerTime = 5 * time.Second

func newLines(in io.Reader, out io.Writer) *lines {
	return &lines{
		in: bufio.NewReaderSize(in, 16<<10), out: out, messages: make(chan jsonrpc.Message), ended: make(chan struct{}), closed: make(chan struct{}),
		open: map[jsonrpc.ID]bool{}, answered: make(chan struct{}, 1),
	}
}

// Connect implements mcp.Transport.
func (l *lines) Connect(context.Context) (mcp.Connection, error) {
	go l.run()
	return l, nil
}

// SessionID implements mcp.Connection.
func (l *lines) SessionID() string { return "" }

// Close implements mcp.Connection. A read of the input that is under way goes
// on: it cannot be ended without closing the input, which is not ours.
func (l *lines) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

// Read implements mcp.Connection.
func (l *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.messages:
		return m, nil
	case <-l.ended:
		return nil, l.readErr
	case <-l.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements mcp.Connection.
func (l *lines) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	b, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if r, ok := m.(*jsonrpc.Response); ok {
		delete(l.open, r.ID)
		select {
		case l.answered <- struct{}{}:
		default:
		}
	}
	_, err = l.out.Write(append(b, '\n'))
	return err
}

// run hands on messages until the input ends.
func (l *lines) run() {
	var err error
	for err == nil {
		var line []byte
		var whole bool
		line, whole, err = l.line()
		line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf")))
		switch {
		case !whole:
			l.refuse(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("a message may have at most %d MB", maxMessage>>20))
		case len(line) > 0 && !l.accept(line):
			return
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.EOF
	}
	l.readErr = err
	l.finish()
	close(l.ended)
}

// line returns the next line, and false when it is too long to be kept.
func (l *lines) line() (line []byte, whole bool, err error) {
	whole = true
	for {
		part, err := l.in.ReadSlice('\n')
		if whole = whole && len(line)+len(part) <= maxMessage; whole {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, whole, err
		}
	}
}

// accept hands on the message of a line; false when nobody reads any more.
func (l *lines) accept(line []byte) bool {
	switch {
	case !json.Valid(line): // the decoder below does not look at what follows a message
		l.refuse(nil, jsonrpc.CodeParseError, "this line is not JSON")
		return true
	case line[0] == '[':
		// Two old revisions had batches, which no client ever sent.
		l.refuse(nil, jsonrpc.CodeInvalidRequest, "batches are not supported: send one message on each line")
		return true
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		l.refuse(idOf(line), jsonrpc.CodeInvalidRequest, "this line is not a JSON-RPC 2.0 message: "+render.Line(err.Error(), 200))
		return true
	}
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() && r.Method != "subscriptions/listen" {
		l.mu.Lock()
		l.open[r.ID] = true
		l.mu.Unlock()
	}
	select {
	case l.messages <- m:
		return true
	case <-l.closed:
		return false
	}
}

// idOf returns the id of something that is no message otherwise.
func idOf(line []byte) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(line, &m) != nil || len(m.ID) == 0 || m.ID[0] != '"' && (m.ID[0] < '0' || m.ID[0] > '9') {
		return nil
	}
	return m.ID
}

// refuse answers a line that is no message.
func (l *lines) refuse(id json.RawMessage, code int, why string) {
	type wireError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	b, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   wireError       `json:"error"`
	}{"2.0", id, wireError{code, why}})
	if err != nil {
		return // an id that was just parsed can be written again
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	// When nobody reads answers any more, the next write of a message tells.
	_, _ = l.out.Write(append(b, '\n'))
}

// finish waits for the answers to calls that came before the end of the input:
// what a client asked to save is saved even if it left at once.
func (l *lines) finish() {
	late := time.After(answerTime)
	for {
		l.mu.Lock()
		n := len(l.open)
		l.mu.Unlock()
		if n == 0 {
			return
		}
		select {
		case <-l.answered:
		case <-late:
			return
		case <-l.closed:
			return
		}
	}
}
