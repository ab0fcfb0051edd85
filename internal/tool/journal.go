package tool

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
	"codememory/internal/journal"
	"codememory/internal/text"
)

// journalBytes is how much of a journal is searched, from the newest day back.
const journalBytes = 2 << 20

// journalFloor is the share of a question's rarer words that an entry must hold.
const journalFloor = 0.5

// entry is a journal section found, with how well it fits.
type entry struct {
	section
	score float64
}

// journalOf returns the journal of a project and its folder; nil when there is none.
func (r *Router) journalOf(ctx context.Context, project string) (*journal.Journal, string) {
	if r.opts.Store == nil || project == "" {
		return nil, ""
	}
	dir, err := r.opts.Store(ctx, project)
	if err != nil || dir == "" {
		return nil, ""
	}
	return journal.Open(dir, r.opts.Location), filepath.Join(dir, journal.Folder)
}

// journalSections returns the sections of the newest days that say something.
func (r *Router) journalSections(ctx context.Context, project string, most int) ([]section, error) {
	j, dir := r.journalOf(ctx, project)
	if j == nil {
		return nil, nil
	}
	days, err := j.Days()
	if err != nil {
		return nil, err
	}
	var out []section
	for _, day := range days {
		if most <= 0 {
			break
		}
		content, err := j.Day(day)
		if err != nil {
			if os.IsNotExist(err) || codememory.CodeOf(err) != codememory.Internal {
				continue // it was removed just now
			}
			return nil, err
		}
		most -= len(content)
		for _, s := range sectionsOf(filepath.Join(dir, day+".md"), content) {
			if len(s.said()) >= 2 {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// searchJournal finds sections of a project's journal by words, rarer ones
// counting more.
func (r *Router) searchJournal(ctx context.Context, project, query string, limit int) ([]entry, error) {
	sections, err := r.journalSections(ctx, project, journalBytes)
	if err != nil || len(sections) == 0 {
		return nil, err
	}
	terms := text.AnalyzeQuery(query)
	words := stemmer{}
	held := make([][]bool, len(sections))
	in := make([]int, len(terms))
	for i, s := range sections {
		held[i] = words.holds(terms, s.said())
		for k, has := range held[i] {
			if has {
				in[k]++
			}
		}
	}
	weights, all := make([]float64, len(terms)), 0.0
	for k, t := range terms {
		weights[k] = t.Weight * math.Log(1+float64(len(sections))/(float64(in[k])+0.5))
		all += weights[k]
	}
	var out []entry
	for i, s := range sections {
		score := 0.0
		for k, has := range held[i] {
			if has {
				score += weights[k] / all
			}
		}
		if score >= journalFloor {
			out = append(out, entry{s, score})
		}
	}
	slices.SortStableFunc(out, func(a, b entry) int { return cmp.Compare(b.score, a.score) })
	return out[:min(len(out), limit)], nil
}

// stemmer remembers the stems of words: a journal repeats its words.
type stemmer map[string]string

func (s stemmer) stem(word string) string {
	stem, known := s[word]
	if !known {
		stem = text.Stem(word)
		s[word] = stem
	}
	return stem
}

// holds tells for each term whether a text holds it. Most texts hold none,
// which is told without taking them apart.
func (s stemmer) holds(terms []codememory.Term, content string) []bool {
	low := strings.ToLower(content)
	if !slices.ContainsFunc(terms, func(t codememory.Term) bool { return t.Weight >= 1 && strings.Contains(low, first(t.Stem, 4)) }) {
		return nil
	}
	out := make([]bool, len(terms))
	for _, d := range text.AnalyzeDocument(content).Terms {
		stem := s.stem(d.Text)
		for k, t := range terms {
			out[k] = out[k] || t.Stem == stem
		}
	}
	return out
}

// sectionByHash finds a section of a project's journal.
func (r *Router) sectionByHash(ctx context.Context, project, hash string) (section, bool, error) {
	if len(hash) != hashLength {
		return section{}, false, nil
	}
	return r.findSection(ctx, project, func(s section) bool { return s.hash() == hash })
}

// sectionByTurn finds the section that sums up a turn.
func (r *Router) sectionByTurn(ctx context.Context, project, turn string) (section, bool, error) {
	return r.findSection(ctx, project, func(s section) bool { return s.anchor.turn == turn })
}

func (r *Router) findSection(ctx context.Context, project string, fits func(section) bool) (section, bool, error) {
	sections, err := r.journalSections(ctx, project, math.MaxInt)
	if err != nil {
		return section{}, false, err
	}
	i := slices.IndexFunc(sections, fits)
	if i < 0 {
		return section{}, false, nil
	}
	return sections[i], true, nil
}

// sectionText shows a section with all that is below its heading, and how to
// see the turn that it sums up.
func (r *Router) sectionText(s section) (string, error) {
	content, err := os.ReadFile(s.file)
	if err != nil {
		return "", fmt.Errorf("read the journal: %w", err)
	}
	lines := strings.Split(strings.ReplaceAll(string(content), "\r\n", "\n"), "\n")
	body := strings.TrimSpace(strings.Join(lines[min(s.start-1, len(lines)):min(s.last, len(lines))], "\n"))
	out := fmt.Sprintf("%s, lines %d-%d", s.file, s.start, s.last)
	if s.parent != "" {
		out += ", under \"" + inline(s.parent, 120) + "\""
	}
	out += "\n\n" + harmless(body)
	if s.anchor.session != "" {
		out += "\n\nTo see the turn that this sums up:\n" + sourceCalls(codememory.Source{Session: s.anchor.session, Turns: []string{s.anchor.turn}})[0]
	}
	return out, nil
}

// journalDay answers the operation journal.
func (r *Router) journalDay(ctx context.Context, c call) (string, error) {
	j, _ := r.journalOf(ctx, c.Project)
	if j == nil {
		return "This project has no journal yet.", nil
	}
	days, err := j.Days()
	if err != nil {
		return "", err
	}
	if len(days) == 0 {
		return "This project has no journal yet.", nil
	}
	day := c.args.word("day", "read", "date")
	if day == "" {
		shown := days[:min(len(days), c.args.number(30, 400, "limit"))]
		return fmt.Sprintf("# Journal (%d days)\n\n- %s\n\nUse memory({tool: \"journal\", args: {day: \"%s\"}}) to read one.", len(days), strings.Join(shown, "\n- "), days[0]), nil
	}
	content, err := j.Day(day)
	return harmless(content), err
}
