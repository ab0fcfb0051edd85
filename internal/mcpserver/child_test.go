package mcpserver_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"testing"
	"time"

	"codememory"
	"codememory/internal/mcpserver"
)

// childVar makes the test binary behave as another program.
const childVar = "MCPSERVER_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childVar) {
	case "":
		os.Exit(m.Run())
	case "server":
		os.Exit(serve())
	case "agent":
		os.Exit(startServer())
	}
}

// serve is "codememory mcp" with a service that takes its time to connect.
func serve() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r := &recorder{answer: func(context.Context) (string, error) {
		time.Sleep(300 * time.Millisecond)
		return "late but there", nil
	}}
	err := mcpserver.ServeStdio(ctx, mcpserver.Options{
		Version: "child", Dir: "/d", Env: os.Getenv,
		Connect: func(context.Context) (codememory.Service, codememory.AgentService, error) { return r, r, nil },
	}, os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// startServer is an agent that starts a server on its own streams and then
// does nothing until it is killed.
func startServer() int {
	server := exec.Command(os.Args[0])
	server.Env = append(os.Environ(), childVar+"=server")
	server.Stdin, server.Stdout = os.Stdin, os.Stdout
	if err := server.Start(); err != nil {
		return 1
	}
	time.Sleep(time.Minute)
	return 1
}

// child is a server in a process of its own.
type child struct {
	t       *testing.T
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	started time.Time
}

func start(t *testing.T, mode string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.CommandContext(t.Context(), os.Args[0])}
	c.cmd.Env = append(os.Environ(), childVar+"="+mode)
	c.cmd.Stderr = os.Stderr
	// Pipes of our own, so that they outlive the process they are given to.
	inRead, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, outWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c.cmd.Stdin, c.cmd.Stdout, c.in, c.out = inRead, outWrite, in, bufio.NewReader(out)
	c.started = time.Now()
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = inRead.Close(), outWrite.Close()
	t.Cleanup(func() {
		_, _ = in.Close(), out.Close()
		_ = c.cmd.Process.Kill()
		_ = c.cmd.Wait()
	})
	return c
}

func (c *child) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// message is what a client sees of an answer.
type message struct {
	ID     any            `json:"id"`
	Result map[string]any `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func (c *child) receive() message {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("no answer: %v %q", err, line)
	}
	var m message
	if err := json.Unmarshal(line, &m); err != nil {
		c.t.Fatalf("not a message: %q", line)
	}
	return m
}

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"codex-mcp-client","version":"1"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	listTools   = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	callMemory  = `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory","arguments":{"mode":"add","content":"x"}}}`
)

// ended waits until the output ends, which is when the server does.
func (c *child) ended(within time.Duration) (rest string) {
	c.t.Helper()
	done := make(chan string, 1)
	go func() {
		b, _ := io.ReadAll(c.out)
		done <- string(b)
	}()
	select {
	case rest = <-done:
	case <-time.After(within):
		c.t.Fatalf("the server did not end within %v", within)
	}
	return rest
}
