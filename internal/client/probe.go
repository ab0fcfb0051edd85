package client

import (
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"time"

	"codememory/internal/daemon/rendezvous"
	"codememory/internal/httpapi/wire"
	"codememory/internal/paths"
)

// probeTime is how long a daemon may take to say that it lives. It does no
// work for that, so more would mean that it hangs.
const probeTime = 500 * time.Millisecond

// found is what a probe learned.
type found int

const (
	absent found = iota // nobody, or another program, answers where the daemon was
	alive
	silent // somebody takes the call and says nothing
)

// probe asks the daemon that daemon.json names whether it lives and is ours.
// The token is not sent: a daemon that was killed may have left its port to
// anyone.
func probe(ctx context.Context, l paths.Layout, token string) (*Client, found) {
	info, err := rendezvous.ReadInfo(l)
	if err != nil {
		return nil, absent
	}
	c := New(info.Address(), token)
	ctx, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.address+"/livez", nil)
	if err != nil {
		return nil, absent
	}
	challenge := rand.Text()
	request.Header.Set(wire.ChallengeHeader, challenge)
	response, err := c.http.Do(request)
	if err != nil {
		c.Close()
		if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
			return nil, silent
		}
		return nil, absent
	}
	response.Body.Close()
	if !wire.CheckProof(response.Header.Get(wire.ProofHeader), token, challenge, c.address) {
		c.Close()
		return nil, absent
	}
	c.version = response.Header.Get(wire.VersionHeader)
	return c, alive
}
