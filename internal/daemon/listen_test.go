package daemon

import (
	"errors"
	"log/slog"
	"net"
	"testing"

	"codememory/internal/config"
	"codememory/internal/httpapi"
)

// Two users of one machine: the second daemon finds the standard port taken.
func TestTheStandardPortMayBeTakenByAnotherUser(t *testing.T) {
	if taken, err := net.Listen("tcp", "127.0.0.1:9473"); err == nil { // otherwise somebody has it already
		defer taken.Close()
	}
	log := slog.New(slog.DiscardHandler)
	open := func(flags map[string]string) (net.Listener, error) {
		loaded, err := config.Load(config.Sources{Flags: flags})
		if err != nil {
			t.Fatal(err)
		}
		return listen(t.Context(), Options{Config: loaded}, log)
	}
	l, err := open(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if l.Addr().(*net.TCPAddr).Port == 9473 {
		t.Error("it took a port that is taken")
	}
	if _, err := open(map[string]string{"http.port": "9473"}); !errors.Is(err, httpapi.ErrPortBusy) {
		t.Errorf("whoever insists on the port gets %v", err)
	}
}
