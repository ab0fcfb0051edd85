package service

import (
	"context"
	"sort"

	"codememory"
)

// listFrom returns the page that begins after so many memories of several
// stores together. How many of those each store holds is found out from the
// times alone, so that a jump to the end of a long list reads one page.
func (s *Service) listFrom(ctx context.Context, ps []codememory.Project, r codememory.ListRequest, limit int) (codememory.MemoryPage, error) {
	var page codememory.MemoryPage
	times := make([][]int64, len(ps))
	for i, p := range ps {
		st, release, err := s.storeOf(ctx, p)
		if err != nil {
			return page, err
		}
		times[i], err = st.Times(ctx, r.Filter, r.Offset)
		release()
		if err != nil {
			return page, err
		}
	}
	for i, skip := range skips(times, r.Offset) {
		part, err := s.listIn(ctx, ps[i], r.Filter, codememory.PageRequest{Limit: limit, Offset: skip})
		if err != nil {
			return page, err
		}
		page.Total += part.Total
		page.Memories = append(page.Memories, part.Memories...)
	}
	sort.SliceStable(page.Memories, func(i, j int) bool { return page.Memories[i].UpdatedAt.After(page.Memories[j].UpdatedAt) })
	if len(page.Memories) > limit {
		page.Memories = page.Memories[:limit]
		page.Next = markOf(page.Memories[limit-1]).String()
	}
	return page, nil
}

// skips says how many of the first n of all lists together are of each list.
// Every list is sorted, greatest first; of equal ones the earlier list counts first.
func skips(times [][]int64, n int) []int {
	at := make([]int, len(times))
	for range n {
		best := -1
		for i, list := range times {
			if at[i] < len(list) && (best < 0 || list[at[i]] > times[best][at[best]]) {
				best = i
			}
		}
		if best < 0 {
			break
		}
		at[best]++
	}
	return at
}
