package hook

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("SAY_CALLER") != "" {
		os.Stdout.WriteString(callerProcess())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestTheCallerIsTheAgentNotItsShell(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, command := range map[string][]string{
		"direct":             {self},
		"through a shell":    {"sh", "-c", self},
		"a shell that waits": {"sh", "-c", self + "; true"},
		"two shells":         {"sh", "-c", "sh -c '" + self + "; true'; true"},
	} {
		cmd := exec.Command(command[0], command[1:]...)
		cmd.Env = append(os.Environ(), "SAY_CALLER=1")
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != strconv.Itoa(os.Getpid()) {
			t.Errorf("%s: called by %q, want %d: %v", name, got, os.Getpid(), err)
		}
	}
}
