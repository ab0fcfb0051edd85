package httpapi

import (
	"sync"
	"time"
)

// activity knows when the last request ended.
type activity struct {
	mu      sync.Mutex
	running int
	last    time.Time
}

func (a *activity) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running++
}

func (a *activity) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running--
	a.last = time.Now()
}

func (a *activity) idleFor() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.running > 0 {
		return 0
	}
	return time.Since(a.last)
}

func (a *activity) busy() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.running > 0
}
