package httpapi

import (
	"context"
	"errors"
	"net"
	"strconv"

	"codememory"
)

// ErrPortBusy is the cause when another program has the port.
var ErrPortBusy = errors.New("used by another program")

// Listen opens a port of the loopback address; port 0 takes any free one. Any
// other address is refused: what is remembered is not for the network. It
// fails with Conflict and ErrPortBusy when the port is taken.
func Listen(ctx context.Context, host string, port int) (net.Listener, error) {
	ip := net.ParseIP(host)
	if ip == nil || !ip.IsLoopback() {
		return nil, codememory.Errorf(codememory.Forbidden, "will not listen on %q: the API is for this machine only, use 127.0.0.1", host)
	}
	address := net.JoinHostPort(host, strconv.Itoa(port))
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		if errors.Is(err, errAddressInUse) {
			return nil, codememory.Errorf(codememory.Conflict, "port %d is %w: end that program, or set http.port (CODEMEMORY_HTTP_PORT) to a free one", port, ErrPortBusy)
		}
		return nil, codememory.Errorf(codememory.Unavailable, "listen on %s: %w", address, err)
	}
	return l, nil
}
