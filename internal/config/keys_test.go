package config

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
)

func TestEveryKeyIsWellDefined(t *testing.T) {
	seenEnv := make(map[string]string)
	defaults := Default()
	for _, s := range specs() {
		k := s.key(&defaults)
		if k.Doc == "" || k.Type == "" {
			t.Errorf("%s lacks its documentation: %+v", k.Name, k)
		}
		if s.within == nil && k.Name != strings.ToLower(k.Name) {
			t.Errorf("%s: upper case stands for names that a user chooses", k.Name)
		}
		if other, taken := seenEnv[k.Env]; taken {
			t.Errorf("%s and %s share the variable %s", k.Name, other, k.Env)
		}
		seenEnv[k.Env] = k.Name
		if s.check != "" && checks[s.check] == nil {
			t.Errorf("%s names the check %q, which does not exist", k.Name, s.check)
		}
		if s.within != nil && k.Default == "" {
			continue // somebody who names an entry says what it is
		}
		if _, err := s.parse(s.fromText(k.Default), func(string) string { return "" }); err != nil {
			t.Errorf("%s refuses its own default %q: %v", k.Name, k.Default, err)
		}
		if s.within != nil {
			continue
		}
		f := reflect.TypeFor[Config]().FieldByIndex(s.index)
		if f.Tag.Get("json") != f.Tag.Get("toml") {
			t.Errorf("%s has other names in JSON and TOML", k.Name)
		}
	}
}

func TestDefaultsAsDocumented(t *testing.T) {
	got := make(map[string]string)
	for _, k := range Keys() {
		got[k.Name] = k.Default
	}
	want := map[string]string{
		"disable": "false", "timezone": "",
		"http.port": "9473", "http.compat_port": "0", "http.compat_without_token": "false",
		"daemon.autostart": "true", "daemon.idle_exit": "30m",
		"embedding.provider": "builtin", "embedding.model": "", "embedding.url": "", "embedding.api_key": "",
		"embedding.dimension": "0", "embedding.timeout": "10s",
		"search.fusion": "convex", "search.vector_weight": "0", "search.rrf_k": "60", "search.rerank": "true", "search.floor": "default",
		"retrieve.max_memories": "8", "retrieve.max_fresh": "5",
		"context.stable_tokens": "1500", "context.hud_tokens": "400", "context.recent_actions": "false",
		"container_tags.prefix": "opencode", "container_tags.user": "", "container_tags.project": "",
		"redact.extra_patterns": "[]", "redact.allow": "[]",
		"capture.enabled": "true", "projects.ignore": "[]",
		"hooks.point_of_action": "true", "hooks.checkpoint_gate": "off", "hooks.checkpoint_after": "5",
		"log.level": "info", "log.max_mb": "10", "log.keep": "3", "mcp.tools": "default",
		"lifecycle.dedupe": "true", "lifecycle.duplicate_cosine": "0", "lifecycle.daily": "true",
		"documents.project": "false", "documents.user": "false", "documents.skills": "false",
		"llm.enabled": "true", "llm.provider": "", "llm.idle": "1h", "llm.budget.tokens": "2000000", "llm.budget.usd": "2",
		"llm.providers.NAME.type": "", "llm.providers.NAME.url": "", "llm.providers.NAME.model": "", "llm.providers.NAME.api_key": "",
		"llm.providers.NAME.context": "0", "llm.providers.NAME.agent": "", "llm.providers.NAME.command": "",
		"llm.providers.NAME.price_input": "0", "llm.providers.NAME.price_cached": "0", "llm.providers.NAME.price_output": "0",
		"llm.roles.ROLE.provider": "", "llm.roles.ROLE.model": "", "llm.roles.ROLE.timeout": "0s", "llm.roles.ROLE.retries": "0", "llm.roles.ROLE.fallback": "[]",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("other defaults (-want +got):\n%s", diff)
	}
}

func TestConfigReadsBackAsItIsPrinted(t *testing.T) {
	c := Default()
	c.Search.Floor = Floor{Value: 0.25, IsSet: true}
	c.Daemon.IdleExit.Duration *= 3
	c.Redact.Allow = []string{`a\d'"`}
	c.LLM.Providers = map[string]LLMProvider{"my-own": {Type: "openai", URL: "http://localhost:1/v1", PriceInput: 0.5}}
	c.LLM.Roles = map[string]LLMRole{"extract": {Provider: "my-own", Timeout: Duration{time.Minute}, Fallback: []string{"a", "b/c"}}}
	for name, encode := range map[string]func(any) ([]byte, error){"config.json": json.Marshal, "config.toml": toml.Marshal} {
		data, err := encode(c)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Load(Sources{UserFile: file(t, name, string(data))})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c, l.Config); diff != "" {
			t.Errorf("%s is read back differently (-written +read):\n%s", name, diff)
		}
	}
}
