package daemon

import (
	"context"
	"time"
)

const (
	upkeepEvery = 5 * time.Minute
	upkeepIdle  = 2 * time.Minute // nobody may have asked for this long
)

// upkeep looks after the stores once a day, while nobody asks for anything.
func (d *daemon) upkeep() Worker {
	idle := func() bool { return d.api.IdleFor() >= upkeepIdle }
	return Worker{Name: "upkeep", Every: upkeepEvery, Do: func(ctx context.Context) error {
		if !idle() {
			return nil
		}
		return d.service.Maintain(ctx, idle)
	}}
}
