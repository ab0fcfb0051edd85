//go:build !windows

package client

import (
	"os/exec"
	"syscall"
)

// detach gives the process a session of its own: no signal of this terminal reaches it.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
