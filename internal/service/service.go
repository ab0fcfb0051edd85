// Package service implements codememory.Service in process: it knows which
// store a request means, redacts before anything is written, keeps memories
// free of duplicates, and puts search, rendering and maintenance on top of the
// stores. The daemon serves it; the command line uses it directly when there
// is no daemon.
package service

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/config"
	"codememory/internal/embedding"
	"codememory/internal/lifecycle"
	"codememory/internal/paths"
	"codememory/internal/project"
	"codememory/internal/redact"
	"codememory/internal/store"
)

// Options say where the service works and with what.
type Options struct {
	Layout  paths.Layout
	Config  *config.Loaded // nil: defaults
	Log     *slog.Logger
	Version string
	Now     func() time.Time
	// Watch makes the service notice edits of the text from outside. Only a
	// long-lived process has a use for it.
	Watch bool
	// Embedder replaces the configured one, for tests.
	Embedder codememory.Embedder
	// Transcripts are the records of the agents on this machine.
	Transcripts []codememory.Transcripts
	// Judge decides what rules cannot about memories that are alike; nil: the configured model, else rules alone.
	Judge lifecycle.Judge
	// AgentData is the folder where agents keep their data, such as ~/.local/share.
	AgentData string
}

// Service implements codememory.Service.
type Service struct {
	opts     Options
	registry *project.Registry
	redactor *redact.Redactor
	embedder codememory.Embedder // nil: search by words only
	writer   string
	events   hub
	stores   storeSet
	backlog  backlog
	configs  projectConfigs
	agents   agents
	sessions sessionStores
	models   models
	blocks   blocks
	gates    gates
	given    given
	cited    citedFiles

	successors successors

	pauses       pauses
	injections   injections
	suppressions suppressions

	described    sync.Map // ids of projects whose brief was looked for
	userTagOnce  sync.Once
	userTagValue string
}

var (
	_ codememory.Service     = (*Service)(nil)
	_ codememory.ViewService = (*Service)(nil)
)

// Open prepares the service. No store and no model is opened before it is needed.
func Open(ctx context.Context, o Options) (*Service, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Config == nil {
		loaded, err := config.Load(config.Sources{})
		if err != nil {
			return nil, err
		}
		o.Config = loaded
	}
	if err := os.MkdirAll(o.Layout.Data, 0o700); err != nil {
		return nil, atomicfile.Coded("create", o.Layout.Data, err)
	}
	reg, err := project.Open(o.Layout.Data, project.WithClock(o.Now))
	if err != nil {
		return nil, err
	}
	for _, w := range reg.Warnings() {
		o.Log.Warn("project registry", "err", w)
	}
	s := &Service{opts: o, registry: reg}
	if s.redactor, err = newRedactor(o.Config.Config.Redact); err != nil {
		return nil, err
	}
	if s.embedder, err = s.newEmbedder(o); err != nil {
		return nil, err
	}
	if s.writer, err = writerID(o.Layout.Data); err != nil {
		return nil, err
	}
	if err := errors.Join(s.pauses.load(o.Layout.Data), s.suppressions.load(o.Layout.Data)); err != nil {
		return nil, err
	}
	s.injections.file, s.injections.loc = filepath.Join(o.Layout.State, "injections.jsonl"), o.Config.Config.Location()
	s.events.now = o.Now
	s.stores.open = s.openStore
	s.stores.rebuild = func(ctx context.Context, p codememory.Project) (*store.Store, error) {
		st, _, err := s.rebuildStore(ctx, p)
		return st, err
	}
	s.stores.log = o.Log
	if o.Watch {
		s.loadGiven()
	}
	if err := s.openAgents(ctx); err != nil {
		return nil, err
	}
	if err := s.openModels(ctx); err != nil {
		return nil, errors.Join(err, s.agents.close())
	}
	s.backlog.start(s)
	return s, nil
}

// Close ends background work and closes the stores.
func (s *Service) Close() error {
	err := errors.Join(s.agents.close(), s.models.close())
	s.backlog.stop()
	s.events.close()
	if s.opts.Watch {
		err = errors.Join(err, s.saveGiven())
	}
	return errors.Join(err, s.stores.closeAll())
}

func newRedactor(c config.Redact) (*redact.Redactor, error) {
	var opts []redact.Option
	for i, p := range c.ExtraPatterns {
		opts = append(opts, redact.WithPattern(fmt.Sprintf("configured-%d", i+1), p))
	}
	for _, p := range c.Allow {
		opts = append(opts, redact.WithAllowed(p))
	}
	return redact.New(opts...)
}

func (s *Service) newEmbedder(o Options) (codememory.Embedder, error) {
	if o.Embedder != nil {
		return o.Embedder, nil
	}
	c := o.Config.Config.Embedding
	if c.Provider == "none" {
		return nil, nil
	}
	return embedding.Open(embedding.Config{
		Provider: embedding.Provider(c.Provider), Model: c.Model, BaseURL: c.URL, APIKey: c.APIKey.Reveal(), Dim: c.Dimension,
		QueryTimeout: c.Timeout.Duration, Redact: s.redactor.String,
	})
}

// model describes the vectors in use; without an embedder there are none.
func (s *Service) model() codememory.EmbeddingModel {
	if s.embedder == nil {
		return codememory.EmbeddingModel{}
	}
	return s.embedder.Model()
}

// writerID names this installation in logs that several machines write to.
func writerID(data string) (string, error) {
	path := filepath.Join(data, "writer")
	b, err := os.ReadFile(path)
	if id := strings.TrimSpace(string(b)); err == nil && len(id) == 8 {
		return id, nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	var raw [4]byte
	if _, err := rand.Read(raw[:]); err != nil {
		return "", err
	}
	id := hex.EncodeToString(raw[:])
	if err := atomicfile.Write(path, []byte(id+"\n"), 0o600); err != nil && codememory.CodeOf(err) != codememory.ReadOnly {
		return "", err
	}
	return id, nil
}

// projectConfigs remembers the settings of projects until their file changes.
type projectConfigs struct {
	mu    sync.Mutex
	known map[string]projectConfig
}

type projectConfig struct {
	modified time.Time
	config   config.Config
}

// configFor returns the settings that hold in a project.
func (s *Service) configFor(p codememory.Project) config.Config {
	if p.Store == "" {
		return s.opts.Config.Config
	}
	file := filepath.Join(p.Store, "config.json")
	info, err := os.Stat(file)
	if err != nil {
		return s.opts.Config.Config
	}
	c := &s.configs
	c.mu.Lock()
	defer c.mu.Unlock()
	if k, ok := c.known[file]; ok && k.modified.Equal(info.ModTime()) {
		return k.config
	}
	loaded := s.opts.Config.ForProject(file)
	for _, w := range loaded.Warnings {
		s.opts.Log.Warn("project settings", "project", p.ID, "problem", w.String())
	}
	if c.known == nil {
		c.known = map[string]projectConfig{}
	}
	c.known[file] = projectConfig{info.ModTime(), loaded.Config}
	return loaded.Config
}
