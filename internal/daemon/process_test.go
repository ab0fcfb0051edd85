package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"codememory"
	"codememory/internal/client"
	"codememory/internal/daemon/rendezvous"
	"codememory/internal/paths"
)

// machine is a user with empty folders; daemons started in it end with the test.
func machine(t *testing.T, version, flags string) paths.Layout {
	t.Helper()
	dir := t.TempDir()
	for name, value := range map[string]string{
		paths.EnvData: filepath.Join(dir, "data"), paths.EnvState: filepath.Join(dir, "state"), paths.EnvConfig: filepath.Join(dir, "config.toml"),
		envRole: "daemon", envVersion: version, envFlags: flags, client.EnvDisable: "",
		"GORACE": "atexit_sleep_ms=0", // or a daemon under the race detector ends a second late
	} {
		t.Setenv(name, value)
	}
	l, err := paths.Resolve(os.Getenv)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { endDaemon(t, l) })
	return l
}

// endDaemon ends whatever daemon runs and waits until it is gone.
func endDaemon(t *testing.T, l paths.Layout) {
	t.Helper()
	if info, err := rendezvous.ReadInfo(l); err == nil {
		if p, err := os.FindProcess(info.PID); err == nil && info.PID != os.Getpid() {
			p.Kill()
		}
	}
	awaitUnlocked(t, l)
}

func awaitUnlocked(t *testing.T, l paths.Layout) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if !rendezvous.Running(l) {
			return
		}
	}
	t.Error("the daemon does not end")
}

func ensure(t *testing.T, o client.EnsureOptions) *client.Client {
	t.Helper()
	c, err := client.Ensure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func pid(t *testing.T, c *client.Client) int {
	t.Helper()
	h, err := c.Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return h.PID
}

func TestManyClientsStartOneDaemon(t *testing.T) {
	l := machine(t, "1.0.0", "")
	const clients = 20
	pids := make([]string, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() {
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), envRole+"=client")
			var said strings.Builder
			cmd.Stderr = &said
			out, err := cmd.Output()
			if err != nil {
				t.Errorf("client %d: %v: %s", i, err, said.String())
			}
			pids[i] = strings.TrimSpace(string(out))
		})
	}
	wg.Wait()
	for _, p := range pids {
		if p == "" || p != pids[0] {
			t.Fatalf("the clients got the daemons %v", pids)
		}
	}
	log, err := os.ReadFile(l.LogFile())
	if n := strings.Count(string(log), `"daemon ready"`); err != nil || n != 1 {
		t.Errorf("%d daemons were started, %v:\n%s", n, err, log)
	}
}

func TestANewerProgramReplacesAnOlderDaemon(t *testing.T) {
	l := machine(t, "1.2.0", "")
	o := ensureOptions(l)
	first := pid(t, ensure(t, o))

	o.Version = "1.1.9"
	older := ensure(t, o)
	if got := pid(t, older); got != first || older.DaemonVersion() != "1.2.0" {
		t.Errorf("an older program got the daemon %d of version %s", got, older.DaemonVersion())
	}
	o.Version, o.KeepOlder = "1.10.0", true
	if got := pid(t, ensure(t, o)); got != first {
		t.Error("a program that keeps older daemons replaced one")
	}
	o.KeepOlder = false
	t.Setenv(envVersion, "1.10.0")
	newer := ensure(t, o)
	if got := pid(t, newer); got == first || newer.DaemonVersion() != "1.10.0" {
		t.Errorf("a newer program got the daemon %d of version %s, the old one was %d", got, newer.DaemonVersion(), first)
	}
	if again := ensure(t, o); pid(t, again) != pid(t, newer) {
		t.Error("it was replaced again")
	}
}

func TestAKilledDaemonIsStartedAgain(t *testing.T) {
	l := machine(t, "1.0.0", "")
	o := ensureOptions(l)
	c := ensure(t, o)
	first := pid(t, c)
	added, err := c.Add(t.Context(), codememory.AddRequest{Text: "the queue is drained before a deployment"})
	if err != nil {
		t.Fatal(err)
	}
	p, _ := os.FindProcess(first)
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	awaitUnlocked(t, l)
	if _, err := rendezvous.ReadInfo(l); err != nil {
		t.Fatalf("a killed daemon leaves its file: %v", err)
	}
	if _, err := c.Health(t.Context()); codememory.CodeOf(err) != codememory.Unavailable || !strings.Contains(err.Error(), "codememory daemon") {
		t.Errorf("asking the dead said %v", err)
	}
	again := ensure(t, o)
	if got := pid(t, again); got == first {
		t.Errorf("process %d answers after it was killed", got)
	}
	m, err := again.Get(t.Context(), codememory.Ref{ID: added.Memory.ID})
	if err != nil || m.Text != added.Memory.Text {
		t.Errorf("what was saved is now %q, %v", m.Text, err)
	}
}

func TestASecondDaemonEndsAtOnce(t *testing.T) {
	l := machine(t, "1.0.0", "")
	first := pid(t, ensure(t, ensureOptions(l)))
	out, err := exec.Command(os.Args[0]).CombinedOutput()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != rendezvous.ExitRunning {
		t.Errorf("it ended with %v: %s", err, out)
	}
	if !strings.Contains(string(out), fmt.Sprintf("process %d", first)) || !strings.Contains(string(out), "codememory stop") {
		t.Errorf("it said %q", out)
	}
}

func TestABusyPortIsNamed(t *testing.T) {
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	port := fmt.Sprint(other.Addr().(*net.TCPAddr).Port)
	l := machine(t, "1.0.0", "http.port="+port)
	_, err = client.Ensure(t.Context(), ensureOptions(l))
	start, ok := errors.AsType[*client.StartError](err)
	if !ok || start.Reason != client.PortBusy || !start.InProcess() || codememory.CodeOf(err) != codememory.Unavailable {
		t.Fatalf("got %#v", err)
	}
	for _, word := range []string{port, "http.port"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%q does not name %s", err, word)
		}
	}
}

func TestADaemonThatCannotStartSaysWhy(t *testing.T) {
	l := machine(t, "1.0.0", "http.port=many")
	_, err := client.Ensure(t.Context(), ensureOptions(l))
	start, ok := errors.AsType[*client.StartError](err)
	if !ok || start.Reason != client.CannotStart || !start.InProcess() || !strings.Contains(err.Error(), "http.port") {
		t.Errorf("got %v", err)
	}
	o := ensureOptions(l)
	o.Command = []string{filepath.Join(t.TempDir(), "missing")}
	if _, err := client.Ensure(t.Context(), o); !strings.Contains(fmt.Sprint(err), "missing") {
		t.Errorf("a missing program gave %v", err)
	}
}

func TestADaemonThatHangsIsNotBypassed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs SIGSTOP")
	}
	l := machine(t, "1.0.0", "")
	c := ensure(t, ensureOptions(l))
	process := pid(t, c)
	stopProcess(t, process)
	for answers := true; answers; { // its threads stop one after the other
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		_, err := c.Health(ctx)
		answers = err == nil
		cancel()
	}
	began := time.Now()
	_, err := client.Ensure(t.Context(), ensureOptions(l))
	start, ok := errors.AsType[*client.StartError](err)
	if !ok || start.Reason != client.Silent || start.InProcess() || !strings.Contains(err.Error(), fmt.Sprint(process)) {
		t.Errorf("got %v", err)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("it took %v to say so", took)
	}
}

func TestADaemonThatIsComingUpIsAwaited(t *testing.T) {
	l := machine(t, "1.0.0", "")
	lock, err := rendezvous.LockDaemon(l) // as one does that has not said yet where it is
	if err != nil {
		t.Fatal(err)
	}
	o := ensureOptions(l)
	o.Wait, o.Command = 300*time.Millisecond, []string{"/nothing/is/started/meanwhile"}
	_, err = client.Ensure(t.Context(), o)
	if start, ok := errors.AsType[*client.StartError](err); !ok || start.Reason != client.TooSlow || start.InProcess() {
		t.Errorf("got %v", err)
	}
	time.AfterFunc(100*time.Millisecond, func() { lock.Unlock() }) // it gave up
	pid(t, ensure(t, ensureOptions(l)))
}

func TestATermSignalEndsTheDaemonInOrder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	l := machine(t, "1.0.0", "")
	p, _ := os.FindProcess(pid(t, ensure(t, ensureOptions(l))))
	if err := p.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitUnlocked(t, l)
	if _, err := os.Stat(l.DaemonInfo()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("daemon.json is left: %v", err)
	}
	log, _ := os.ReadFile(l.LogFile())
	if !strings.Contains(string(log), `"daemon ended"`) {
		t.Errorf("the log ends without the end:\n%s", log)
	}
}

func TestNothingIsStartedWhenSwitchedOff(t *testing.T) {
	l := machine(t, "1.0.0", "")
	if _, err := client.Find(t.Context(), l); err == nil {
		t.Error("a daemon was found")
	}
	if _, err := os.Stat(l.Data); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking for a daemon left something: %v", err)
	}
	t.Setenv(client.EnvDisable, "1")
	_, err := client.Ensure(t.Context(), ensureOptions(l))
	if start, ok := errors.AsType[*client.StartError](err); !ok || start.Reason != client.Disabled || !start.InProcess() {
		t.Errorf("got %v", err)
	}
	t.Setenv(client.EnvDisable, "0")
	o := ensureOptions(l)
	o.NoStart = true
	_, err = client.Ensure(t.Context(), o)
	if start, ok := errors.AsType[*client.StartError](err); !ok || start.Reason != client.NotRunning {
		t.Errorf("without starting: %v", err)
	}
	if _, err := os.Stat(l.LogFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a daemon was there: %v", err)
	}
}
