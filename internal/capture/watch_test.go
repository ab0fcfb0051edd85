package capture_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"codememory"
	"codememory/internal/capture"
	"codememory/internal/history"
)

// folders is an agent that tells where it would write, and counts how often it
// is looked at.
type folders struct {
	scripted
	watched []string
	looked  chan struct{}
}

func (f *folders) Watched() []string { return f.watched }

func (f *folders) Changed(context.Context, string) (changed, deleted []string, next string, err error) {
	f.looked <- struct{}{}
	return nil, nil, "m", nil
}

func TestAFolderThatAppearsLaterIsWatched(t *testing.T) {
	h, err := history.Open(t.Context(), filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	dir := filepath.Join(t.TempDir(), "made", "later")
	src := &folders{watched: []string{dir}, looked: make(chan struct{})}
	c := capture.New(capture.Options{History: h, Sources: []codememory.Transcripts{src}})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		c.Run(ctx)
	}()
	<-src.looked
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c.Wake()
	<-src.looked
	c.Wake() // watched from the end of the pass before this one on
	<-src.looked
	if err := os.WriteFile(filepath.Join(dir, "session.jsonl"), []byte("{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	select {
	case <-src.looked:
	case <-time.After(5 * time.Second): // less than until it looks anyway
		t.Error("a change in the new folder went unnoticed")
	}
	cancel()
	<-over
}
