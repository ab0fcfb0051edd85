package mcpserver_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory"
	"codememory/internal/agent/opencode"
	"codememory/internal/agent/opencode/opencodetest"
	"codememory/internal/config"
	"codememory/internal/mcpserver"
	"codememory/internal/paths"
	"codememory/internal/render"
	"codememory/internal/service"
)

var update = flag.Bool("update", false, "write the golden files anew")

// world is one machine with a service, the records of an agent, and a project.
type world struct {
	*service.Service
	t   *testing.T
	db  *opencodetest.DB
	dir string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	data := t.TempDir()
	loaded, err := config.Load(config.Sources{Flags: map[string]string{"embedding.provider": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(data, "opencode.db")
	w := &world{t: t, db: opencodetest.Create(t, path), dir: filepath.Join(t.TempDir(), "shop")}
	w.db.Now = time.Now().Add(time.Minute) // after the installation
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.Service, err = service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: filepath.Join(data, "cm"), State: data, ConfigFile: filepath.Join(data, "config.toml")}, Config: loaded, Version: "test", Watch: true,
		Transcripts: []codememory.Transcripts{opencode.New(opencode.Options{Path: path, Strip: render.Strip})}, AgentData: data,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *world) add(project, text string) codememory.Memory {
	w.t.Helper()
	res, err := w.Add(w.t.Context(), codememory.AddRequest{Project: project, Text: text, Type: codememory.Architecture})
	if err != nil {
		w.t.Fatal(err)
	}
	return res.Memory
}

// session records a turn and waits until the journal has it.
func (w *world) session(prompt, answer string) string {
	w.t.Helper()
	s := w.db.Session(w.dir, "Set up the queue")
	s.Turn(prompt, answer)
	w.captured(s.ID)
	return s.ID
}

// captured waits until the journal and the record of a session have its turn.
func (w *world) captured(id string) {
	w.t.Helper()
	if err := w.Poke(w.t.Context(), codememory.Poke{Agent: "opencode", Session: id, Dir: w.dir, Event: "idle"}); err != nil {
		w.t.Fatal(err)
	}
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		text, err := w.SessionText(w.t.Context(), codememory.SessionTextRequest{Project: w.dir, Session: id})
		if err == nil && strings.Contains(text, "Last Turns") {
			return
		}
		if time.Since(began) > 10*time.Second {
			w.t.Fatal("the turn was not captured")
		}
	}
}

// options are those of a server that an agent started in the world's project.
func (w *world) options() mcpserver.Options {
	return mcpserver.Options{Service: w, Agents: w, Version: "test", Dir: w.dir}
}

// client connects a client to a server with these options.
func client(t *testing.T, o mcpserver.Options, c *mcp.Client, co *mcp.ClientSessionOptions) *mcp.ClientSession {
	t.Helper()
	if c == nil {
		c = newClient("tester")
	}
	here, there := mcp.NewInMemoryTransports()
	ss, err := mcpserver.New(o).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := c.Connect(t.Context(), here, co)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cs.Close(); err != nil {
			t.Error(err)
		}
		_ = ss.Wait() // it ends with the client
	})
	return cs
}

func newClient(name string) *mcp.Client {
	return mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, nil)
}

// answer is the text of a result.
type answer struct {
	text  string
	wrong bool
}

func ask(t *testing.T, cs *mcp.ClientSession, tool string, args any) answer {
	t.Helper()
	return askWith(t, cs, &mcp.CallToolParams{Name: tool, Arguments: args})
}

func askWith(t *testing.T, cs *mcp.ClientSession, p *mcp.CallToolParams) answer {
	t.Helper()
	res, err := cs.CallTool(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Content) != 1 || res.StructuredContent != nil {
		t.Fatalf("not one text: %+v", res)
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("not a text: %T", res.Content[0])
	}
	return answer{text.Text, res.IsError}
}

// golden compares with a file, which -update writes.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", file, diff)
	}
}

// recorder stands for the services of a daemon that cannot be looked into: it
// keeps the last request. Its other methods are never called.
type recorder struct {
	codememory.Service
	codememory.AgentService
	last   codememory.ToolRequest
	answer func(ctx context.Context) (string, error)
}

func (r *recorder) Tool(ctx context.Context, req codememory.ToolRequest) (string, error) {
	r.last = req
	if r.answer != nil {
		return r.answer(ctx)
	}
	return "ok", nil
}
