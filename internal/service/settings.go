package service

import (
	"context"
	"fmt"
	"net/url"

	"codememory"
	"codememory/internal/config"
)

// Settings implements codememory.ViewService.
func (s *Service) Settings(context.Context) (codememory.SettingsReport, error) {
	loaded := s.opts.Config
	out := codememory.SettingsReport{File: s.opts.Layout.ConfigFile, Data: s.opts.Layout.Data, Outbound: OutboundOf(loaded.Config)}
	for _, k := range loaded.Keys() {
		e, err := loaded.Explain(k.Name)
		if err != nil {
			return out, fmt.Errorf("explain %s: %w", k.Name, err)
		}
		out.Settings = append(out.Settings, codememory.Setting{Name: k.Name, Value: e.Value, Default: k.Default, From: string(e.From.Layer), Doc: k.Doc})
	}
	return out, nil
}

// OutboundOf lists every address that the settings make CodeMemory call, for
// people: passwords in them are hidden.
func OutboundOf(c config.Config) []string {
	addresses := []string{}
	switch c.Embedding.Provider {
	case "ollama", "openai":
		address := c.Embedding.URL
		if u, err := url.Parse(address); err == nil {
			address = u.Redacted()
		}
		if address == "" {
			address = "its default address"
		}
		addresses = append(addresses, fmt.Sprintf("%s at %s for embeddings", c.Embedding.Provider, address))
	}
	return append(addresses, Outbound(c.LLM)...)
}
