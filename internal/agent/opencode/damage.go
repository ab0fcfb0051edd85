package opencode

import "sync"

// damage remembers which rows could not be read, so that Check can count them
// without counting one twice.
type damage struct {
	mu  sync.Mutex
	ids map[string]bool
}

// mostDamage bounds the memory that a thoroughly broken database may take.
const mostDamage = 10_000

func (d *damage) add(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ids == nil {
		d.ids = map[string]bool{}
	}
	if len(d.ids) < mostDamage {
		d.ids[id] = true
	}
}

func (d *damage) count() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.ids)
}
