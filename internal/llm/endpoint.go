package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds the body of an answer, far beyond any real one.
const maxAnswer = 8 << 20

// Endpoint is a JSON API over HTTP with a key that never shows up in an error.
type Endpoint struct {
	URL    string // without a slash at its end
	Header http.Header
	Key    string
	Client *http.Client // nil: NewClient
}

// NewClient returns a client that keeps connections, has no time limit of its
// own (every call has a context with one) and follows no redirection: a header
// with a key must not travel to another host.
func NewClient() *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second}).DialContext,
			TLSHandshakeTimeout:   10 * time.Second,
			MaxIdleConnsPerHost:   4,
			IdleConnTimeout:       90 * time.Second,
			ForceAttemptHTTP2:     true,
			ExpectContinueTimeout: time.Second,
		},
	}
}

// Post sends body to a path below the address and decodes the answer. It fails
// with *Error.
func (e Endpoint) Post(ctx context.Context, path string, body, answer any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return Errorf(Refused, "the request cannot be written as JSON: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.URL+path, bytes.NewReader(data))
	if err != nil {
		return Errorf(Refused, "%s is no address: %w", e.URL, err)
	}
	request.Header = e.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	response, err := e.client().Do(request)
	if err != nil {
		return e.unsent(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case response.StatusCode >= 300:
		return e.rejected(response, text)
	case err != nil && ctx.Err() != nil:
		return FromContext(ctx.Err())
	case err != nil:
		return Errorf(Infrastructure, "the answer broke off: %w", err)
	case len(text) > maxAnswer:
		return Errorf(BadOutput, "the answer has more than %d bytes", maxAnswer)
	}
	if err := json.Unmarshal(text, answer); err != nil {
		return Errorf(Infrastructure, "the server answered with something that is not its protocol (%d bytes): is the address right?", len(text))
	}
	return nil
}

// Reachable reports whether anything answers at the address, even with an error.
func (e Endpoint) Reachable(ctx context.Context, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.URL+path, nil)
	if err != nil {
		return Errorf(Refused, "%s is no address: %w", e.URL, err)
	}
	response, err := e.client().Do(request) // without the key: an address may be mistyped
	if err != nil {
		return e.unsent(err)
	}
	return response.Body.Close()
}

func (e Endpoint) client() *http.Client {
	if e.Client != nil {
		return e.Client
	}
	return http.DefaultClient
}

// unsent is a request without an answer.
func (e Endpoint) unsent(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // its text repeats the address
	}
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
		return FromContext(err)
	}
	out := Errorf(Infrastructure, "%s cannot be reached: %w", host(e.URL), err)
	if dial, ok := errors.AsType[*net.OpError](err); ok && dial.Op == "dial" {
		out.Unreachable = true
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		out.Unreachable = true
	}
	return out
}

// rejected is an answer with an error status.
func (e Endpoint) rejected(r *http.Response, body []byte) error {
	said := e.clean(serverMessage(body))
	out := &Error{Status: r.StatusCode, RetryAfter: retryAfter(r.Header, time.Now())}
	switch s := r.StatusCode; {
	case s == http.StatusUnauthorized || s == http.StatusForbidden:
		out.Class, out.Message = Auth, "the key is not accepted"
	case s == http.StatusPaymentRequired || s == http.StatusTooManyRequests && strings.Contains(string(body), "insufficient_quota"):
		out.Class, out.Message = Auth, "the account has no credit"
	case s == http.StatusTooManyRequests:
		out.Class, out.Message = Infrastructure, "too many requests"
	case s == http.StatusRequestTimeout || s >= 500:
		out.Class, out.Message = Infrastructure, "the server failed"
	case s < 400:
		out.Class, out.Message = Refused, "the server redirects elsewhere: set the address it points to"
	default:
		out.Class, out.Message = Refused, "the server does not take the request"
	}
	out.Message = fmt.Sprintf("%s (%d)", out.Message, r.StatusCode)
	if said != "" {
		out.Message += ": " + said
	}
	return out
}

// clean makes what a server said safe to show: one short line without the key.
func (e Endpoint) clean(said string) string {
	if e.Key != "" {
		said = strings.ReplaceAll(said, e.Key, "…")
	}
	said = strings.Join(strings.Fields(said), " ")
	const most = 200
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + "…"
	}
	return said
}

// serverMessage finds the message in the error bodies of the protocols:
// {"error":"…"}, {"error":{"message":"…"}}, {"message":"…"}, {"detail":"…"}.
func serverMessage(body []byte) string {
	var whole struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(body, &whole) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	var text string
	for _, raw := range []json.RawMessage{whole.Error, whole.Detail} {
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		if json.Unmarshal(raw, &inner) == nil && inner.Message != "" {
			return inner.Message
		}
	}
	return whole.Message
}

// retryAfter reads how long a server wants to be left alone: seconds or a date.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.Atoi(h.Get("Retry-After-Ms")); err == nil && ms > 0 {
		return time.Duration(ms) * time.Millisecond
	}
	value := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return min(time.Duration(seconds*float64(time.Second)), 24*time.Hour)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}
