package service

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/lifecycle"
	"codememory/internal/store"
)

// The files that are made from memories, in the folder of a store.
const (
	projectDocument = "PROJECT.md"
	userDocument    = "USER.md"
	skillFolder     = "skill-candidates"
)

// minOccurrences is how often something must have been said to be worth a skill.
const minOccurrences = 3

// perSection bounds the lines of a section: a document that nobody reads to its
// end helps nobody.
const perSection = 25

// writeDocuments brings the documents that the user asked for up to date.
func (s *Service) writeDocuments(ctx context.Context, p codememory.Project, st *store.Store, rep *codememory.ConsolidateReport) error {
	if st.ReadOnly() != "" {
		return nil
	}
	c := s.opts.Config.Config.Documents
	switch {
	case isUser(p) && c.User:
		sections, err := s.userSections(ctx, st)
		if err != nil {
			return err
		}
		return s.writeDocument(filepath.Join(st.Dir(), userDocument), "About the user", sections, rep)
	case !isUser(p) && c.Project:
		sections, err := s.projectSections(ctx, st)
		if err != nil {
			return err
		}
		if err := s.writeDocument(filepath.Join(st.Dir(), projectDocument), p.Name, sections, rep); err != nil {
			return err
		}
	}
	if !isUser(p) && c.Skills {
		return s.writeSkills(ctx, st, rep)
	}
	return nil
}

func (s *Service) writeDocument(path, title string, sections []lifecycle.Section, rep *codememory.ConsolidateReport) error {
	old, err := readIfThere(path)
	if err != nil {
		return err
	}
	if old == "" && !slices.ContainsFunc(sections, func(x lifecycle.Section) bool { return len(x.Lines) > 0 }) {
		return nil
	}
	text, kept := lifecycle.Update(old, title, sections)
	for _, name := range kept {
		rep.Kept = append(rep.Kept, filepath.Base(path)+": "+name)
	}
	if text == old {
		return nil
	}
	if err := atomicfile.Write(path, []byte(text), 0o644); err != nil {
		return err
	}
	rep.Written = append(rep.Written, path)
	return nil
}

func readIfThere(path string) (string, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(b), nil
}

// projectSections are what a newcomer to the project should know. Personal
// preferences are not among them: the document may be committed.
func (s *Service) projectSections(ctx context.Context, st *store.Store) ([]lifecycle.Section, error) {
	type part struct {
		name, title string
		filter      codememory.Filter
	}
	parts := []part{
		{"brief", "What it is", codememory.Filter{Types: []codememory.Type{codememory.ProjectBrief, codememory.ProductContext}}},
		{"architecture", "How it is built", codememory.Filter{Types: []codememory.Type{codememory.Architecture, codememory.ArchitecturePattern, codememory.TechContext, codememory.ProjectConfig}}},
		{"decisions", "Decisions", codememory.Filter{Categories: []codememory.Category{codememory.DecisionRationale, codememory.RejectedAlternative, codememory.DependencyPhilosophy}}},
		{"constraints", "Rules and constraints", codememory.Filter{Categories: []codememory.Category{codememory.HiddenConstraint, codememory.TestingConvention, codememory.NamingConvention}}},
		{"errors", "Known errors", codememory.Filter{Types: []codememory.Type{codememory.ErrorSolution}}},
	}
	var out []lifecycle.Section
	taken := map[string]bool{}
	for _, p := range parts {
		section, err := sectionOf(ctx, st, p.name, p.title, p.filter, taken)
		if err != nil {
			return nil, err
		}
		out = append(out, section)
	}
	return out, nil
}

func (s *Service) userSections(ctx context.Context, st *store.Store) ([]lifecycle.Section, error) {
	taken := map[string]bool{}
	preferences, err := sectionOf(ctx, st, "preferences", "Preferences", codememory.Filter{Types: []codememory.Type{codememory.Preference}}, taken)
	if err != nil {
		return nil, err
	}
	more, err := sectionOf(ctx, st, "more", "What holds in every project", codememory.Filter{}, taken)
	return []lifecycle.Section{preferences, more}, err
}

// sectionOf lists memories, pinned and important ones first.
func sectionOf(ctx context.Context, st *store.Store, name, title string, f codememory.Filter, taken map[string]bool) (lifecycle.Section, error) {
	out := lifecycle.Section{Name: name, Title: title}
	ms, err := st.Newest(ctx, f, 500)
	slices.SortStableFunc(ms, func(a, b codememory.Memory) int {
		weight := func(m codememory.Memory) float64 {
			if m.Pinned {
				return 2
			}
			return m.Importance
		}
		return compareFloat(weight(b), weight(a))
	})
	for _, m := range ms {
		ages := m.Type == codememory.SessionSummary || m.Type == codememory.Conversation || slices.Contains(newestOnly, m.Type)
		if !taken[m.ID] && !ages && len(out.Lines) < perSection {
			taken[m.ID] = true
			out.Lines = append(out.Lines, lifecycle.Line(m))
		}
	}
	return out, err
}

// writeSkills writes what was said often enough as candidates for skills. They
// are plain files in the store: no agent looks there.
func (s *Service) writeSkills(ctx context.Context, st *store.Store, rep *codememory.ConsolidateReport) error {
	ms, err := st.Newest(ctx, codememory.Filter{Types: []codememory.Type{codememory.LearnedPattern, codememory.ErrorSolution, codememory.ProjectConfig}}, 1000)
	if err != nil {
		return err
	}
	for _, m := range ms {
		if 1+len(m.Seen) < minOccurrences {
			continue
		}
		path := filepath.Join(st.Dir(), skillFolder, codememory.ShortID(m.ID), "SKILL.md")
		old, err := readIfThere(path)
		if err != nil {
			return err
		}
		text, ok := lifecycle.Skill(m, old)
		if !ok {
			rep.Kept = append(rep.Kept, path)
		}
		if !ok || text == old {
			continue
		}
		if err := atomicfile.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := atomicfile.Write(path, []byte(text), 0o644); err != nil {
			return err
		}
		rep.Written = append(rep.Written, path)
	}
	return nil
}

// purgeKeepingDocuments purges a memory; sections of documents that nobody
// edited stay generated ones, though the purge takes lines out of them.
func (s *Service) purgeKeepingDocuments(ctx context.Context, st *store.Store, id string) (codememory.PurgeReport, error) {
	clean := map[string][]string{}
	for _, name := range []string{projectDocument, userDocument} {
		path := filepath.Join(st.Dir(), name)
		text, err := readIfThere(path)
		if err != nil {
			return codememory.PurgeReport{}, err
		}
		if text != "" {
			clean[path] = lifecycle.Clean(text)
		}
	}
	rep, err := st.Purge(ctx, id)
	if err != nil {
		return rep, err
	}
	for path, sections := range clean {
		text, err := readIfThere(path)
		if err != nil {
			return rep, err
		}
		if sealed := lifecycle.Seal(text, sections); strings.TrimSpace(text) != "" && sealed != text {
			if err := atomicfile.Write(path, []byte(sealed), 0o644); err != nil {
				return rep, err
			}
		}
	}
	return rep, nil
}
