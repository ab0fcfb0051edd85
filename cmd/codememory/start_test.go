package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestStartIsFast guards the budget of every hook and command: nothing slow may
// happen before main. It counts processor time, not the clock, and takes the
// best of several runs, because the machine may be busy.
func TestStartIsFast(t *testing.T) {
	const budget = 50 * time.Millisecond
	best := time.Hour
	for range 10 {
		cmd := exec.Command("codememory", "version")
		cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0")
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		best = min(best, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	t.Logf("codememory version takes %v of processor time", best)
	if best > budget {
		t.Errorf("codememory version takes %v of processor time, the budget is %v (GODEBUG=inittrace=1 shows who takes it)", best, budget)
	}
}
