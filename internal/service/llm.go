package service

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"codememory"
	"codememory/internal/distill"
	"codememory/internal/ledger"
	"codememory/internal/llm"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/roles"
	"codememory/internal/llm/task"
)

var _ codememory.LLMService = (*Service)(nil)

// models is what language models do for the service. Without a configured one
// it stays empty but for the ledger of earlier days.
type models struct {
	ledger  *ledger.Ledger // nil: no model was ever asked
	queue   *distill.Queue // nil: no model is configured
	tasks   task.Tasks
	worker  *distill.Worker
	problem string // why a configured model is not asked

	expandWait time.Duration
	expansions expansions
	background sync.WaitGroup
	cancel     context.CancelFunc
}

// openModels sets up what the settings ask for. A mistake in them is no reason
// to do without the rest: it is reported, and no model is asked.
func (s *Service) openModels(ctx context.Context) error {
	m, c := &s.models, s.opts.Config.Config
	wanted := usesLLM(c.LLM) && c.LLM.Enabled && !c.Disable
	if _, err := os.Stat(s.opts.Layout.LedgerDB()); err != nil && !wanted {
		return nil
	}
	var err error
	m.ledger, err = ledger.Open(ctx, s.opts.Layout.LedgerDB(), ledger.Options{
		Budget: codememory.Budget{Tokens: c.LLM.Budget.Tokens, USD: c.LLM.Budget.USD}, Location: c.Location(), Now: s.opts.Now,
	})
	if err != nil || !wanted {
		return err
	}
	table, err := newRoles(c.LLM)
	var prompts *prompt.Set
	if err == nil {
		prompts, err = prompt.Load(s.opts.Layout.Prompts())
	}
	if err != nil {
		m.problem = err.Error()
		s.opts.Log.Error("no language model is asked", "err", err)
		return nil
	}
	if expand, ok := table[llm.Expand]; ok {
		m.expandWait = expand.Timeout
		expand.Timeout = max(expand.Timeout, lateExpansion)
		table[llm.Expand] = expand
	}
	if m.queue, err = distill.OpenQueue(ctx, s.opts.Layout.DistillDB(), s.opts.Now); err != nil {
		return err
	}
	owner, err := ownerName()
	if err != nil {
		return err
	}
	m.tasks = task.Tasks{Caller: roles.New(roles.Options{
		Roles: table, Prompts: prompts, Ledger: m.ledger, Redact: s.redactor.String, Log: s.opts.Log, Now: s.opts.Now,
	})}
	m.worker = distill.New(distill.Options{
		Queue: m.queue, Tasks: m.tasks, Host: distillHost{s}, Redact: s.redactor.String, Idle: c.LLM.Idle.Duration,
		Owner: owner, Log: s.opts.Log, Now: s.opts.Now, Done: s.distilled,
	})
	run, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	if s.opts.Watch {
		m.background.Go(func() { m.worker.Run(run) })
	}
	return nil
}

// ownerName tells the processes apart that work from one queue.
func ownerName() (string, error) {
	var b [6]byte
	if _, err := rand.Read(b[:]); err != nil {
		return "", err
	}
	return fmt.Sprintf("%d-%s", os.Getpid(), hex.EncodeToString(b[:])), nil
}

func (m *models) close() error {
	if m.cancel != nil {
		m.cancel()
		m.background.Wait()
	}
	var errs []error
	if m.queue != nil {
		errs = append(errs, m.queue.Close())
	}
	if m.ledger != nil {
		errs = append(errs, m.ledger.Close())
	}
	return errors.Join(errs...)
}

// off says why no model is asked, or "".
func (m *models) off(c bool) string {
	switch {
	case m.worker != nil:
		return ""
	case m.problem != "":
		return "the settings of the language models are wrong: " + m.problem
	case !c:
		return "language models are switched off (llm.enabled)"
	}
	return `no language model is configured: see docs/llm.md, or "codememory config set llm.provider …"`
}

func (s *Service) llmOff() string { return s.models.off(s.opts.Config.Config.LLM.Enabled) }

// distilled tells the world that a job ended.
func (s *Service) distilled(j codememory.ExtractJob) {
	kind := "job.done"
	if j.State == "dead" {
		kind = "job.failed"
	}
	if j.State == "queued" {
		return
	}
	s.events.send(codememory.Event{Kind: kind, Project: j.Project, ID: j.Session, Job: j.Kind, Done: j.Memories, Total: j.Memories})
}

// Working reports whether models have work that is due within this time, so
// that the daemon should stay.
func (s *Service) Working(ctx context.Context, within time.Duration) bool {
	m := &s.models
	if m.worker == nil {
		return false
	}
	soon := s.opts.Now().Add(within)
	if due, err := m.queue.NextDue(ctx); err == nil && !due.IsZero() && due.Before(soon) {
		return true
	}
	waiting, err := m.queue.Waiting(ctx, "")
	if err != nil {
		return false
	}
	for _, w := range waiting {
		if w.Active.Add(m.worker.Idle).Before(soon) {
			return true
		}
	}
	return false
}

// Costs implements codememory.LLMService.
func (s *Service) Costs(ctx context.Context) (codememory.Costs, error) {
	if s.models.ledger == nil {
		c := s.opts.Config.Config.LLM.Budget
		return codememory.Costs{
			Budget: codememory.Budget{Tokens: c.Tokens, USD: c.USD}, ByModel: []codememory.ModelCost{}, ByRole: map[string]codememory.CostSum{},
			Provider: map[string]codememory.CostSum{}, Days: map[string]codememory.CostSum{}, Outcomes: map[string]int{},
		}, nil
	}
	return s.models.ledger.Costs(ctx)
}

// ResetCosts implements codememory.LLMService.
func (s *Service) ResetCosts(ctx context.Context) error {
	if s.models.ledger == nil {
		return nil
	}
	return s.models.ledger.Reset(ctx)
}

// Activity implements codememory.LLMService.
func (s *Service) Activity(ctx context.Context, limit int) ([]codememory.ModelCall, error) {
	if s.models.ledger == nil {
		return []codememory.ModelCall{}, nil
	}
	return s.models.ledger.Activity(ctx, limit)
}

// LLM implements codememory.LLMService.
func (s *Service) LLM(ctx context.Context) (codememory.LLMStatus, error) {
	m := &s.models
	out := codememory.LLMStatus{
		Configured: m.worker != nil, Problem: m.problem, Roles: []codememory.RoleStatus{}, Dead: []codememory.ExtractJob{}, Endpoints: Outbound(s.opts.Config.Config.LLM),
	}
	if m.worker == nil {
		return out, nil
	}
	out.Roles = m.tasks.Status()
	waiting, err := m.queue.Waiting(ctx, "")
	if err != nil {
		return out, err
	}
	for _, w := range waiting {
		out.Waiting += len(w.Turns)
	}
	queued, err := m.queue.Jobs(ctx, "queued", "running")
	if err != nil {
		return out, err
	}
	out.Queued = len(queued)
	if out.Dead, err = m.queue.Jobs(ctx, "dead"); err != nil {
		return out, err
	}
	out.Budget, err = m.ledger.Budget(ctx)
	return out, err
}

// llmHealth adds to a health report what concerns models.
func (s *Service) llmHealth(ctx context.Context, h *codememory.Health) {
	m := &s.models
	if m.problem != "" {
		h.Status = "degraded"
		h.Reasons = append(h.Reasons, s.llmOff())
	}
	if m.worker == nil {
		return
	}
	h.LLM = true
	if until, why := m.tasks.Paused(llm.Extract); !until.IsZero() {
		h.LLM, h.Status = false, "degraded"
		h.Reasons = append(h.Reasons, "the language model: "+why)
	}
	if b, err := m.ledger.Budget(ctx); err == nil && b.Exceeded != "" {
		h.Reasons = append(h.Reasons, b.Exceeded)
	}
	if dead, err := m.queue.Jobs(ctx, "dead"); err == nil && len(dead) > 0 {
		h.Reasons = append(h.Reasons, fmt.Sprintf("%d sessions could not be read by a model: codememory extract --retry tries again", len(dead)))
	}
}
