package service

import (
	"context"

	"codememory"
	"codememory/internal/store"
)

// corroborate notes that m says the same as old. The time of change stays: what
// was only confirmed is no news, and the stable block keeps its bytes. The
// files it names are taken to be as they should be.
func (s *Service) corroborate(ctx context.Context, st *store.Store, old, m codememory.Memory) (codememory.Memory, error) {
	if probe := old; old.State() != codememory.Active || m.Quarantine != "" || !probe.Corroborate(m.Source) {
		return old, nil
	}
	return st.Update(ctx, old.ID, func(known *codememory.Memory) error {
		known.Corroborate(m.Source)
		for i, f := range known.Files {
			for _, now := range m.Files {
				if now.Path == f.Path {
					known.Files[i] = now
				}
			}
		}
		return nil
	})
}
