package httpapi

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// The lives of a code and of the session it is exchanged for.
const (
	codeLife    = 2 * time.Minute
	sessionLife = 24 * time.Hour
	mostCodes   = 16
)

// codes are what codememory dashboard hands to a browser. Each works once: one
// that is found in a history or a process list is worth nothing.
type codes struct {
	mu    sync.Mutex
	until map[string]time.Time // by hash
}

func (c *codes) make() (string, error) {
	var raw [16]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	code := hex.EncodeToString(raw[:])
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for h, until := range c.until {
		if now.After(until) {
			delete(c.until, h)
		}
	}
	if len(c.until) >= mostCodes {
		return "", codememory.Errorf(codememory.Unavailable, "too many unused links to the web pages: wait %v", codeLife)
	}
	if c.until == nil {
		c.until = map[string]time.Time{}
	}
	c.until[string(hash(code))] = now.Add(codeLife)
	return code, nil
}

// use reports whether a code is good, and makes it bad.
func (c *codes) use(code string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := string(hash(code))
	until, ok := c.until[h]
	delete(c.until, h)
	return ok && time.Now().Before(until)
}

// A page's session is two halves made from the daemon's token: a cookie that
// scripts cannot read, and a key that the page keeps in its own storage.
// Cookies are sent to every port of this machine, storage belongs to one; a
// program on another port that is handed the cookie lacks the key. As both
// follow from the token, a session outlives a restart of the daemon, and a new
// token ends them all.

const sessionBytes = 8 + 16 // when it ends, and a random number

func (g guard) cookieName() string {
	_, port, _ := net.SplitHostPort(g.addr)
	return "codememory-" + port
}

// newSession makes both halves.
func (g guard) newSession(now time.Time) (*http.Cookie, string, error) {
	payload := make([]byte, sessionBytes)
	binary.BigEndian.PutUint64(payload, uint64(now.Add(sessionLife).Unix()))
	if _, err := rand.Read(payload[8:]); err != nil {
		return nil, "", err
	}
	return &http.Cookie{
		Name: g.cookieName(), Value: base64.RawURLEncoding.EncodeToString(append(payload, g.sign("cookie", payload)...)),
		Path: "/", MaxAge: int(sessionLife.Seconds()), HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}, hex.EncodeToString(g.sign("key", payload)), nil
}

// sign binds a session to the token and the address of this daemon.
func (g guard) sign(what string, payload []byte) []byte {
	mac := hmac.New(sha256.New, []byte(g.plain))
	for _, part := range []string{"codememory page", what, g.addr, string(payload)} {
		mac.Write([]byte(part))
		mac.Write([]byte{0})
	}
	return mac.Sum(nil)
}

// authorizePage lets a page in that holds both halves of a session. Whether
// another site sent the browser here is checked besides: no write comes from one.
func (g guard) authorizePage(r *http.Request, now time.Time) error {
	ended := codememory.Errorf(codememory.Unauthorized, "this page is not signed in, or no longer: run codememory dashboard")
	cookie, err := r.Cookie(g.cookieName())
	if err != nil || g.plain == "" || !fromPage(r) && r.Method != http.MethodGet {
		return ended
	}
	data, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || len(data) != sessionBytes+sha256.Size {
		return ended
	}
	payload, signed := data[:sessionBytes], data[sessionBytes:]
	key, err := hex.DecodeString(strings.TrimSpace(r.Header.Get(wire.KeyHeader)))
	if err != nil || !hmac.Equal(signed, g.sign("cookie", payload)) || !hmac.Equal(key, g.sign("key", payload)) {
		return ended
	}
	if now.Unix() >= int64(binary.BigEndian.Uint64(payload)) {
		return ended
	}
	return nil
}

// authorizeFor wants the token, or from a page its session for what pages may do.
func (g guard) authorizeFor(rt route, r *http.Request) error {
	if r.Header.Get(wire.KeyHeader) == "" || r.Header.Get("Authorization") != "" {
		return g.authorize(r)
	}
	if err := g.authorizePage(r, time.Now()); err != nil {
		return err
	}
	if rt.path != "" && !forPages(rt) {
		return codememory.Errorf(codememory.Forbidden, "web pages may not do this: use the codememory command")
	}
	return nil
}
