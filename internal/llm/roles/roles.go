// Package roles asks the right model for each task: it fills the prompt with
// redacted data, keeps to the budget, tries again where that can help, goes on
// to the next provider of the chain where it cannot, and records every call.
package roles

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math/rand/v2"
	"time"

	"codememory"
	"codememory/internal/ledger"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
)

// Price is what a million tokens cost, in US dollars.
type Price struct{ Input, Cached, Output float64 }

// Target is a model that can be asked.
type Target struct {
	llm.Provider
	Name    string // of the provider, as configured
	API     string // its protocol
	Model   string // empty: the provider's own
	Context int    // tokens of its window
	Price   *Price // nil: nobody stated it
}

// label is how people know the target.
func (t Target) label() string {
	if t.Model == "" {
		return t.Name
	}
	return t.Name + "/" + t.Model
}

func (t Target) cost(u llm.Usage) (usd float64, known bool) {
	switch {
	case u.Charged:
		return u.CostUSD, true
	case t.Price == nil:
		return 0, false
	}
	const million = 1e6
	fresh := float64(u.Input - u.Cached)
	return (fresh*t.Price.Input + float64(u.Cached)*t.Price.Cached + float64(u.Output)*t.Price.Output) / million, true
}

// Role is who is asked for a task, and how patiently.
type Role struct {
	Chain   []Target
	Timeout time.Duration // of one call
	Retries int           // after a failure that may pass
}

// Options is what a Caller works with.
type Options struct {
	Roles   map[llm.Role]Role
	Prompts *prompt.Set
	Ledger  *ledger.Ledger
	Redact  func(string) string
	Log     *slog.Logger
	Now     func() time.Time
	// Pause waits between two tries; tests replace it.
	Pause func(ctx context.Context, d time.Duration) error
}

// Caller asks models. It is safe for concurrent use and holds no lock while a
// model works.
type Caller struct {
	opts   Options
	pauses pauses
}

// New returns a caller.
func New(o Options) *Caller {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Pause == nil {
		o.Pause = pause
	}
	return &Caller{opts: o, pauses: pauses{now: o.Now}}
}

// Question is one task for a model.
type Question struct {
	Role      llm.Role
	Prompt    prompt.Name
	Values    map[string]string // data for the slots, not yet redacted
	Schema    json.RawMessage
	MaxTokens int
	Project   string // for the ledger
	Session   string
	// Read takes the answer apart. An error means that the model did not do
	// what it was asked, and the next one is tried.
	Read func(text string) error
}

// Answer says who answered.
type Answer struct {
	Model     string // provider/model
	Truncated bool
}

// Has reports whether somebody is configured for a role.
func (c *Caller) Has(role llm.Role) bool { return c != nil && len(c.opts.Roles[role].Chain) > 0 }

// Window returns how many tokens a prompt of this role may have, the answer
// taken off.
func (c *Caller) Window(role llm.Role, answer int) int {
	least := 0
	for _, t := range c.opts.Roles[role].Chain {
		if least == 0 || t.Context < least {
			least = t.Context
		}
	}
	return max(least-answer, 0)
}

// Cost estimates what tokens cost with the first target of a role.
func (c *Caller) Cost(role llm.Role, input, output int) float64 {
	chain := c.opts.Roles[role].Chain
	if len(chain) == 0 {
		return 0
	}
	usd, _ := chain[0].cost(llm.Usage{Input: input, Output: output})
	return usd
}

// Ask puts a question. It fails with *llm.Error, of the last target that was tried.
func (c *Caller) Ask(ctx context.Context, q Question) (Answer, error) {
	role := c.opts.Roles[q.Role]
	if len(role.Chain) == 0 {
		return Answer{}, llm.Errorf(llm.Refused, "no model is configured for %s", q.Role)
	}
	values := make(map[string]string, len(q.Values))
	for name, value := range q.Values {
		values[name] = c.opts.Redact(value)
	}
	system, user, err := c.opts.Prompts.Render(q.Prompt, values)
	if err != nil {
		return Answer{}, err
	}
	request := llm.Request{System: system, Prompt: user, Schema: q.Schema, MaxTokens: q.MaxTokens}
	var last error
	for _, target := range role.Chain {
		if err := c.pauses.check(target.Name); err != nil {
			last = pick(last, err)
			continue
		}
		answer, err := c.try(ctx, role, target, request, q)
		if err == nil {
			c.pauses.clear(target.Name)
			return answer, nil
		}
		if ctx.Err() != nil || llm.ClassOf(err) == llm.OverBudget {
			return Answer{}, err // the same for every other target
		}
		c.pauses.note(target.Name, err)
		c.opts.Log.Warn("a model did not answer", "role", q.Role, "target", target.label(), "class", llm.ClassOf(err))
		last = err
	}
	return Answer{}, last
}

// pick prefers what a target said over that another one was not asked.
func pick(old, err error) error {
	if old != nil {
		return old
	}
	return err
}

// longestPause is how long a call waits at most before another try; whoever is
// told to wait longer comes back later.
const longestPause = 30 * time.Second

// try asks one target, again where that may help.
func (c *Caller) try(ctx context.Context, role Role, t Target, r llm.Request, q Question) (Answer, error) {
	for attempt := 0; ; attempt++ {
		answer, err := c.once(ctx, role, t, r, q)
		if err == nil || attempt >= role.Retries || ctx.Err() != nil || llm.ClassOf(err) != llm.Infrastructure {
			return answer, err
		}
		wait := time.Second<<min(attempt, 5) + rand.N(500*time.Millisecond)
		if e, ok := errors.AsType[*llm.Error](err); ok && e.RetryAfter > 0 {
			wait = e.RetryAfter
		}
		if wait > longestPause {
			return answer, err
		}
		if c.opts.Pause(ctx, wait) != nil {
			return answer, err
		}
	}
}

// once asks one target one time and records it.
func (c *Caller) once(ctx context.Context, role Role, t Target, r llm.Request, q Question) (Answer, error) {
	r.Model = t.Model
	input := llm.EstimateTokens(r.System) + llm.EstimateTokens(r.Prompt)
	most, _ := t.cost(llm.Usage{Input: input, Output: r.MaxTokens})
	booking, err := c.opts.Ledger.Book(ctx, input+r.MaxTokens, most)
	if err != nil {
		return Answer{}, overBudget(err, c.opts.Now())
	}
	began := c.opts.Now()
	limited, cancel := context.WithTimeout(ctx, role.Timeout)
	defer cancel()
	response, err := t.Complete(limited, r)
	if err != nil {
		err = asError(err, t.Name)
	} else if bad := q.Read(response.Text); bad != nil {
		err = asError(llm.Errorf(llm.BadOutput, "%w", bad), t.Name)
	}
	call := codememory.ModelCall{
		At: began, Role: string(q.Role), Provider: t.Name, API: t.API, Model: firstOf(response.Model, t.Model), Project: q.Project, Session: q.Session,
		Input: response.Usage.Input, Cached: response.Usage.Cached, Output: response.Usage.Output,
		Outcome: "ok", Millis: c.opts.Now().Sub(began).Milliseconds(),
	}
	if err != nil {
		call.Outcome = string(llm.ClassOf(err))
	}
	if call.Input == 0 && (err == nil || tookTokens(err)) {
		call.Input, call.Output, call.Estimated = input, llm.EstimateTokens(response.Text), true
		response.Usage.Input, response.Usage.Output = call.Input, call.Output
	}
	call.CostUSD, call.Priced = t.cost(response.Usage)
	// What was spent is recorded even if the caller is gone.
	if recordErr := booking.Settle(context.WithoutCancel(ctx), call); recordErr != nil {
		c.opts.Log.Error("a call of a model was not recorded", "role", q.Role, "err", recordErr)
	}
	return Answer{Model: t.Name + "/" + call.Model, Truncated: response.Truncated}, err
}

// tookTokens reports whether a failed call was probably charged for: the model
// was at work when time ran out or the connection broke.
func tookTokens(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == llm.Infrastructure && e.Status == 0 && !e.Unreachable
}

func overBudget(err error, now time.Time) error {
	exceeded, ok := errors.AsType[*ledger.ExceededError](err)
	if !ok {
		return llm.Errorf(llm.Infrastructure, "%w", err)
	}
	return &llm.Error{Class: llm.OverBudget, Message: exceeded.Reason, RetryAfter: exceeded.Until.Sub(now), Err: err}
}

// asError gives an error its class and the name of its provider.
func asError(err error, provider string) error {
	e, ok := errors.AsType[*llm.Error](llm.FromContext(err))
	if !ok {
		e = llm.Errorf(llm.Infrastructure, "%w", err)
	}
	named := *e
	named.Provider = provider
	return &named
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
