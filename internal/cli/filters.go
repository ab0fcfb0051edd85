package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
)

// filterOptions are the flags that narrow a search or a listing.
type filterOptions struct {
	Types      []string
	Categories []string
	States     []string
	Agents     []string
	Entity     string
	Path       string
	Since      string
	Until      string
	Pinned     bool
	Unsure     bool
	All        bool
}

func (o *filterOptions) addFlags(f *pflag.FlagSet) {
	f.StringSliceVarP(&o.Types, "type", "t", nil, "only these types, e.g. preference,error-solution")
	f.StringSliceVar(&o.Categories, "category", nil, "only these categories, e.g. hidden_constraint")
	f.StringSliceVar(&o.Agents, "agent", nil, "only what came from these agents, e.g. opencode")
	f.StringVar(&o.Entity, "entity", "", "only what mentions this library, tool, file, …")
	f.StringVar(&o.Path, "path", "", "only what mentions this file or folder")
	f.StringVar(&o.Since, "since", "", "only what changed since then: 2026-05-01, 7d, \"last week\"")
	f.StringVar(&o.Until, "until", "", "only what changed before then")
	f.BoolVar(&o.Pinned, "pinned", false, "only pinned memories")
	f.BoolVar(&o.Unsure, "unsure", false, "only memories of low confidence")
	f.StringSliceVar(&o.States, "state", nil, "active (default), archived, quarantined, superseded, forgotten")
	f.BoolVarP(&o.All, "all", "a", false, "in any state")
}

func (o *filterOptions) addCompletions(cmd *cobra.Command) {
	choices(cmd, "type", codememory.Types)
	choices(cmd, "category", codememory.Categories)
	choices(cmd, "state", codememory.AnyState)
}

func (o *filterOptions) filter(p *program) (codememory.Filter, error) {
	f := codememory.Filter{Agents: o.Agents, Entity: o.Entity, Path: o.Path, Pinned: o.Pinned, Unsure: o.Unsure}
	var err error
	if f.Types, err = parseAll(o.Types, parseType); err != nil {
		return f, err
	}
	if f.Categories, err = parseAll(o.Categories, parseCategory); err != nil {
		return f, err
	}
	if f.States, err = parseAll(o.States, parseState); err != nil {
		return f, err
	}
	if o.All {
		if len(o.States) > 0 {
			return f, usagef("--all and --state exclude each other")
		}
		f.States = codememory.AnyState
	}
	if f.Since, err = p.moment("--since", o.Since); err != nil {
		return f, err
	}
	f.Until, err = p.moment("--until", o.Until)
	return f, err
}

func parseAll[T any](words []string, parse func(string) (T, error)) ([]T, error) {
	var values []T
	for _, w := range words {
		v, err := parse(w)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	return values, nil
}

func parseType(s string) (codememory.Type, error) {
	t := codememory.Type(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-"))
	if !t.Valid() {
		return "", usagef("unknown type %q: use one of %s", s, words(codememory.Types))
	}
	return t, nil
}

func parseCategory(s string) (codememory.Category, error) {
	c := codememory.Category(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "-", "_"))
	if c == "" || !c.Valid() {
		return "", usagef("unknown category %q: use one of %s", s, words(codememory.Categories))
	}
	return c, nil
}

func parseState(s string) (codememory.State, error) {
	state := codememory.State(strings.ToLower(strings.TrimSpace(s)))
	if !slices.Contains(codememory.AnyState, state) {
		return "", usagef("unknown state %q: use one of %s", s, words(codememory.AnyState))
	}
	return state, nil
}

func words[T ~string](list []T) string {
	s := make([]string, len(list))
	for i, v := range list {
		s[i] = string(v)
	}
	return strings.Join(s, ", ")
}
