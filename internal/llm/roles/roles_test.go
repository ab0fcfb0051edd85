package roles

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/ledger"
	"codememory/internal/llm"
	"codememory/internal/llm/llmtest"
	"codememory/internal/llm/openai"
	"codememory/internal/llm/prompt"
)

type world struct {
	*Caller
	ledger *ledger.Ledger
	waits  []time.Duration
	now    time.Time
}

func target(name string, s *llmtest.Server) Target {
	return Target{Name: name, API: "openai", Model: "m-" + name, Context: 8000, Price: &Price{Input: 1, Output: 10}, Provider: openai.New(openai.Config{URL: s.BaseURL(llmtest.OpenAI)})}
}

func newWorld(t *testing.T, b codememory.Budget, role Role) *world {
	t.Helper()
	w := &world{now: time.Date(2026, 11, 15, 10, 0, 0, 0, time.UTC)}
	now := func() time.Time { return w.now }
	var err error
	if w.ledger, err = ledger.Open(t.Context(), "", ledger.Options{Budget: b, Location: time.UTC, Now: now}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.ledger.Close() })
	prompts, err := prompt.Load("")
	if err != nil {
		t.Fatal(err)
	}
	if role.Timeout == 0 {
		role.Timeout = 5 * time.Second
	}
	w.Caller = New(Options{
		Roles: map[llm.Role]Role{llm.Compress: role}, Prompts: prompts, Ledger: w.ledger, Now: now,
		Redact: func(s string) string { return strings.ReplaceAll(s, "hunter2", "[REDACTED]") },
		Pause:  func(_ context.Context, d time.Duration) error { w.waits = append(w.waits, d); return nil },
	})
	return w
}

func (w *world) ask(t *testing.T) (string, Answer, error) {
	t.Helper()
	var got string
	a, err := w.Ask(t.Context(), Question{
		Role: llm.Compress, Prompt: prompt.Compress, Values: map[string]string{"turn": "the password is hunter2"}, MaxTokens: 100,
		Read: func(text string) error {
			got = text
			if strings.Contains(text, "WRONG") {
				return errors.New("not what was asked for")
			}
			return nil
		},
	})
	return got, a, err
}

func (w *world) outcomes(t *testing.T) string {
	t.Helper()
	calls, err := w.ledger.Activity(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range calls {
		all = append([]string{c.Provider + ":" + c.Outcome}, all...)
	}
	return strings.Join(all, " ")
}

func TestAnAnswerIsRecordedWithItsPrice(t *testing.T) {
	s := llmtest.Start(t, llmtest.Reply{Text: "fine", Input: 1_000_000, Output: 100_000})
	w := newWorld(t, codememory.Budget{}, Role{Chain: []Target{target("a", s)}})
	text, answer, err := w.ask(t)
	if err != nil || text != "fine" || answer.Model != "a/m-a" {
		t.Fatalf("got %q, %+v, %v", text, answer, err)
	}
	if body := s.Requests()[0].Body; strings.Contains(body, "hunter2") || !strings.Contains(body, "[REDACTED]") {
		t.Error("a secret was sent")
	}
	calls, err := w.ledger.Activity(t.Context(), 1)
	if err != nil || calls[0].CostUSD != 2 || !calls[0].Priced || calls[0].Role != "compress" || calls[0].Model != "m-a" {
		t.Errorf("recorded %+v, %v", calls, err)
	}
}

func TestWhatMayPassIsTriedAgainAndWhatMayNotIsNot(t *testing.T) {
	ok := llmtest.Text("fine")
	for name, tt := range map[string]struct {
		first    []llmtest.Reply // of the first provider
		want     string          // outcomes in the ledger
		fails    bool
		waits    int
		longWait bool
	}{
		"a failure that passes":        {[]llmtest.Reply{{Status: 500}, ok}, "a:infrastructure a:ok", false, 1, false},
		"retry-after is kept":          {[]llmtest.Reply{{Status: 429, Header: http.Header{"Retry-After": {"20"}}}, ok}, "a:infrastructure a:ok", false, 1, true},
		"a long retry-after goes on":   {[]llmtest.Reply{{Status: 429, Header: http.Header{"Retry-After": {"3600"}}}}, "a:infrastructure b:ok", false, 0, false},
		"a failure that stays goes on": {[]llmtest.Reply{{Status: 503}}, "a:infrastructure a:infrastructure a:infrastructure b:ok", false, 2, false},
		"a wrong key goes on":          {[]llmtest.Reply{{Status: 401}}, "a:auth b:ok", false, 0, false},
		"a bad answer goes on":         {[]llmtest.Reply{llmtest.Text("WRONG")}, "a:bad_output b:ok", false, 0, false},
		"a refusal goes on":            {[]llmtest.Reply{{Refuse: true}}, "a:refused b:ok", false, 0, false},
		"an empty answer goes on":      {[]llmtest.Reply{{}}, "a:bad_output b:ok", false, 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := llmtest.Start(t, tt.first...), llmtest.Start(t, ok)
			w := newWorld(t, codememory.Budget{}, Role{Chain: []Target{target("a", a), target("b", b)}, Retries: 2})
			if _, _, err := w.ask(t); (err != nil) != tt.fails {
				t.Errorf("got %v", err)
			}
			if got := w.outcomes(t); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if len(w.waits) != tt.waits || tt.longWait && w.waits[0] != 20*time.Second {
				t.Errorf("waited %v", w.waits)
			}
		})
	}
}

func TestAProviderThatFailedIsLeftAloneForAWhile(t *testing.T) {
	s := llmtest.Start(t, llmtest.Reply{Status: 500}, llmtest.Text("fine"))
	w := newWorld(t, codememory.Budget{}, Role{Chain: []Target{target("a", s)}})
	if _, _, err := w.ask(t); err == nil {
		t.Fatal("no error")
	}
	_, _, err := w.ask(t)
	if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Unreachable || e.RetryAfter <= 0 || len(s.Requests()) != 1 {
		t.Fatalf("asked %d times, %v", len(s.Requests()), err)
	}
	if _, why := w.Paused(llm.Compress); why == "" || w.Status()[0].Paused == "" {
		t.Error("the pause does not show")
	}
	w.now = w.now.Add(firstRest + time.Second)
	if text, _, err := w.ask(t); err != nil || text != "fine" {
		t.Errorf("got %q, %v", text, err)
	}
}

func TestOverTheBudgetNobodyIsAsked(t *testing.T) {
	s := llmtest.Start(t, llmtest.Reply{Text: "fine", Input: 500, Output: 500})
	w := newWorld(t, codememory.Budget{Tokens: 1100}, Role{Chain: []Target{target("a", s), target("b", s)}})
	if _, _, err := w.ask(t); err != nil {
		t.Fatal(err)
	}
	_, _, err := w.ask(t)
	if llm.ClassOf(err) != llm.OverBudget || len(s.Requests()) != 1 {
		t.Errorf("asked %d times, %v", len(s.Requests()), err)
	}
	// It is tried again tomorrow, by the clock that the ledger goes by.
	if e, ok := errors.AsType[*llm.Error](err); !ok || e.RetryAfter <= 0 || e.RetryAfter > 24*time.Hour {
		t.Errorf("tried again after %v", e.RetryAfter)
	}
}

func TestAHangTakesOnlyItsTimeAndIsCharged(t *testing.T) {
	s := llmtest.Start(t, llmtest.Reply{Hang: true})
	w := newWorld(t, codememory.Budget{}, Role{Chain: []Target{target("a", s)}, Timeout: 30 * time.Millisecond})
	if _, _, err := w.ask(t); llm.ClassOf(err) != llm.Infrastructure {
		t.Fatalf("got %v", err)
	}
	calls, err := w.ledger.Activity(t.Context(), 1)
	if err != nil || !calls[0].Estimated || calls[0].Input == 0 {
		t.Errorf("recorded %+v, %v", calls, err)
	}
}

func TestACallerWhoLeavesIsNoFailureOfTheProvider(t *testing.T) {
	s := llmtest.Start(t, llmtest.Reply{Hang: true})
	w := newWorld(t, codememory.Budget{}, Role{Chain: []Target{target("a", s)}, Retries: 3})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	_, err := w.Ask(ctx, Question{Role: llm.Compress, Prompt: prompt.Compress, Values: map[string]string{"turn": "x"}, Read: func(string) error { return nil }})
	if err == nil || len(s.Requests()) != 1 {
		t.Errorf("asked %d times, %v", len(s.Requests()), err)
	}
	if _, why := w.Paused(llm.Compress); why != "" {
		t.Errorf("paused: %s", why)
	}
}

func TestNobodyConfigured(t *testing.T) {
	w := newWorld(t, codememory.Budget{}, Role{})
	if _, _, err := w.ask(t); llm.ClassOf(err) != llm.Refused || w.Has(llm.Compress) {
		t.Errorf("got %v", err)
	}
	var none *Caller
	if none.Has(llm.Extract) {
		t.Error("nobody has a model")
	}
	if b, err := json.Marshal(w.Status()); err != nil || string(b) != "[]" {
		t.Errorf("status %s, %v", b, err)
	}
}
