package jsonl

import (
	"context"
	"encoding/json"
	"slices"
)

// mark is what Changed knew when it last looked: for each session the print of
// its file. It names every session, because nothing else can tell afterwards
// which one was deleted.
type mark struct {
	Form     int               `json:"v"`
	Sessions map[string]string `json:"s"`
}

const markForm = 1

// parseMark reads a mark. One that cannot be read is the beginning.
func parseMark(s string) mark {
	var m mark
	if s == "" || json.Unmarshal([]byte(s), &m) != nil || m.Form != markForm {
		return mark{}
	}
	return m
}

// encode writes the mark as text. Equal marks give equal text.
func (m mark) encode() (string, error) {
	b, err := json.Marshal(m)
	return string(b), err
}

// feed is what Changed last answered, so that it need not read its own mark.
type feed struct {
	text    string
	mark    mark
	changes uint64 // of the tree
}

// Changed returns the sessions whose files changed after the mark, oldest
// change first.
func (r *Reader) Changed(ctx context.Context, text string) (changed, deleted []string, next string, err error) {
	now, at, changes, same, err := r.prints(ctx, text)
	if err != nil || same {
		return nil, nil, text, err
	}
	old := r.known(text)
	for id, print := range now.Sessions {
		if old.Sessions[id] != print {
			changed = append(changed, id)
		}
	}
	for id := range old.Sessions {
		if _, there := now.Sessions[id]; !there {
			deleted = append(deleted, id)
		}
	}
	slices.Sort(deleted)
	slices.Sort(changed)
	slices.SortStableFunc(changed, func(a, b string) int { return int(min(1, max(-1, at[a]-at[b]))) })
	if next, err = now.encode(); err != nil {
		return nil, nil, "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.feed = feed{next, now, changes}
	r.forgetSummaries()
	return changed, deleted, next, nil
}

// known returns what a mark says.
func (r *Reader) known(text string) mark {
	r.mu.Lock()
	defer r.mu.Unlock()
	if text != "" && text == r.feed.text {
		return r.feed.mark
	}
	return parseMark(text)
}

// prints looks at the files. same means that nothing happened since the last
// call, which answered with this mark.
func (r *Reader) prints(ctx context.Context, text string) (now mark, at map[string]int64, changes uint64, same bool, err error) {
	t := r.tree
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := r.missing(t.scanLocked(ctx)); err != nil {
		return mark{}, nil, 0, false, err
	}
	r.mu.Lock()
	same = text != "" && text == r.feed.text && t.changes == r.feed.changes
	r.mu.Unlock()
	if same {
		return mark{}, nil, t.changes, true, nil
	}
	now = mark{markForm, make(map[string]string, len(t.sessions))}
	at = make(map[string]int64, len(t.sessions))
	for id, f := range t.sessions {
		now.Sessions[id], at[id] = f.print(), f.mtime
	}
	return now, at, t.changes, false, nil
}

// forgetSummaries drops those of files that are gone, when they got many. The
// caller holds r.mu.
func (r *Reader) forgetSummaries() {
	if len(r.summaries) <= 2*len(r.feed.mark.Sessions)+100 {
		return
	}
	for path, s := range r.summaries {
		if _, there := r.feed.mark.Sessions[s.session.ID]; !there {
			delete(r.summaries, path)
		}
	}
}
