package httpapi

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"strconv"
	"strings"

	"codememory"
)

// guard decides who may ask. A program on this machine must know the token. A
// web page must not reach us at all: not from another origin, and not under
// another name that was made to point to this machine (DNS rebinding).
type guard struct {
	addr  string          // of the listener
	hosts map[string]bool // names under which we may be addressed
	token []byte          // hash of the token; nil: none is asked for
	plain string
}

func newGuard(addr net.Addr, token string) guard {
	g := guard{addr: addr.String(), hosts: map[string]bool{}, plain: token}
	_, port, _ := net.SplitHostPort(g.addr)
	for _, name := range []string{"127.0.0.1", "localhost", "[::1]"} {
		g.hosts[name+":"+port] = true
		if port == strconv.Itoa(80) { // browsers leave it out
			g.hosts[name] = true
		}
	}
	if token != "" {
		g.token = hash(token)
	}
	return g
}

// admit refuses callers from elsewhere, whatever they know.
func (g guard) admit(r *http.Request) error {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return codememory.Errorf(codememory.Forbidden, "only programs on this machine may ask")
	}
	if !g.hosts[strings.ToLower(r.Host)] {
		return codememory.Errorf(codememory.Forbidden, "this is no public server: address it as %s", g.addr)
	}
	for _, origin := range r.Header.Values("Origin") {
		if name, ok := strings.CutPrefix(strings.ToLower(origin), "http://"); !ok || !g.hosts[name] {
			return codememory.Errorf(codememory.Forbidden, "web pages of another origin may not ask")
		}
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return nil
	default:
		return codememory.Errorf(codememory.Forbidden, "web pages of another site may not ask")
	}
}

// authorize refuses callers who do not know the token. Hashes are compared, so
// that the time it takes tells neither the token nor its length.
func (g guard) authorize(r *http.Request) error {
	if g.token == nil {
		return nil
	}
	scheme, given, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") || subtle.ConstantTimeCompare(hash(strings.TrimSpace(given)), g.token) != 1 {
		return codememory.Errorf(codememory.Unauthorized, "the token is missing or wrong: send the content of the file %q in the data directory as Authorization: Bearer", "token")
	}
	return nil
}

func hash(s string) []byte {
	sum := sha256.Sum256([]byte(s))
	return sum[:]
}

// secure sets the headers that keep a browser from doing anything with an answer.
func secure(h http.Header) {
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cache-Control", "no-store")
}
