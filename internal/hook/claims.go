package hook

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// claimWindow is how far apart the two reports of one event may be. Nobody
// sends the same prompt again within it.
const claimWindow = 3 * time.Second

// Claims lets the first of several processes have an event that an agent
// reports to all of them, because two of its configurations name us. It is a
// folder of empty files, whose creation the system decides between them.
type Claims struct {
	Dir string
	Now func() time.Time // nil: time.Now
}

// Take reports whether the event with this key is ours to answer. When the
// folder cannot be used it is: to answer twice is better than never.
func (c Claims) Take(key string) bool {
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	at := now()
	// A name holds for one stretch of time, so that files never have to be
	// renewed, which two processes could do at once.
	stretch := at.UnixNano() / int64(claimWindow)
	err := c.create(key, stretch, at)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(c.Dir, 0o700) == nil {
		err = c.create(key, stretch, at)
	}
	switch {
	case errors.Is(err, fs.ErrExist):
		return false
	case err != nil:
		return true
	}
	before, err := os.Stat(c.file(key, stretch-1))
	c.sweep(at)
	return err != nil || at.Sub(before.ModTime()) >= claimWindow
}

func (c Claims) file(key string, stretch int64) string {
	return filepath.Join(c.Dir, key+"-"+strconv.FormatInt(stretch, 36))
}

func (c Claims) create(key string, stretch int64, at time.Time) error {
	name := c.file(key, stretch)
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Chtimes(name, at, at))
}

// sweep removes what is no longer of use.
func (c Claims) sweep(at time.Time) {
	files, err := os.ReadDir(c.Dir)
	if err != nil {
		return
	}
	for _, f := range files {
		if info, err := f.Info(); err == nil && at.Sub(info.ModTime()) > 4*claimWindow {
			_ = os.Remove(filepath.Join(c.Dir, f.Name()))
		}
	}
}
