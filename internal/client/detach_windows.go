package client

import (
	"os/exec"
	"syscall"

	"golang.org/x/sys/windows"
)

// detach starts the process without a console window and out of reach of ours.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.DETACHED_PROCESS,
	}
}
