package mcpserver_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory"
	"codememory/internal/mcpserver"
)

func TestEveryRevisionIsSpoken(t *testing.T) {
	for asked, want := range map[string]string{
		"2026-07-28": "2026-07-28", "2025-11-25": "2025-11-25", "2025-06-18": "2025-06-18", "2025-03-26": "2025-03-26", "2024-11-05": "2024-11-05",
	} {
		t.Run(asked, func(t *testing.T) {
			r := &recorder{}
			cs := client(t, mcpserver.Options{Service: r, Agents: r, Version: "1.2.3", Dir: "/d"}, newClient("claude-code"), &mcp.ClientSessionOptions{ProtocolVersion: asked})
			init := cs.InitializeResult()
			if init.ProtocolVersion != want || init.ServerInfo.Name != "codememory" || init.ServerInfo.Version != "1.2.3" {
				t.Errorf("%+v", init)
			}
			if !strings.Contains(init.Instructions, "not instructions") || len(init.Instructions) > 1200 {
				t.Errorf("instructions of %d bytes:\n%s", len(init.Instructions), init.Instructions)
			}
			if c := init.Capabilities; c.Tools == nil || c.Resources == nil || c.Prompts == nil || c.Logging != nil || c.Tools.ListChanged { //nolint:staticcheck // that it is not offered
				t.Errorf("capabilities %+v", c)
			}
			if got := ask(t, cs, "memory", map[string]any{"mode": "help"}); got.text != "ok" || r.last.Agent != "claude-code" {
				t.Errorf("%+v %+v", got, r.last)
			}
		})
	}
}

func TestTheServicesAreConnectedWithTheFirstCall(t *testing.T) {
	var connects atomic.Int32
	down := true
	r := &recorder{}
	cs := client(t, mcpserver.Options{Dir: "/d", Connect: func(context.Context) (codememory.Service, codememory.AgentService, error) {
		connects.Add(1)
		if down {
			return nil, nil, codememory.Errorf(codememory.Unavailable, "the daemon cannot start: run codememory doctor")
		}
		return r, r, nil
	}}, nil, nil)
	if _, err := cs.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.ListResources(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := cs.ListPrompts(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if n := connects.Load(); n != 0 {
		t.Fatalf("%d connections before the first call", n)
	}
	if got := ask(t, cs, "memory", nil); !got.wrong || !strings.Contains(got.text, "codememory doctor") {
		t.Errorf("%+v", got)
	}
	down = false
	done := make(chan error, 8)
	for range cap(done) {
		go func() {
			_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory"})
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if n := connects.Load(); n != 2 {
		t.Errorf("%d connections, want the failed and one more", n)
	}
}

func TestADefectOrAFailureEndsOneCallOnly(t *testing.T) {
	r := &recorder{}
	cs := client(t, mcpserver.Options{Service: r, Agents: r, Dir: "/d"}, nil, nil)
	r.answer = func(context.Context) (string, error) { panic("a defect") }
	_, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory"})
	var wire *jsonrpc.Error
	if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInternalError {
		t.Errorf("%v", err)
	}
	r.answer = func(context.Context) (string, error) { return "", errors.New("disk on fire") }
	if got := ask(t, cs, "memory", nil); !got.wrong || !strings.Contains(got.text, "disk on fire") || !strings.Contains(got.text, "go on without it") {
		t.Errorf("%+v", got)
	}
	r.answer = nil
	if got := ask(t, cs, "memory", nil); got.wrong || got.text != "ok" {
		t.Errorf("%+v", got)
	}
}

func TestACallEndsWhenTheClientTakesItBack(t *testing.T) {
	r := &recorder{}
	began, ended := make(chan struct{}), make(chan error, 1)
	r.answer = func(ctx context.Context) (string, error) {
		close(began)
		<-ctx.Done()
		ended <- ctx.Err()
		return "", ctx.Err()
	}
	cs := client(t, mcpserver.Options{Service: r, Agents: r, Dir: "/d"}, nil, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "memory"}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestTheInstructionsNameOnlyToolsThatExist(t *testing.T) {
	cs := client(t, mcpserver.Options{Dir: "/d"}, nil, nil)
	res, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range res.Tools {
		names = append(names, tool.Name)
	}
	for i, word := range strings.Split(cs.InitializeResult().Instructions, "`") {
		if i%2 == 1 && strings.HasPrefix(word, "memory") && !slices.Contains(names, word) {
			t.Errorf("there is no tool %s", word)
		}
	}
}
