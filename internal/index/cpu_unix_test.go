//go:build unix

package index

import (
	"syscall"
	"time"
)

// cpuTime is the processor time of this process, which other work on the
// machine disturbs less than the clock.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
