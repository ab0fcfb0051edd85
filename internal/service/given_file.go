package service

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"codememory/internal/atomicfile"
)

// maxKept is how many sessions are remembered beyond the end of the process. A
// daemon ends when nobody asks it for a while, but the conversations go on.
const maxKept = 50

// keptSession is a session in the file. There is no text in it.
type keptSession struct {
	Key    string    `json:"session"`
	Stable string    `json:"stable,omitempty"`
	IDs    []string  `json:"ids,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Again  time.Time `json:"again,omitzero"`
}

func (s *Service) givenFile() string { return filepath.Join(s.opts.Layout.State, "given.json") }

// loadGiven reads what an earlier process was told. Without it sessions are told
// some things twice, which is no reason not to start.
func (s *Service) loadGiven() {
	data, err := os.ReadFile(s.givenFile())
	var list []keptSession
	if err == nil {
		err = json.Unmarshal(data, &list)
	}
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.opts.Log.Warn("what sessions were told is not known", "path", s.givenFile(), "err", err)
		}
		return
	}
	g := &s.given
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sessions = map[string]conversation{}
	for _, k := range list {
		g.sessions[k.Key] = conversation{stable: k.Stable, ids: k.IDs, since: k.Since, again: k.Again}
		g.order = append(g.order, k.Key)
	}
}

func (s *Service) saveGiven() error {
	g := &s.given
	g.mu.Lock()
	list := []keptSession{}
	for _, key := range g.order[max(0, len(g.order)-maxKept):] {
		t := g.sessions[key]
		list = append(list, keptSession{Key: key, Stable: t.stable, IDs: t.ids, Since: t.since, Again: t.again})
	}
	g.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := atomicfile.MkdirAll(filepath.Dir(s.givenFile()), 0o700); err != nil {
		return err
	}
	data, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return atomicfile.Write(s.givenFile(), data, 0o600)
}
