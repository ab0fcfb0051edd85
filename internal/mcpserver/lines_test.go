package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// FuzzLines checks that no input ends the reading early and that whatever is
// written in answer is one message on each line.
func FuzzLines(f *testing.F) {
	for _, seed := range []string{
		"", "\n\n", "hello\n", "{}\n", "[]\n", `[{"jsonrpc":"2.0","id":1,"method":"a"}]`, "\xef\xbb\xbf\n", "\xef\xbb\xbf{}", `{"id":"\ud800"}`,
		`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n" + `{"jsonrpc":"2.0","method":"x","params":5}`, `{"id":-0,"jsonrpc":"2.0"}`, `{"id":1e999}`, "5", "null", `"a"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		var out bytes.Buffer
		l := newLines(bytes.NewReader(input), &out)
		c, err := l.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for {
			m, err := c.Read(t.Context())
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil || m == nil {
				t.Fatal(m, err)
			}
			if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
				if err := c.Write(t.Context(), &jsonrpc.Response{ID: r.ID, Result: json.RawMessage("{}")}); err != nil {
					t.Fatal(err)
				}
			}
		}
		for line := range bytes.Lines(out.Bytes()) {
			if !json.Valid(line) || line[len(line)-1] != '\n' {
				t.Errorf("wrote %q", line)
			}
		}
	})
}
