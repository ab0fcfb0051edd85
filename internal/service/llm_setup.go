package service

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"codememory/internal/config"
	"codememory/internal/llm"
	"codememory/internal/llm/agentcli"
	"codememory/internal/llm/anthropic"
	"codememory/internal/llm/ollama"
	"codememory/internal/llm/openai"
	"codememory/internal/llm/roles"
)

// Windows that are assumed of models whose nobody states, in tokens.
const (
	serverContext = 100_000
	ollamaContext = ollama.DefaultContext
)

// habit is how patiently a role asks, unless the settings say otherwise.
type habit struct {
	timeout time.Duration
	retries int
	// asked roles only work for who names a provider for them.
	asked bool
}

var habits = map[llm.Role]habit{
	llm.Expand:      {200 * time.Millisecond, 0, true}, // in the way of every message of the user
	llm.Compress:    {time.Minute, 1, false},
	llm.Extract:     {3 * time.Minute, 2, false},
	llm.Entities:    {time.Minute, 1, false},
	llm.Link:        {time.Minute, 1, false},
	llm.Contradict:  {time.Minute, 1, false},
	llm.Consolidate: {time.Minute, 1, false},
	llm.Summarise:   {2 * time.Minute, 2, false},
	llm.Arc:         {2 * time.Minute, 1, false},
}

// noProvider switches a role off.
const noProvider = "none"

// usesLLM reports whether the settings name anybody to ask.
func usesLLM(c config.LLM) bool {
	if c.Provider != "" && c.Provider != noProvider {
		return true
	}
	for _, r := range c.Roles {
		if r.Provider != "" && r.Provider != noProvider {
			return true
		}
	}
	return false
}

// newRoles makes the table of who is asked for what. It names every mistake in
// the settings at once.
func newRoles(c config.LLM) (map[llm.Role]roles.Role, error) {
	var problems []error
	targets := map[string]roles.Target{}
	for _, name := range slices.Sorted(maps.Keys(c.Providers)) {
		t, err := newTarget(name, c.Providers[name])
		if err != nil {
			problems = append(problems, fmt.Errorf("llm.providers.%s: %w", name, err))
		}
		targets[name] = t
	}
	out := map[llm.Role]roles.Role{}
	for _, role := range llm.Roles {
		said, h := c.Roles[string(role)], habits[role]
		first := said.Provider
		if first == "" && !h.asked {
			first = c.Provider
		}
		if first == "" || first == noProvider {
			continue
		}
		r := roles.Role{Timeout: cmp.Or(said.Timeout.Duration, h.timeout), Retries: max(cmp.Or(said.Retries, h.retries), 0)}
		links := []string{first}
		if said.Model != "" {
			links[0] += "/" + said.Model
		}
		for _, link := range append(links, said.Fallback...) {
			name, model, _ := strings.Cut(link, "/")
			t, known := targets[name]
			if !known {
				problems = append(problems, fmt.Errorf("llm.roles.%s names the provider %q, which llm.providers does not have", role, name))
				continue
			}
			t.Model = cmp.Or(model, t.Model)
			if t.Model == "" && t.API != "agent" {
				problems = append(problems, fmt.Errorf("llm.providers.%s: no model is named, here or with the role %s", name, role))
			}
			r.Chain = append(r.Chain, t)
		}
		out[role] = r
	}
	return out, errors.Join(problems...)
}

// newTarget makes a provider.
func newTarget(name string, c config.LLMProvider) (roles.Target, error) {
	t := roles.Target{Name: name, API: c.Type, Model: c.Model, Context: cmp.Or(c.Context, serverContext)}
	if c.PriceInput > 0 || c.PriceOutput > 0 {
		t.Price = &roles.Price{Input: c.PriceInput, Cached: cmp.Or(c.PriceCached, c.PriceInput), Output: c.PriceOutput}
	}
	var err error
	switch c.Type {
	case "ollama":
		t.Context = cmp.Or(c.Context, ollamaContext)
		t.Provider = ollama.New(ollama.Config{URL: c.URL, APIKey: c.APIKey.Reveal(), Context: t.Context})
		if t.Price == nil {
			t.Price = &roles.Price{} // one's own machine is free
		}
	case "openai":
		t.Provider = openai.New(openai.Config{URL: c.URL, APIKey: c.APIKey.Reveal()})
	case "anthropic":
		t.Provider = anthropic.New(anthropic.Config{URL: c.URL, APIKey: c.APIKey.Reveal()})
	case "agent":
		t.Provider, err = agentcli.New(agentcli.Config{Agent: c.Agent, Command: c.Command})
	default:
		err = errors.New("its type is missing: use ollama, openai, anthropic or agent")
	}
	return t, err
}

// Outbound lists what the settings make models be asked at, for people.
func Outbound(c config.LLM) []string {
	out := []string{}
	if !c.Enabled || !usesLLM(c) {
		return out
	}
	table, _ := newRoles(c) // what cannot be asked is no address
	used := map[string][]string{}
	for _, role := range llm.Roles {
		for _, t := range table[role].Chain {
			if !slices.Contains(used[t.Name], string(role)) {
				used[t.Name] = append(used[t.Name], string(role))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		p := c.Providers[name]
		address := p.URL
		switch p.Type {
		case "ollama":
			address = cmp.Or(address, ollama.DefaultURL)
		case "openai":
			address = cmp.Or(address, openai.DefaultURL)
		case "anthropic":
			address = cmp.Or(address, anthropic.DefaultURL)
		case "agent":
			address = "the program " + cmp.Or(p.Command, p.Agent) + ", wherever that is set to ask"
		}
		out = append(out, fmt.Sprintf("%s (%s) at %s for %s", name, p.Type, address, strings.Join(used[name], ", ")))
	}
	return out
}
