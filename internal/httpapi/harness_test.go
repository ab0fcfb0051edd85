package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/paths"
	"codememory/internal/service"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const testToken = "0123456789abcdef0123456789abcdef"

// server is the real service behind real sockets.
type server struct {
	*Server
	t       *testing.T
	service codememory.Service
	base    string // http://127.0.0.1:port
	compat  string // of the second listener, without a token
	token   string
	log     *logBuffer
}

// openService opens the real service on empty folders, without a model.
func openService(t *testing.T) *service.Service {
	t.Helper()
	loaded, err := config.Load(config.Sources{Flags: map[string]string{"embedding.provider": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	s, err := service.Open(t.Context(), service.Options{
		Layout:  paths.Layout{Data: filepath.Join(dir, "data"), State: filepath.Join(dir, "state"), ConfigFile: filepath.Join(dir, "config.toml")},
		Config:  loaded,
		Version: "1.2.3",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// start serves the service on two free ports until the test ends.
func start(t *testing.T, s codememory.Service, change ...func(*Options)) *server {
	t.Helper()
	log := &logBuffer{}
	agents, _ := s.(codememory.AgentService)
	models, _ := s.(codememory.LLMService)
	view, _ := s.(codememory.ViewService)
	o := Options{Service: s, Agents: agents, LLM: models, View: view, Token: testToken, Version: "1.2.3", Log: slog.New(slog.NewJSONHandler(log, nil))}
	for _, c := range change {
		c(&o)
	}
	api := New(o)
	srv := &server{Server: api, t: t, service: s, token: testToken, log: log}
	serve := func(handler func() (string, *http.Server)) string {
		address, hs := handler()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			defer cancel()
			if err := hs.Shutdown(ctx); err != nil {
				t.Error("shutdown:", err)
			}
		})
		return "http://" + address
	}
	var wg sync.WaitGroup
	t.Cleanup(wg.Wait)
	for i, base := range []*string{&srv.base, &srv.compat} {
		l, err := Listen(t.Context(), "127.0.0.1", 0)
		if err != nil {
			t.Fatal(err)
		}
		*base = serve(func() (string, *http.Server) {
			h := api.Handler(l.Addr())
			if i == 1 {
				h = api.CompatHandler(l.Addr(), true)
			}
			hs := api.HTTPServer(h)
			wg.Go(func() { hs.Serve(l) })
			return l.Addr().String(), hs
		})
	}
	t.Cleanup(http.DefaultClient.CloseIdleConnections)
	return srv
}

// answer is a response that was read whole.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) decode(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), v); err != nil {
		t.Fatalf("%v in %s", err, a.body)
	}
}

// ask sends a request with the token. A body that is no string is sent as JSON.
func (s *server) ask(method, path string, body any, change ...func(*http.Request)) answer {
	s.t.Helper()
	return s.send(s.base, method, path, body, append([]func(*http.Request){func(r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+s.token)
	}}, change...)...)
}

func (s *server) send(base, method, path string, body any, change ...func(*http.Request)) answer {
	s.t.Helper()
	var content io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		content = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		content = bytes.NewReader(data)
	}
	r, err := http.NewRequestWithContext(s.t.Context(), method, base+path, content)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, c := range change {
		c(r)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if rt, ok := described(method, path, s.base == base); ok {
		checkDescribed(s.t, rt, response, data)
	}
	return answer{response.StatusCode, response.Header, string(data)}
}

// logBuffer is a log that can be read while it is written.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
