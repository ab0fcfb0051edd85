package httpapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"codememory/internal/httpapi/wire"
	"codememory/internal/webui"
)

func withWebPages(o *Options) { o.Pages = webui.Handler() }

// browser is a page of ours in a browser.
type browser struct {
	*server
	cookie *http.Cookie
	key    string
}

func sameOrigin(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") }

// signIn does what the page does with the code in its address.
func (s *server) signIn() *browser {
	s.t.Helper()
	var code wire.PageCode
	s.ask("POST", "/v1/page/code", nil).decode(s.t, &code)
	got := s.send(s.base, "POST", "/ui/session", code, sameOrigin)
	if got.status != 200 {
		s.t.Fatalf("signing in answered %d %s", got.status, got.body)
	}
	var session wire.PageSession
	got.decode(s.t, &session)
	cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie"))
	if err != nil {
		s.t.Fatal(err)
	}
	return &browser{server: s, cookie: cookie, key: session.Key}
}

func (b *browser) open(method, path string, body any, change ...func(*http.Request)) answer {
	b.t.Helper()
	return b.send(b.base, method, path, body, append([]func(*http.Request){sameOrigin, func(r *http.Request) {
		r.AddCookie(b.cookie)
		r.Header.Set(wire.KeyHeader, b.key)
	}}, change...)...)
}

func TestAPageMayDoWhatItIsForAndNothingElse(t *testing.T) {
	s := start(t, openService(t), withWebPages, func(o *Options) { o.Shutdown = func() { t.Error("a page ended the daemon") } })
	b := s.signIn()
	if b.cookie.HttpOnly != true || b.cookie.SameSite != http.SameSiteStrictMode || b.cookie.Domain != "" || b.cookie.Path != "/" {
		t.Errorf("the cookie is %+v", b.cookie)
	}
	if strings.Contains(b.cookie.Value, testToken) || strings.Contains(b.key, testToken) {
		t.Error("a half of the session holds the token")
	}
	if got := b.open("POST", "/v1/memories", object{"text": "Pages may write"}); got.status != 200 {
		t.Errorf("a page could not write: %d %s", got.status, got.body)
	}
	if got := b.open("GET", "/v1/none", nil); got.status != http.StatusNotFound {
		t.Errorf("a page that asks for nothing got %d", got.status)
	}
	for _, rt := range routes() {
		want := http.StatusForbidden
		if rt.public || forPages(rt) {
			continue
		}
		if got := b.open(rt.method, strings.ReplaceAll(rt.path, "{id}", "12345678"), nil); got.status != want {
			t.Errorf("a page got %d from %s %s", got.status, rt.method, rt.path)
		}
	}
}

func TestBothHalvesOfASessionAreNeeded(t *testing.T) {
	s := start(t, openService(t), withWebPages)
	b, other := s.signIn(), s.signIn()
	for name, change := range map[string]func(*http.Request){
		"no cookie":             func(r *http.Request) { r.Header.Del("Cookie") },
		"no key":                func(r *http.Request) { r.Header.Del(wire.KeyHeader) },
		"the key of another":    func(r *http.Request) { r.Header.Set(wire.KeyHeader, other.key) },
		"a cut cookie":          func(r *http.Request) { r.Header.Set("Cookie", b.cookie.Name+"="+b.cookie.Value[:20]) },
		"a changed cookie":      func(r *http.Request) { r.Header.Set("Cookie", b.cookie.Name+"=B"+b.cookie.Value[1:]) },
		"a wrong token besides": func(r *http.Request) { r.Header.Set("Authorization", "Bearer wrong") },
	} {
		if got := b.open("GET", "/v1/stats", nil, change); got.status != http.StatusUnauthorized {
			t.Errorf("%s: %d", name, got.status)
		}
	}
	if got := b.open("GET", "/v1/stats", nil); got.status != 200 {
		t.Errorf("a whole session was refused: %d %s", got.status, got.body)
	}
}

func TestOtherSitesCannotWriteThroughASession(t *testing.T) {
	s := start(t, openService(t), withWebPages)
	b := s.signIn()
	for name, change := range map[string]func(*http.Request){
		"another site":             func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another port":             func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"another origin":           func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"no word where it is from": func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") },
		"typed by the user":        func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") },
	} {
		if got := b.open("POST", "/v1/memories", object{"text": "forged"}, change); got.status != 401 && got.status != 403 {
			t.Errorf("%s: %d", name, got.status)
		}
		var code wire.PageCode
		s.ask("POST", "/v1/page/code", nil).decode(t, &code)
		if got := s.send(s.base, "POST", "/ui/session", code, sameOrigin, change); got.status != 403 {
			t.Errorf("%s signed in: %d", name, got.status)
		}
	}
}

func TestACodeWorksOnceAndSoon(t *testing.T) {
	s := start(t, openService(t), withWebPages)
	var code wire.PageCode
	s.ask("POST", "/v1/page/code", nil).decode(t, &code)
	for i, want := range []int{200, 401} {
		if got := s.send(s.base, "POST", "/ui/session", code, sameOrigin); got.status != want {
			t.Errorf("use %d answered %d %s", i+1, got.status, got.body)
		}
	}
	s.ask("POST", "/v1/page/code", nil).decode(t, &code)
	s.codes.mu.Lock()
	for h := range s.codes.until {
		s.codes.until[h] = time.Now().Add(-time.Second)
	}
	s.codes.mu.Unlock()
	if got := s.send(s.base, "POST", "/ui/session", code, sameOrigin); got.status != 401 {
		t.Errorf("an old code answered %d", got.status)
	}
	for range mostCodes {
		s.ask("POST", "/v1/page/code", nil)
	}
	if got := s.ask("POST", "/v1/page/code", nil); got.status != 503 {
		t.Errorf("codes without end: %d", got.status)
	}
}

func TestASessionEnds(t *testing.T) {
	s := start(t, openService(t), withWebPages)
	b := s.signIn()
	r, err := http.NewRequest("GET", b.base+"/v1/stats", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(b.cookie)
	r.Header.Set(wire.KeyHeader, b.key)
	g := guard{addr: strings.TrimPrefix(b.base, "http://"), plain: testToken}
	if err := g.authorizePage(r, time.Now()); err != nil {
		t.Errorf("now: %v", err)
	}
	if err := g.authorizePage(r, time.Now().Add(sessionLife+time.Second)); err == nil {
		t.Error("a day later the session still works")
	}
	g.plain = "another token"
	if err := g.authorizePage(r, time.Now()); err == nil {
		t.Error("a new token did not end the session")
	}
	got := b.open("DELETE", "/ui/session", nil)
	if cookie, err := http.ParseSetCookie(got.header.Get("Set-Cookie")); err != nil || cookie.MaxAge >= 0 {
		t.Errorf("signing out left %q", got.header.Get("Set-Cookie"))
	}
}

func TestPagesAreServedLockedUp(t *testing.T) {
	s := start(t, openService(t), withWebPages)
	fromLink := func(r *http.Request) {
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		r.Header.Set("Sec-Fetch-Mode", "navigate")
		r.Header.Set("Sec-Fetch-Dest", "document")
	}
	got := s.send(s.base, "GET", "/", nil, fromLink)
	if got.status != 200 || !strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
		t.Fatalf("the page: %d %s", got.status, got.header.Get("Content-Type"))
	}
	policy := got.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"} {
		if !strings.Contains(policy, want) {
			t.Errorf("the policy lacks %s: %s", want, policy)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "http:") || got.header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("the policy is loose: %s", policy)
	}
	if again := s.send(s.base, "GET", "/", nil, header("If-None-Match", got.header.Get("ETag"))); again.status != http.StatusNotModified {
		t.Errorf("an unchanged file answered %d", again.status)
	}
	if got := s.send(s.base, "GET", "/v1/stats", nil, fromLink); got.status != 403 {
		t.Errorf("a link to the API answered %d", got.status)
	}
	for path, want := range map[string]int{"/ui/none.js": 404, "/ui/../webui.go": 404, "/ui/": 404} {
		if got := s.send(s.base, "GET", path, nil); got.status != want {
			t.Errorf("%s answered %d", path, got.status)
		}
	}
	if got := s.send(s.base, "POST", "/", nil); got.status != 405 {
		t.Errorf("POST / answered %d", got.status)
	}
	if got := s.send(s.base, "GET", "/", nil, host("evil.example")); got.status != 403 {
		t.Errorf("under another name: %d", got.status)
	}
	if got := s.send(s.compat, "GET", "/", nil); got.status == 200 {
		t.Error("the second listener serves pages")
	}
}

func TestForPagesNamesRoutesThatExist(t *testing.T) {
	allowed := 0
	for _, rt := range routes() {
		if forPages(rt) {
			allowed++
		}
	}
	if allowed < 30 {
		t.Errorf("only %d routes are for pages", allowed)
	}
}
