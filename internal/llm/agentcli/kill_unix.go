//go:build unix

package agentcli

import (
	"os/exec"
	"syscall"
)

// killWithChildren makes the end of the context end the agent and all that it
// started.
func killWithChildren(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
