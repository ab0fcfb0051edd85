package service

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/render"
	"codememory/internal/store"
	"codememory/internal/text"
)

// suppressions is which memories people do not want to see with which prompts.
// They are this user's taste, not a fact of the project: they lie in the data
// directory and are never part of a store that others share.
type suppressions struct {
	file string

	mu      sync.Mutex
	list    []codememory.Suppression
	vectors map[string][]float32 // by id, of the model of this process
}

// maxSuppressions bounds the file; the oldest go first.
const maxSuppressions = 2000

func (x *suppressions) load(dir string) error {
	x.file = filepath.Join(dir, "suppressions.json")
	x.vectors = map[string][]float32{}
	data, err := os.ReadFile(x.file)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(data, &x.list)
	}
	if err != nil {
		return codememory.Errorf(codememory.Internal, "read what is not to be shown: %s: %w: repair or delete that file", x.file, err)
	}
	return nil
}

// change replaces the list, on disk first. The caller holds mu.
func (x *suppressions) change(next []codememory.Suppression) error {
	next = next[max(0, len(next)-maxSuppressions):]
	data, err := json.MarshalIndent(next, "", "  ")
	if err != nil {
		return err
	}
	if err := atomicfile.Write(x.file, append(data, '\n'), 0o600); err != nil {
		return err
	}
	x.list = next
	return nil
}

// of returns the suppressions of any of these memories.
func (x *suppressions) of(ids map[string]bool) []codememory.Suppression {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out []codememory.Suppression
	for _, s := range x.list {
		if ids[s.Memory] {
			out = append(out, s)
		}
	}
	return out
}

// room is how many more hits to ask for, so that what is left out of them does
// not take the place of others.
func (x *suppressions) room() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return min(len(x.list), 5)
}

// Suppress implements codememory.ViewService.
func (s *Service) Suppress(ctx context.Context, r codememory.SuppressRequest) (codememory.Suppression, error) {
	var none codememory.Suppression
	const most = 2000
	prompt := strings.TrimSpace(s.redactor.String(render.Strip(r.Prompt)))
	if prompt == "" {
		return none, codememory.Errorf(codememory.Invalid, "the prompt is empty: a memory can only be kept away from prompts like a given one; forget or archive it to hide it everywhere")
	}
	if len(prompt) > most {
		prompt = strings.ToValidUTF8(prompt[:most], "")
	}
	made := codememory.Suppression{ID: codememory.NewID(s.opts.Now()), Prompt: prompt, At: s.opts.Now().UTC()}
	err := s.with(ctx, codememory.Ref{Project: r.Project, ID: r.Memory}, func(_ *store.Store, id string) error {
		made.Memory = id
		return nil
	})
	if err != nil {
		return none, err
	}
	x := &s.suppressions
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, old := range x.list {
		if old.Memory == made.Memory && old.Prompt == made.Prompt {
			return old, nil
		}
	}
	return made, x.change(append(slices.Clone(x.list), made))
}

// Suppressions implements codememory.ViewService: the newest first.
func (s *Service) Suppressions(context.Context) ([]codememory.Suppression, error) {
	x := &s.suppressions
	x.mu.Lock()
	defer x.mu.Unlock()
	out := slices.Clone(x.list)
	slices.Reverse(out)
	return out, nil
}

// Unsuppress implements codememory.ViewService.
func (s *Service) Unsuppress(_ context.Context, id string) error {
	x := &s.suppressions
	x.mu.Lock()
	defer x.mu.Unlock()
	next := slices.DeleteFunc(slices.Clone(x.list), func(o codememory.Suppression) bool { return o.ID == id })
	if len(next) == len(x.list) {
		return codememory.Errorf(codememory.NotFound, "no suppression %s: it was taken back already", id)
	}
	delete(x.vectors, id)
	return x.change(next)
}

// unwanted returns which of the hits somebody does not want to see with such a
// prompt. It costs nothing unless one of them was ever suppressed.
func (s *Service) unwanted(ctx context.Context, prompt string, hits ...[]codememory.Hit) map[string]bool {
	ids := map[string]bool{}
	for _, list := range hits {
		for _, h := range list {
			ids[h.Memory.ID] = true
		}
	}
	asked := s.suppressions.of(ids)
	if len(asked) == 0 || strings.TrimSpace(prompt) == "" {
		return nil
	}
	prompt = s.redactor.String(prompt) // as the other one was
	out := map[string]bool{}
	for _, x := range asked {
		if !out[x.Memory] && s.alike(ctx, prompt, x) {
			out[x.Memory] = true
		}
	}
	return out
}

// alikeWords is the share of words in common from which two prompts are alike
// whatever the model says, or without one.
const alikeWords = 0.6

// alike reports whether a prompt is like that of a suppression.
func (s *Service) alike(ctx context.Context, prompt string, x codememory.Suppression) bool {
	if sharedWords(prompt, x.Prompt) >= alikeWords {
		return true
	}
	if s.embedder == nil {
		return false
	}
	a, err := s.embedder.EmbedQuery(ctx, prompt)
	if err != nil {
		return false // words alone decide while the model cannot be asked
	}
	b, err := s.suppressionVector(ctx, x)
	return err == nil && cosine(a.Vector, b) >= s.model().Thresholds.SameSubject
}

func (s *Service) suppressionVector(ctx context.Context, x codememory.Suppression) ([]float32, error) {
	list := &s.suppressions
	list.mu.Lock()
	v := list.vectors[x.ID]
	list.mu.Unlock()
	if v != nil {
		return v, nil
	}
	e, err := s.embedder.EmbedQuery(ctx, x.Prompt)
	if err != nil {
		return nil, err
	}
	list.mu.Lock()
	defer list.mu.Unlock()
	list.vectors[x.ID] = e.Vector
	return e.Vector, nil
}

// cosine of two vectors of unit length.
func cosine(a, b []float32) float64 {
	var sum float64
	for i := range min(len(a), len(b)) {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// sharedWords is the share of words that two prompts have in common, stop
// words apart.
func sharedWords(a, b string) float64 {
	stems := func(s string) map[string]bool {
		out := map[string]bool{}
		for _, t := range text.AnalyzeQuery(s) {
			if !text.IsStopWord(t.Text) {
				out[t.Stem] = true
			}
		}
		return out
	}
	x, y := stems(a), stems(b)
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if all := len(x) + len(y) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// without removes hits from a list.
func without(hits []codememory.Hit, ids map[string]bool) []codememory.Hit {
	if len(ids) == 0 {
		return hits
	}
	return slices.DeleteFunc(slices.Clone(hits), func(h codememory.Hit) bool { return ids[h.Memory.ID] })
}
