//go:build !windows

package daemon

import (
	"syscall"
	"testing"
)

// stopProcess makes a process hang until it is killed.
func stopProcess(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}
