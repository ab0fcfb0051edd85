//go:build ollama

package ollama

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"codememory/internal/ledger"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/roles"
	"codememory/internal/llm/task"
)

// TestARealModelFindsAFact asks the Ollama server of this machine, if there is
// one:
//
//	go test -tags ollama ./internal/llm/ollama
//
// OLLAMA_HOST says where it is, CODEMEMORY_TEST_MODEL which model to ask; without
// it the first that is there.
func TestARealModelFindsAFact(t *testing.T) {
	url := os.Getenv("OLLAMA_HOST")
	if url == "" {
		url = DefaultURL
	}
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	model := os.Getenv("CODEMEMORY_TEST_MODEL")
	if model == "" {
		model = firstModel(t, url)
	}
	l, err := ledger.Open(t.Context(), "", ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	prompts, err := prompt.Load("")
	if err != nil {
		t.Fatal(err)
	}
	p := New(Config{URL: url, Model: model})
	tasks := task.Tasks{Caller: roles.New(roles.Options{
		Roles:   map[llm.Role]roles.Role{llm.Extract: {Chain: []roles.Target{{Provider: p, Name: "ollama", API: "ollama", Model: model, Context: DefaultContext}}, Timeout: 5 * time.Minute}},
		Prompts: prompts, Ledger: l, Redact: func(s string) string { return s },
	})}
	facts, answer, err := tasks.Extract(t.Context(), task.About{}, task.Conversation{Transcript: "T1 2026-11-15 10:00\n" +
		"User: Never use mocks for the database in this project. We were burnt by that: the tests passed and the migration failed in production. Use the PostgreSQL in docker compose.\n" +
		"Agent: Understood: the tests of the store use the PostgreSQL from docker compose from now on.\n"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s found %+v", answer.Model, facts)
	if len(facts) == 0 || !strings.Contains(strings.ToLower(facts[0].Text), "mock") {
		t.Errorf("%s did not find the rule about mocks", model)
	}
}

func firstModel(t *testing.T, url string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/tags", nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Skipf("no Ollama server at %s: start one, or set OLLAMA_HOST", url)
	}
	defer response.Body.Close()
	var list struct{ Models []struct{ Name string } }
	if err := json.NewDecoder(response.Body).Decode(&list); err != nil || len(list.Models) == 0 {
		t.Skipf("the Ollama server at %s has no model: ollama pull one", url)
	}
	return list.Models[0].Name
}
