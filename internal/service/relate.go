package service

import (
	"slices"

	"codememory"
	"codememory/internal/lifecycle"
)

// maxLinks is how many neighbours a new memory is linked to.
const maxLinks = 5

// linksTo relates a new memory to its nearest neighbours. The store answers a
// link from both ends.
func (s *Service) linksTo(m codememory.Memory, cands []codememory.Candidate, olds []codememory.Memory) []codememory.Link {
	th := s.model().Thresholds
	if th.Related == 0 {
		return nil
	}
	var links []codememory.Link
	for _, c := range cands {
		if len(links) == maxLinks || c.Cosine < th.Related {
			break // they are sorted by cosine
		}
		given := slices.ContainsFunc(m.Links, func(l codememory.Link) bool { return l.To == c.ID })
		replaced := slices.ContainsFunc(m.Supersedes, func(x codememory.Supersession) bool { return x.ID == c.ID })
		if given || replaced {
			continue
		}
		link := codememory.Link{To: c.ID, Type: codememory.Contextualizes}
		if at := slices.IndexFunc(olds, func(o codememory.Memory) bool { return o.ID == c.ID }); at >= 0 {
			link.Type, link.Reason = relation(m, olds[at], c.Cosine, th)
		}
		links = append(links, link)
	}
	return links
}

// relation says how a memory relates to an older one, as far as rules can tell.
// In doubt it is the weakest relation: a wrong "conflicts" would be shown to a
// model, a missing one costs nothing.
func relation(m, old codememory.Memory, cosine float64, th codememory.Thresholds) (codememory.LinkType, string) {
	switch {
	case cosine >= th.Cluster && lifecycle.OtherValue(m.Text, old.Text):
		return codememory.Conflicts, "the same statement with another value"
	case cosine < th.SameSubject:
		return codememory.Contextualizes, ""
	}
	subject, values := lifecycle.Content(m.Text)
	oldSubject, oldValues := lifecycle.Content(old.Text)
	more, less := lifecycle.Subset(oldSubject, subject), lifecycle.Subset(subject, oldSubject)
	switch {
	case min(len(subject), len(oldSubject)) < 2 || !more && !less:
		return codememory.Contextualizes, ""
	case lifecycle.Contradict(values, oldValues):
		return codememory.Conflicts, "the same subject with another value"
	case more && len(subject) > len(oldSubject):
		return codememory.Refines, ""
	case cosine >= th.Duplicate && slices.Equal(values, oldValues):
		return codememory.Corroborates, ""
	}
	return codememory.Contextualizes, ""
}
