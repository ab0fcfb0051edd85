package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"codememory"
	"codememory/internal/client"
	"codememory/internal/paths"
)

// machine is a home of its own with the built program in it.
type machine struct {
	t      *testing.T
	binary string
	env    []string
	layout paths.Layout
	dir    string // a project
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	home := t.TempDir()
	m := &machine{t: t, binary: filepath.Join(home, "codememory"), dir: filepath.Join(home, "project")}
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", m.binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	if err := os.MkdirAll(m.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	set := map[string]string{
		"HOME": home, "CODEMEMORY_DATA_DIR": filepath.Join(home, "data"), "CODEMEMORY_STATE_DIR": filepath.Join(home, "state"),
		"CODEMEMORY_CONFIG": filepath.Join(home, "config.toml"), "CODEMEMORY_HTTP_PORT": "0", "PATH": os.Getenv("PATH"),
	}
	for k, v := range set {
		m.env = append(m.env, k+"="+v)
	}
	layout, err := paths.Resolve(func(k string) string { return set[k] })
	if err != nil {
		t.Fatal(err)
	}
	m.layout = layout
	return m
}

// daemon starts a daemon and waits until it answers.
func (m *machine) daemon() *exec.Cmd {
	m.t.Helper()
	cmd := exec.Command(m.binary, "daemon")
	cmd.Env = m.env
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = cmd.Process.Kill() })
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
		if c, err := client.Find(m.t.Context(), m.layout); err == nil {
			h, err := c.Health(m.t.Context())
			_ = c.Close()
			if err == nil && h.PID == cmd.Process.Pid {
				return cmd
			}
		}
		time.Sleep(20 * time.Millisecond)
	}
	m.t.Fatal("the daemon does not answer")
	return nil
}

var words = strings.Fields(`gateway token cache retry budget queue worker schema index migration deploy rollback feature flag session cookie
	payment invoice webhook signature tenant shard replica leader quorum snapshot cursor journal ledger parser lexer grammar linker
	socket tunnel proxy router firewall beacon sensor turbine compass harbor lantern meadow pebble quartz saffron thicket walnut`)

// sentence makes a text unlike any other.
func sentence(r *rand.Rand, client, n int) string {
	picked := make([]string, 9)
	for i := range picked {
		picked[i] = words[r.IntN(len(words))]
	}
	return fmt.Sprintf("The %s of client%dwrite%d", strings.Join(picked, " "), client, n)
}

// Eight clients write while the daemon is killed, twice, without warning.
// Whatever was acknowledged is there afterwards, once.
func TestNothingAcknowledgedIsLostWhenTheDaemonIsKilled(t *testing.T) {
	m := newMachine(t)
	daemon := m.daemon()
	const clients, each = 8, 125
	var acknowledged sync.Map
	var done atomic.Int64
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(c)))
			for n := range each {
				text := sentence(r, c, n)
				for ctx.Err() == nil {
					err := m.write(ctx, text)
					if err == nil {
						acknowledged.Store(text, true)
						done.Add(1)
						break
					}
					if strings.Contains(err.Error(), "SQLITE_BUSY") || strings.Contains(err.Error(), "database is locked") {
						t.Errorf("a client saw a lock: %v", err)
					}
					time.Sleep(50 * time.Millisecond)
				}
			}
		})
	}
	for _, at := range []int64{200, 600} {
		for done.Load() < at && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		if err := daemon.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = daemon.Wait()
		daemon = m.daemon()
	}
	wg.Wait()
	if done.Load() != clients*each {
		t.Fatalf("only %d of %d writes were acknowledged in time", done.Load(), clients*each)
	}
	if err := daemon.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = daemon.Wait()
	m.daemon()
	c, err := client.Find(ctx, m.layout)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	seen := map[string]int{}
	page := codememory.ListRequest{Project: m.dir, PageRequest: codememory.PageRequest{Limit: 400}}
	for {
		got, err := c.List(ctx, page)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range got.Memories {
			seen[x.Text]++
		}
		if page.Cursor = got.Next; got.Next == "" {
			break
		}
	}
	acknowledged.Range(func(text, _ any) bool {
		if n := seen[text.(string)]; n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
		return true
	})
	if len(seen) != clients*each {
		t.Errorf("%d memories, want %d", len(seen), clients*each)
	}
	reports, err := c.Verify(ctx, m.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range reports {
		if len(r.Problems) > 0 {
			t.Errorf("problems after the kills: %+v", r.Problems)
		}
	}
}

func (m *machine) write(ctx context.Context, text string) error {
	c, err := client.Find(ctx, m.layout)
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_, err = c.Add(ctx, codememory.AddRequest{Project: m.dir, Text: text})
	return err
}
