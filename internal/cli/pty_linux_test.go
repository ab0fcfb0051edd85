package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo terminal: what is written to it is kept.
type terminal struct {
	*os.File // the side of the program
	done     chan []byte
}

func newTerminal(t *testing.T, columns uint16) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(slave.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	p := &terminal{File: slave, done: make(chan []byte, 1)}
	go func() {
		var seen bytes.Buffer
		_, _ = io.Copy(&seen, master) // ends when the other side is closed
		p.done <- seen.Bytes()
	}()
	return p
}

// shown closes the program's side and returns what a person saw.
func (p *terminal) shown() string {
	_ = p.Close()
	return strings.ReplaceAll(string(<-p.done), "\r\n", "\n")
}

// onTerminal runs a command line whose stdout and stderr are a terminal.
func (h *home) onTerminal(columns uint16, env map[string]string, args ...string) string {
	h.t.Helper()
	screen := newTerminal(h.t, columns)
	code := h.execute(h.t.Context(), strings.NewReader(""), screen.File, screen.File, env, args...)
	got := screen.shown()
	if code != exitOK {
		h.t.Fatalf("codememory %s: exit code %d: %s", strings.Join(args, " "), code, got)
	}
	return got
}
