//go:build !unix

package agentcli

import "os/exec"

// killWithChildren leaves it at the agent itself: its children notice that
// their pipes are closed.
func killWithChildren(*exec.Cmd) {}
