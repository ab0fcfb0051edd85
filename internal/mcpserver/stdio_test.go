package mcpserver_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"math"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"codememory/internal/mcpserver"
)

func TestInitializeIsAnsweredAtOnceByASmallProcess(t *testing.T) {
	best, rss := time.Hour, math.MaxInt
	for range 3 {
		c := start(t, "server")
		c.send(initialize)
		if m := c.receive(); m.Result["protocolVersion"] != "2025-06-18" {
			t.Fatalf("%+v", m)
		}
		best = min(best, time.Since(c.started))
		c.send(initialized)
		c.send(listTools)
		c.send(callMemory)
		_, _ = c.receive(), c.receive()
		rss = min(rss, residentKB(t, c.cmd.Process.Pid))
	}
	t.Logf("start of the process to the answer: %v; resident: %d KB", best, rss)
	if raceEnabled || testing.CoverMode() != "" || flag.Lookup("test.fuzz").Value.String() != "" {
		return // which take time and memory of their own
	}
	if best > 50*time.Millisecond {
		t.Errorf("initialize took %v", best)
	}
	if rss > 20<<10 {
		t.Errorf("%d KB resident", rss)
	}
}

// residentKB returns how much memory a process has, or 0 where that cannot be told.
func residentKB(t *testing.T, pid int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`VmRSS:\s+(\d+) kB`).FindSubmatch(b)
	if m == nil {
		t.Fatal("no VmRSS")
	}
	kb, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return kb
}

func TestTheServerEndsWithItsInputAfterAnswering(t *testing.T) {
	c := start(t, "server")
	c.send(initialize)
	c.send(initialized)
	c.send(callMemory)
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	if m := c.receive(); m.ID != 1.0 {
		t.Errorf("%+v", m)
	}
	if m := c.receive(); m.ID != 3.0 || m.Result == nil || m.Result["isError"] != nil {
		t.Errorf("the call was not answered: %+v", m)
	}
	if rest := c.ended(3 * time.Second); rest != "" {
		t.Errorf("more output: %q", rest)
	}
	if err := c.cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestTheServerEndsWithItsAgent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the end of the input is all there is")
	}
	c := start(t, "agent")
	c.send(initialize)
	c.receive()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	c.ended(5 * time.Second) // although we hold its input open
	t.Logf("ended %v after its agent", time.Since(began))
}

func TestTheServerSurvivesWhatIsNoMessage(t *testing.T) {
	c := start(t, "server")
	for _, tt := range []struct {
		name, line string
		code       int // 0: there is no answer
		id         any
	}{
		{"words", "hello", -32700, nil},
		{"a blank line", "  ", 0, nil},
		{"half a message", `{"jsonrpc":"2.0","id":7,`, -32700, nil},
		{"bytes", "\xff\xfe\x00\x01", -32700, nil},
		{"a number", "5", -32600, nil},
		{"an object that is no message", `{"id":9,"foo":1}`, -32600, 9.0},
		{"an old version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, -32600, "a"},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, -32600, nil},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, 0, nil},
		{"two messages on a line", initialize + initialize, -32700, nil},
		{"too much", `{"jsonrpc":"2.0","id":5,"method":"` + strings.Repeat("x", 9<<20) + `"}`, -32600, nil},
	} {
		c.send(tt.line)
		if tt.code == 0 {
			continue
		}
		if m := c.receive(); m.Error == nil || m.Error.Code != tt.code || m.ID != tt.id {
			t.Errorf("%s: %+v %+v", tt.name, m, m.Error)
		}
	}
	c.send("\xef\xbb\xbf" + initialize + "\r")
	if m := c.receive(); m.ID != 1.0 || m.Result == nil {
		t.Errorf("%+v", m)
	}
	c.send(initialized)
	c.send(strings.Replace(callMemory, `"x"`, `"`+strings.Repeat("long ", 1<<20)+`"`, 1))
	if m := c.receive(); m.ID != 3.0 || m.Result == nil {
		t.Errorf("a large message: %+v", m.Error)
	}
	c.send(`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"nothing"}}`)
	if m := c.receive(); m.Error == nil || m.Error.Code != -32602 {
		t.Errorf("an unknown tool: %+v", m)
	}
	c.send(`{"jsonrpc":"2.0","id":5,"method":"no/such"}`)
	if m := c.receive(); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("an unknown method: %+v", m)
	}
}

func TestTheNewestProtocolNeedsNoInitialize(t *testing.T) {
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"claude-code","version":"2"}}`
	c := start(t, "server")
	c.send(`{"jsonrpc":"2.0","id":"server-discover-probe-1","method":"server/discover","params":{` + meta + `}}`)
	m := c.receive()
	versions, ok := m.Result["supportedVersions"].([]any)
	if !ok || len(versions) != 5 || versions[0] != "2026-07-28" {
		t.Errorf("%+v", m)
	}
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`)
	if m := c.receive(); m.Result["resultType"] != "complete" || m.Result["cacheScope"] != "public" || m.Result["ttlMs"] != 300000.0 {
		t.Errorf("%+v", m.Result)
	}
	c.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"memory","arguments":{},` + meta + `}}`)
	if m := c.receive(); m.Result["resultType"] != "complete" {
		t.Errorf("%+v", m)
	}
}

func TestTheServerEndsWithItsContext(t *testing.T) {
	in, feed := io.Pipe()
	defer feed.Close()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mcpserver.ServeStdio(ctx, mcpserver.Options{Dir: "/d"}, in, io.Discard) }()
	cancel()
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("it did not end")
	}
}
