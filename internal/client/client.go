// Package client speaks to the daemon: it implements codememory.Service over
// HTTP, finds the running daemon of this user, and starts one when none is
// running. It never opens a store itself; when no daemon can be had, it says
// why, and its caller decides what to do without one.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// Client asks one daemon. It is safe for concurrent use.
type Client struct {
	address string
	token   string
	version string
	http    *http.Client
}

var _ codememory.Service = (*Client)(nil)

// New makes a client of the daemon at address (host and port). Ensure and Find
// are the usual ways to one.
func New(address, token string) *Client {
	return &Client{
		address: address,
		token:   token,
		http: &http.Client{
			Transport: &http.Transport{
				Proxy:               nil, // the daemon is on this machine; the token goes nowhere else
				DialContext:         (&net.Dialer{Timeout: time.Second}).DialContext,
				MaxIdleConnsPerHost: 4,
				IdleConnTimeout:     30 * time.Second,
			},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Address returns where the daemon listens.
func (c *Client) Address() string { return c.address }

// DaemonVersion returns the version of the daemon that Ensure or Find found.
func (c *Client) DaemonVersion() string { return c.version }

// Close gives up the idle connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Shutdown asks the daemon to end. It answers before it does.
func (c *Client) Shutdown(ctx context.Context) error {
	return c.call(ctx, http.MethodPost, "/v1/shutdown", nil, nil, nil)
}

// call sends one request and decodes the answer. query and body may be nil.
func (c *Client) call(ctx context.Context, method, path string, query, body, answer any) error {
	var content io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return codememory.Errorf(codememory.Invalid, "encode the request: %w", err)
		}
		content = bytes.NewReader(data)
	}
	response, err := c.send(ctx, method, path, query, "application/json", content)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if answer == nil {
		_, err := io.Copy(io.Discard, response.Body)
		return c.broken(ctx, err)
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return c.broken(ctx, fmt.Errorf("read the answer to %s %s: %w", method, path, err))
	}
	return nil
}

// send returns a successful response, whose body the caller closes.
func (c *Client) send(ctx context.Context, method, path string, query any, contentType string, body io.Reader) (*http.Response, error) {
	address := "http://" + c.address + path
	if query != nil {
		if values := wire.EncodeQuery(query); len(values) > 0 {
			address += "?" + values.Encode()
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, codememory.Errorf(codememory.Invalid, "make the request: %w", err)
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	if body != nil {
		request.Header.Set("Content-Type", contentType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, c.broken(ctx, err)
	}
	if response.StatusCode >= 300 {
		defer response.Body.Close()
		return nil, failure(response)
	}
	return response, nil
}

// broken explains a request that got no answer.
func (c *Client) broken(ctx context.Context, err error) error {
	switch op, isDial := errors.AsType[*net.OpError](err); {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return codememory.Errorf(codememory.Unavailable, "the daemon did not answer in time: %w", ctx.Err())
	case isDial && op.Op == "dial":
		return codememory.Errorf(codememory.Unavailable, "no daemon answers at %s: start it with codememory daemon: %w", c.address, err)
	default:
		return codememory.Errorf(codememory.Unavailable, "the daemon broke off its answer; its log may say why: %w", err)
	}
}

// failure turns an error response back into the error that caused it.
func failure(response *http.Response) error {
	data, err := io.ReadAll(io.LimitReader(response.Body, 1<<20))
	var body wire.ErrorBody
	if err == nil && json.Unmarshal(data, &body) == nil && body.Error.Code != "" {
		return &codememory.Error{Code: body.Error.Code, Message: body.Error.Message}
	}
	code := codememory.Internal
	switch response.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		code = codememory.NotFound
	case http.StatusUnauthorized:
		code = codememory.Unauthorized
	case http.StatusForbidden:
		code = codememory.Forbidden
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		code = codememory.Unavailable
	}
	return codememory.Errorf(code, "the daemon answered %s", response.Status)
}
