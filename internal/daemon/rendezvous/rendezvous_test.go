package rendezvous

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"codememory"
	"codememory/internal/paths"

	"github.com/google/go-cmp/cmp"
)

func layout(t *testing.T) paths.Layout {
	return paths.Layout{Data: filepath.Join(t.TempDir(), "data"), State: t.TempDir()}
}

var quiet = slog.New(slog.DiscardHandler)

func TestTokenIsMadeOnce(t *testing.T) {
	l := layout(t)
	tokens := make([]string, 50)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			var err error
			if tokens[i], err = Token(l, quiet); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, token := range tokens {
		if token != tokens[0] || len(token) != 64 {
			t.Fatalf("got the tokens %q", tokens)
		}
	}
	info, err := os.Stat(l.TokenFile())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode(), err)
	}
	if left, _ := filepath.Glob(filepath.Join(l.Data, ".codememory-*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestTokenThatOthersCanReadIsMended(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no such modes")
	}
	l := layout(t)
	want, err := Token(l, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(l.TokenFile(), 0o644); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	got, err := Token(l, slog.New(slog.NewTextHandler(&log, nil)))
	if err != nil || got != want {
		t.Errorf("got %q, %v; want the same token", got, err)
	}
	if info, _ := os.Stat(l.TokenFile()); info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v after reading", info.Mode().Perm())
	}
	if !strings.Contains(log.String(), "WARN") || strings.Contains(log.String(), want) {
		t.Errorf("logged %q; want a warning without the token", log.String())
	}
}

func TestTokenRefuses(t *testing.T) {
	tests := map[string]struct {
		make func(path string) error
		code codememory.Code
	}{
		"an empty file": {func(path string) error { return os.WriteFile(path, nil, 0o600) }, codememory.Invalid},
		"a short token": {func(path string) error { return os.WriteFile(path, []byte("secret\n"), 0o600) }, codememory.Invalid},
		"a folder":      {func(path string) error { return os.Mkdir(path, 0o700) }, codememory.Forbidden},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := layout(t)
			if err := os.MkdirAll(l.Data, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.make(l.TokenFile()); err != nil {
				t.Fatal(err)
			}
			_, err := Token(l, quiet)
			if err == nil || codememory.CodeOf(err) != tt.code || !strings.Contains(err.Error(), l.TokenFile()) {
				t.Errorf("got %v (%s), want %s naming the file", err, codememory.CodeOf(err), tt.code)
			}
		})
	}
}

func TestInfoComesBack(t *testing.T) {
	l := layout(t)
	if _, err := ReadInfo(l); codememory.CodeOf(err) != codememory.NotFound {
		t.Errorf("without a daemon: %v", err)
	}
	if err := os.MkdirAll(l.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	want := Info{PID: 12, Port: 9473, Version: "1.2.3", Started: time.Unix(1000, 0).UTC()}
	if err := WriteInfo(l, want); err != nil {
		t.Fatal(err)
	}
	got, err := ReadInfo(l)
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, read back differently:\n%s", err, diff)
	}
	for _, junk := range []string{"", "{", `{"pid":1}`, `{"port":70000}`, "\x00\xff"} {
		if err := os.WriteFile(l.DaemonInfo(), []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadInfo(l); codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("%q gave %v, want not found", junk, err)
		}
	}
}

func TestOnlyOneDaemonHasTheLock(t *testing.T) {
	l := layout(t)
	if Running(l) {
		t.Error("a daemon runs before any was started")
	}
	first, err := LockDaemon(l)
	if err != nil {
		t.Fatal(err)
	}
	if !Running(l) {
		t.Error("the daemon does not run")
	}
	if _, err := LockDaemon(l); codememory.CodeOf(err) != codememory.Conflict || !errors.Is(err, ErrRunning) {
		t.Errorf("a second daemon got %v, want a conflict", err)
	}
	if err := first.Unlock(); err != nil {
		t.Fatal(err)
	}
	if Running(l) {
		t.Error("it still runs")
	}
	second, err := LockDaemon(l)
	if err != nil {
		t.Fatalf("after the first left: %v", err)
	}
	second.Unlock()
}

func TestLookingDoesNotKeepADaemonFromStarting(t *testing.T) {
	l := layout(t)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					Running(l)
				}
			}
		})
	}
	for range 20 {
		lock, err := LockDaemon(l)
		if err != nil {
			t.Error(err)
			break
		}
		lock.Unlock()
	}
	close(stop)
	wg.Wait()
}
