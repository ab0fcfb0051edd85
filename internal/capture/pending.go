package capture

import (
	"context"
	"encoding/json"
	"slices"
	"time"
)

// When to look again at a session that nothing may announce: one with an open
// turn (its program may have been killed), and one that could not be read.
const (
	lookAgain  = 6 * time.Minute
	firstRetry = 10 * time.Second
	lastRetry  = time.Hour
)

// pending are sessions to look at again, kept over restarts.
type pending map[string]appointment

type appointment struct {
	Due   time.Time `json:"due"`
	Tries int       `json:"tries,omitempty"` // failed so far
}

func (c *Capturer) loadPending(ctx context.Context, agent string) (pending, error) {
	v, err := c.opts.History.Meta(ctx, "pending:"+agent)
	if err != nil {
		return nil, err
	}
	p := pending{}
	if v != "" {
		if err := json.Unmarshal([]byte(v), &p); err != nil {
			return pending{}, nil // only delays a second look
		}
	}
	return p, nil
}

func (c *Capturer) savePending(ctx context.Context, agent string, p pending) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	old, err := c.opts.History.Meta(ctx, "pending:"+agent)
	if err != nil || old == string(b) {
		return err
	}
	return c.opts.History.SetMeta(ctx, "pending:"+agent, string(b))
}

// due adds the sessions whose time has come to those that changed.
func (p pending) due(now time.Time, changed []string) []string {
	out := slices.Clone(changed)
	for id, a := range p {
		if !a.Due.After(now) && !slices.Contains(out, id) {
			out = append(out, id)
		}
	}
	return out
}

// note decides whether a session is looked at again.
func (p pending) note(id string, open bool, err error, now time.Time) {
	switch {
	case err != nil:
		tries := p[id].Tries + 1
		wait := min(firstRetry<<min(tries-1, 10), lastRetry)
		p[id] = appointment{Due: now.Add(wait).UTC().Truncate(time.Second), Tries: tries}
	case open:
		p[id] = appointment{Due: now.Add(lookAgain).UTC().Truncate(time.Second)}
	default:
		delete(p, id)
	}
}
