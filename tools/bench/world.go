package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/embedding/minilm"
	"codememory/internal/paths"
	"codememory/internal/project"
	"codememory/internal/service"
	"codememory/internal/store"
)

// world is a user with one project that remembers much.
type world struct {
	size    int
	binary  string
	layout  paths.Layout
	root    string // the project's folder
	options store.Options
	corpus  *corpus
	texts   []string // what is stored
	bytes   int64    // of the database without the texts
	daemon  *daemon  // nil: not running
}

// configuration keeps the daemon out of the way of others. Without a floor every
// question gets as many memories as there may be, which is the expensive case.
const configuration = `
[http]
port = 0
[daemon]
idle_exit = "0s"
[search]
floor = 0
`

const userShare = 50 // one memory in the user's store for so many in the project's

// world returns the store with n memories, filled when it is first asked for.
func (b *bench) world(ctx context.Context, n int) (*world, error) {
	if w := b.worlds[n]; w != nil {
		return w, nil
	}
	dir := filepath.Join(b.dir, fmt.Sprint(n))
	w := &world{
		size: n, binary: b.binary, root: filepath.Join(dir, "project"), corpus: newCorpus(uint64(n)),
		layout: paths.Layout{Data: filepath.Join(dir, "data"), State: filepath.Join(dir, "state"), ConfigFile: filepath.Join(dir, "config.toml")},
	}
	for _, d := range []string{w.root, w.layout.Data, w.layout.State} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	if err := os.WriteFile(w.layout.ConfigFile, []byte(configuration), 0o600); err != nil {
		return nil, err
	}
	if err := command(ctx, "git", "init", "--quiet", w.root).Run(); err != nil {
		return nil, err
	}
	if err := b.fill(ctx, w); err != nil {
		return nil, fmt.Errorf("fill a store with %d memories: %w", n, err)
	}
	b.worlds[n] = w
	return w, nil
}

// fill writes the memories through the store, as text and with vectors.
func (b *bench) fill(ctx context.Context, w *world) error {
	began := time.Now()
	embedder, err := b.embedder(ctx)
	if err != nil {
		return err
	}
	registry, err := project.Open(w.layout.Data)
	if err != nil {
		return err
	}
	p, err := registry.Resolve(ctx, w.root)
	if err != nil {
		return err
	}
	dir, err := w.layout.ProjectStore(p.ID)
	if err != nil {
		return err
	}
	w.options = store.Options{Dir: dir, Scope: codememory.ScopeProject, Project: p.ID, Writer: "benchmrk", Model: embedder.Model}
	if w.texts, err = fillStore(ctx, w.options, embedder, w.corpus, w.size); err != nil {
		return err
	}
	user := store.Options{Dir: w.layout.UserStore(), Scope: codememory.ScopeUser, Writer: "benchmrk", Model: embedder.Model}
	if _, err := fillStore(ctx, user, embedder, w.corpus, max(1, w.size/userShare)); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, store.DatabaseName))
	if err != nil {
		return err
	}
	w.bytes = info.Size()
	for _, t := range w.texts {
		w.bytes -= int64(len(t))
	}
	fmt.Fprintf(os.Stderr, "bench: %d memories saved in %v\n", w.size, time.Since(began).Round(time.Millisecond))
	return nil
}

func (b *bench) embedder(ctx context.Context) (codememory.Embedder, error) {
	if b.real {
		return minilm.New(), nil
	}
	var err error
	if b.mixer == nil {
		b.mixer, err = newMixer(ctx, minilm.New())
	}
	return b.mixer, err
}

// fillStore saves n memories and their vectors and returns their texts. In the
// end none is without a vector, so that the daemon has none to make.
func fillStore(ctx context.Context, o store.Options, e codememory.Embedder, c *corpus, n int) (texts []string, err error) {
	s, err := store.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	defer func() {
		if e := s.Close(); err == nil {
			err = e
		}
	}()
	const batch, span = 1000, 2 * 365 * 24 * time.Hour // two years of memories
	began := time.Now().Add(-span)
	for len(texts) < n {
		var ms []codememory.Memory
		var part []string
		for range min(batch, n-len(texts)) {
			at := began.Add(span / time.Duration(n) * time.Duration(len(texts)+len(ms)))
			m := memory(c, at)
			ms, part = append(ms, m), append(part, m.Text)
		}
		if err := s.Save(ctx, ms...); err != nil {
			return nil, err
		}
		vectors, err := e.EmbedDocuments(ctx, part)
		if err != nil {
			return nil, err
		}
		es := make([]codememory.MemoryEmbedding, len(ms))
		for i, m := range ms {
			es[i] = codememory.MemoryEmbedding{ID: m.ID, TextHash: codememory.TextHash(m.Text), Passages: vectors[i]}
		}
		if err := s.SaveEmbeddings(ctx, o.Model().ID, es); err != nil {
			return nil, err
		}
		texts = append(texts, part...)
	}
	left, err := s.Unembedded(ctx, o.Model().ID, 1)
	if err == nil && len(left) > 0 {
		err = fmt.Errorf("memory %s has no vector", left[0].ID)
	}
	return texts, err
}

func memory(c *corpus, at time.Time) codememory.Memory {
	t := codememory.Types[c.random.IntN(len(codememory.Types))]
	return codememory.Memory{
		ID: codememory.NewID(at), Text: c.memory(), Type: t, CreatedAt: at, UpdatedAt: at,
		Importance: codememory.DefaultImportance(t, ""), Source: codememory.Source{Agent: "bench", Author: codememory.AuthorUser},
	}
}

// service opens the stores in this process. No daemon may have them open.
func (w *world) service(ctx context.Context) (*service.Service, error) {
	w.stopDaemon()
	loaded, err := config.Load(config.Sources{UserFile: w.layout.ConfigFile})
	if err != nil {
		return nil, err
	}
	s, err := service.Open(ctx, service.Options{Layout: w.layout, Config: loaded, Version: "bench"})
	if err != nil {
		return nil, err
	}
	if err := warm(ctx, os.Getpid(), s, w); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// question asks for one of the stored memories.
func (w *world) question() string {
	return w.corpus.question(w.texts[w.corpus.random.IntN(len(w.texts))])
}

// env makes a codememory process work in this world.
func (w *world) env() []string {
	return append(os.Environ(),
		paths.EnvData+"="+w.layout.Data, paths.EnvState+"="+w.layout.State, paths.EnvConfig+"="+w.layout.ConfigFile, "CODEMEMORY_DISABLE=")
}

// command is a program whose complaints are seen.
func command(ctx context.Context, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Stderr = os.Stderr
	return cmd
}
