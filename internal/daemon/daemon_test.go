package daemon

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/client"
	"codememory/internal/daemon/rendezvous"
	"codememory/internal/paths"
)

// run runs a daemon in this process and returns a client of it and its end.
func run(t testing.TB, flags string, change ...func(*Options)) (*client.Client, paths.Layout, <-chan error) {
	t.Helper()
	dir := t.TempDir()
	loaded, err := load(flags)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{
		Layout: paths.Layout{Data: filepath.Join(dir, "data"), State: filepath.Join(dir, "state"), ConfigFile: filepath.Join(dir, "c.toml")},
		Config: loaded, Version: "1.0.0",
	}
	ready := make(chan rendezvous.Info, 1)
	o.Ready = func(i rendezvous.Info) { ready <- i }
	for _, c := range change {
		c(&o)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended, over := make(chan error, 1), make(chan struct{})
	go func() {
		defer close(over)
		ended <- Run(ctx, o)
	}()
	t.Cleanup(func() { cancel(); <-over })
	select {
	case <-ready:
	case err := <-ended:
		t.Fatalf("it ended with %v", err)
	}
	c, err := client.Find(t.Context(), o.Layout)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, o.Layout, ended
}

func awaitEnd(t *testing.T, ended <-chan error) {
	t.Helper()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

func TestTheDaemonLeavesWhenAsked(t *testing.T) {
	c, l, ended := run(t, "")
	info, err := rendezvous.ReadInfo(l)
	if err != nil || info.PID != os.Getpid() || info.Version != "1.0.0" || info.Address() != c.Address() {
		t.Errorf("it says of itself %+v, %v", info, err)
	}
	for _, file := range []string{l.DaemonInfo(), l.TokenFile(), l.LogFile(), l.LockFile()} {
		if stat, err := os.Stat(file); err != nil || runtime.GOOS != "windows" && stat.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v; want 0600", file, stat.Mode(), err)
		}
	}
	events, err := c.Events(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, ended)
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("an open event stream held it up for %v", took)
	}
	if _, open := <-events; open {
		t.Error("an event came after the end")
	}
	if _, err := os.Stat(l.DaemonInfo()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("daemon.json is left: %v", err)
	}
}

func TestTheDaemonLeavesWhenNobodyNeedsIt(t *testing.T) {
	c, _, ended := run(t, "daemon.idle_exit=300ms")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := c.Events(ctx); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-ended:
		t.Fatalf("it left in spite of a reader of events: %v", err)
	case <-time.After(700 * time.Millisecond):
	}
	cancel()
	awaitEnd(t, ended)
}

func TestTheLogHoldsNoMemory(t *testing.T) {
	c, l, ended := run(t, "log.level=debug")
	const text = "the zebra crossing protocol needs two acknowledgements"
	added, err := c.Add(t.Context(), codememory.AddRequest{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	c.Search(t.Context(), codememory.SearchRequest{Text: "zebra crossing"})
	c.Edit(t.Context(), codememory.Ref{ID: added.Memory.ID}, codememory.Edit{Text: new(text + ", always")})
	c.Get(t.Context(), codememory.Ref{ID: "ffffffff"})
	c.Shutdown(t.Context())
	awaitEnd(t, ended)
	log, err := os.ReadFile(l.LogFile())
	if err != nil || strings.Contains(string(log), "zebra") {
		t.Errorf("%v, the log is\n%s", err, log)
	}
	token, _ := os.ReadFile(l.TokenFile())
	if strings.Contains(string(log), strings.TrimSpace(string(token))) {
		t.Error("the log holds the token")
	}
}

func TestOldClientsHaveAPortOfTheirOwn(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	free.Close()
	run(t, "http.compat_port="+port+";http.compat_without_token=true")
	response, err := http.Get("http://" + address + "/health")
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if response.StatusCode != http.StatusOK {
		t.Errorf("an old client without a token got %s", response.Status)
	}
}

func TestATakenCompatPortIsNoReasonToFail(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, port, _ := net.SplitHostPort(other.Addr().String())
	c, l, _ := run(t, "http.compat_port="+port)
	if _, err := c.Health(t.Context()); err != nil {
		t.Error(err)
	}
	if log, _ := os.ReadFile(l.LogFile()); !strings.Contains(string(log), "http.compat_port") {
		t.Errorf("the log does not say so:\n%s", log)
	}
}

func TestTheTokenIsNotToldToWhoeverHasThePort(t *testing.T) {
	told := make(chan string, 10)
	stranger := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told <- r.Header.Get("Authorization")
		w.Header().Set("X-CodeMemory-Version", "9.9.9")
		w.WriteHeader(http.StatusNoContent)
	})}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go stranger.Serve(listener)
	defer stranger.Close()
	l := paths.Layout{Data: t.TempDir(), State: t.TempDir()}
	if err := rendezvous.WriteInfo(l, rendezvous.Info{PID: 1, Port: listener.Addr().(*net.TCPAddr).Port}); err != nil {
		t.Fatal(err)
	}
	_, err = client.Find(t.Context(), l)
	if start, ok := errors.AsType[*client.StartError](err); !ok || start.Reason != client.NotRunning {
		t.Errorf("got %v", err)
	}
	if token := <-told; token != "" {
		t.Error("the token was sent to a stranger")
	}
}

func TestWorkersRunBesideTheService(t *testing.T) {
	worked := make(chan struct{}, 100)
	c, _, ended := run(t, "", func(o *Options) {
		o.Workers = []Worker{{Name: "test", Every: time.Hour, Do: func(context.Context) error {
			worked <- struct{}{}
			return nil
		}}}
	})
	<-worked
	if err := c.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	awaitEnd(t, ended)
}
