package httpapi

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func TestWhoMayAsk(t *testing.T) {
	s := start(t, openService(t))
	own := s.base
	port := own[strings.LastIndex(own, ":"):]
	tests := map[string]struct {
		change []func(*http.Request)
		want   int
	}{
		"a program with the token":           {want: 200},
		"lower case scheme":                  {[]func(*http.Request){header("Authorization", "bearer "+testToken)}, 200},
		"our own page":                       {[]func(*http.Request){header("Origin", own), header("Sec-Fetch-Site", "same-origin")}, 200},
		"our own page under localhost":       {[]func(*http.Request){header("Origin", "http://localhost"+port), host("localhost" + port)}, 200},
		"an address typed by the user":       {[]func(*http.Request){header("Sec-Fetch-Site", "none")}, 200},
		"without a token":                    {[]func(*http.Request){header("Authorization", "")}, 401},
		"with a wrong token":                 {[]func(*http.Request){header("Authorization", "Bearer "+strings.Repeat("0", 32))}, 401},
		"with part of the token":             {[]func(*http.Request){header("Authorization", "Bearer "+testToken[:31])}, 401},
		"with the token as a password":       {[]func(*http.Request){header("Authorization", "Basic "+testToken)}, 401},
		"a name that points here":            {[]func(*http.Request){host("evil.example" + port)}, 403},
		"our name on another port":           {[]func(*http.Request){host("127.0.0.1:1")}, 403},
		"our name without a port":            {[]func(*http.Request){host("localhost")}, 403},
		"another origin":                     {[]func(*http.Request){header("Origin", "https://evil.example")}, 403},
		"another origin on this machine":     {[]func(*http.Request){header("Origin", "http://localhost:3000")}, 403},
		"our origin with another scheme":     {[]func(*http.Request){header("Origin", strings.Replace(own, "http", "https", 1))}, 403},
		"an origin that hides":               {[]func(*http.Request){header("Origin", "null")}, 403},
		"a page of another site":             {[]func(*http.Request){header("Sec-Fetch-Site", "cross-site")}, 403},
		"a page of a sibling site":           {[]func(*http.Request){header("Sec-Fetch-Site", "same-site")}, 403},
		"another origin that has the token!": {[]func(*http.Request){header("Origin", "http://127.0.0.1.evil.example")}, 403},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, path := range []string{"/stats", "/v1/stats", "/health"} {
				got := s.ask("GET", path, nil, tt.change...)
				if got.status != tt.want {
					t.Errorf("%s answered %d, want %d: %s", path, got.status, tt.want, got.body)
				}
				if tt.want != 200 && strings.Contains(got.body, testToken) {
					t.Error("the answer tells the token")
				}
			}
		})
	}
}

func host(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }

func TestEveryRouteAsksForTheToken(t *testing.T) {
	s := start(t, openService(t))
	for _, rt := range append(routes(), route{method: "GET", path: "/none"}, route{method: "GET", path: "/v1/none"}, route{method: "PUT", path: "/stats"}) {
		path := strings.ReplaceAll(rt.path, "{id}", "12345678")
		got := s.send(s.base, rt.method, path, nil)
		want := http.StatusUnauthorized
		if rt.public {
			want = rt.status
		}
		if got.status != want {
			t.Errorf("%s %s answered %d without the token, want %d", rt.method, path, got.status, want)
		}
	}
	if got := s.send(s.base, "GET", "//health", nil); got.status != http.StatusUnauthorized {
		t.Errorf("a crooked address answered %d without the token", got.status)
	}
}

func TestLivezTellsTheVersionAndProvesItself(t *testing.T) {
	s := start(t, openService(t))
	got := s.send(s.base, "GET", "/livez", nil, header(wire.ChallengeHeader, "nonce"))
	if got.status != http.StatusNoContent || got.body != "" || got.header.Get(wire.VersionHeader) != "1.2.3" {
		t.Errorf("got %+v", got)
	}
	address := strings.TrimPrefix(s.base, "http://")
	if !wire.CheckProof(got.header.Get(wire.ProofHeader), testToken, "nonce", address) {
		t.Errorf("the proof %q is wrong", got.header.Get(wire.ProofHeader))
	}
	if s.IdleFor() == 0 {
		t.Error("a probe counts as activity")
	}
	if got := s.send(s.base, "GET", "/livez", nil, header("Origin", "http://evil.example")); got.status != 403 {
		t.Errorf("a web page got %d from /livez", got.status)
	}
}

func TestTheSecondListenerHasOnlyOldRoutes(t *testing.T) {
	s := start(t, openService(t))
	if got := s.send(s.compat, "GET", "/stats", nil); got.status != 200 {
		t.Errorf("/stats answered %d %s", got.status, got.body)
	}
	for _, path := range []string{"/v1/stats", "/metrics", "/openapi.json", "/v1/events"} {
		if got := s.send(s.compat, "GET", path, nil); got.status != 404 {
			t.Errorf("%s answered %d", path, got.status)
		}
	}
	if got := s.send(s.compat, "POST", "/v1/shutdown", nil); got.status != 404 {
		t.Errorf("/v1/shutdown answered %d", got.status)
	}
	if got := s.send(s.compat, "GET", "/stats", nil, header("Origin", "https://evil.example")); got.status != 403 {
		t.Errorf("a web page got %d", got.status)
	}
	l, err := Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	strict := s.CompatHandler(l.Addr(), false)
	hs := s.HTTPServer(strict)
	go hs.Serve(l)
	defer hs.Close()
	if got := s.send("http://"+l.Addr().String(), "GET", "/stats", nil); got.status != 401 {
		t.Errorf("a second listener with token let a stranger in: %d", got.status)
	}
}

func TestEveryAnswerIsLockedUp(t *testing.T) {
	s := start(t, openService(t))
	for _, got := range []answer{s.ask("GET", "/v1/stats", nil), s.ask("GET", "/none", nil), s.send(s.base, "GET", "/v1/stats", nil)} {
		for name, want := range map[string]string{
			wire.VersionHeader: "1.2.3", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"X-Frame-Options": "DENY", "Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got.header.Get(name) != want {
				t.Errorf("%s is %q in an answer %d", name, got.header.Get(name), got.status)
			}
		}
		if !strings.Contains(got.header.Get("Content-Security-Policy"), "default-src 'none'") || got.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("headers of %d: %v", got.status, got.header)
		}
	}
}

func TestListenRefusesTheNetwork(t *testing.T) {
	for _, host := range []string{"0.0.0.0", "", "::", "192.168.1.2", "example.com", "localhost.evil"} {
		l, err := Listen(t.Context(), host, 0)
		if err == nil {
			l.Close()
		}
		if err == nil || codememory.CodeOf(err) != codememory.Forbidden {
			t.Errorf("%q: got %v, want it forbidden", host, err)
		}
	}
}

func TestListenNamesABusyPort(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	_, err = Listen(t.Context(), "127.0.0.1", port)
	if codememory.CodeOf(err) != codememory.Conflict || !strings.Contains(err.Error(), fmt.Sprint(port)) || !strings.Contains(err.Error(), "http.port") {
		t.Errorf("got %v", err)
	}
}

func TestBodiesAreLimited(t *testing.T) {
	s := start(t, openService(t), func(o *Options) { o.Limits = Limits{Body: 1000, ImportBody: 2000} })
	big := `{"text":"` + strings.Repeat("x", 1500) + `"}`
	if got := s.ask("POST", "/v1/memories", big); got.status != 413 || !strings.Contains(got.body, "too_large") {
		t.Errorf("native: %d %s", got.status, got.body)
	}
	if got := s.ask("POST", "/memories", big); got.status != 413 || !strings.Contains(got.body, `"detail"`) {
		t.Errorf("compat: %d %s", got.status, got.body)
	}
	if got := s.ask("POST", "/v1/import", strings.Repeat("x", 2500)); got.status != 413 {
		t.Errorf("import: %d %s", got.status, got.body)
	}
}

func TestASlowBodyIsGivenUp(t *testing.T) {
	s := start(t, openService(t), func(o *Options) { o.Limits.BodyTime = 50 * time.Millisecond })
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/search HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: 100\r\n\r\n{", strings.TrimPrefix(s.base, "http://"), testToken)
	began := time.Now()
	conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, _ := io.ReadAll(response.Body)
	if response.StatusCode != 400 || !strings.Contains(string(body), "in time") || time.Since(began) > 2*time.Second {
		t.Errorf("after %v: %d %s", time.Since(began), response.StatusCode, body)
	}
}

func TestASlowHandlerOutlivesTheBodysDeadline(t *testing.T) {
	s := start(t, &faulty{Service: openService(t), wait: 100 * time.Millisecond}, func(o *Options) { o.Limits.BodyTime = 20 * time.Millisecond })
	if got := s.ask("POST", "/v1/search", map[string]any{"text": "x"}); got.status != 200 {
		t.Errorf("got %d %s", got.status, got.body)
	}
}
