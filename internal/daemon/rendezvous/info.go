// Package rendezvous is how the daemon of a user and its clients find and trust
// each other: the token that both must know, the file in which the daemon says
// where it listens, and the locks that make it the only one.
package rendezvous

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net"
	"os"
	"strconv"
	"time"

	"codememory"
	"codememory/internal/atomicfile"
	"codememory/internal/paths"
)

// Host is the only address on which a daemon listens.
const Host = "127.0.0.1"

// Info is what a running daemon says of itself. It holds no secret.
type Info struct {
	PID     int       `json:"pid"`
	Port    int       `json:"port"`
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// Address is where the daemon listens.
func (i Info) Address() string { return net.JoinHostPort(Host, strconv.Itoa(i.Port)) }

// ReadInfo returns what the last daemon said of itself. It may have been
// killed since: only an answer from its address shows that it lives. Without a
// readable file it fails with NotFound.
func ReadInfo(l paths.Layout) (Info, error) {
	var info Info
	data, err := os.ReadFile(l.DaemonInfo())
	if errors.Is(err, fs.ErrNotExist) {
		return info, codememory.Errorf(codememory.NotFound, "no daemon is running")
	}
	if err != nil {
		return info, atomicfile.Coded("read", l.DaemonInfo(), err)
	}
	if err := json.Unmarshal(data, &info); err != nil || info.Port < 1 || info.Port > 65535 {
		return Info{}, codememory.Errorf(codememory.NotFound, "%s does not say where the daemon is", l.DaemonInfo())
	}
	return info, nil
}

// WriteInfo is called by the daemon that holds the lock, once it listens.
func WriteInfo(l paths.Layout, info Info) error {
	data, err := json.MarshalIndent(info, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.Write(l.DaemonInfo(), append(data, '\n'), 0o600)
}

// RemoveInfo is called by the daemon before it leaves the lock.
func RemoveInfo(l paths.Layout) error { return atomicfile.Remove(l.DaemonInfo()) }
