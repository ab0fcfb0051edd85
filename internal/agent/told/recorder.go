package told

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"time"

	"codememory"
)

// Recorder writes what hooks tell. It is safe for concurrent use.
type Recorder struct {
	Dir    string
	Redact func(string) string // secrets never reach the disk
	Now    func() time.Time

	mu sync.Mutex
}

// Add keeps an event. One that says nothing of a turn is not worth a row.
func (r *Recorder) Add(p codememory.Poke) error {
	if p.Said == nil || p.Session == "" || !Knows(p.Agent) {
		return nil
	}
	line := row{At: r.Now().UTC().Format(time.RFC3339Nano), Session: p.Session, Dir: p.Dir, Event: p.Event, Said: r.redacted(*p.Said)}
	b, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("keep what a hook of %s told: %w", p.Agent, err)
	}
	dir := filepath.Join(r.Dir, p.Agent)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("keep what a hook of %s told: %w", p.Agent, err)
	}
	f, err := os.OpenFile(filepath.Join(dir, fileName(p.Session)), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("keep what a hook of %s told: %w", p.Agent, err)
	}
	_, err = f.Write(append(b, '\n'))
	return errors.Join(err, f.Close())
}

func (r *Recorder) redacted(e codememory.TurnEvent) codememory.TurnEvent {
	for _, text := range []*string{&e.Prompt, &e.Text, &e.Error} {
		*text = r.Redact(*text)
	}
	if e.Tool != nil {
		tool := *e.Tool
		tool.Input = nil
		for _, text := range []*string{&tool.Target, &tool.Title, &tool.Output, &tool.Error} {
			*text = r.Redact(*text)
		}
		e.Tool = &tool
	}
	return e
}

// plain is an id that can be the name of a file on all systems.
var plain = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`) })

// fileName is the same for the same session. An id that is no name of a file,
// or one that looks like a path, is hashed.
func fileName(session string) string {
	if !plain().MatchString(session) {
		sum := sha256.Sum256([]byte(session))
		session = "id-" + hex.EncodeToString(sum[:16])
	}
	return session + ".jsonl"
}
