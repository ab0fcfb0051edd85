package opencode

import "slices"

// revert is the mark that an undo leaves on a session. What it hides is still
// in the tables until the next prompt.
type revert struct {
	MessageID string `json:"messageID"`
	PartID    string `json:"partID"`
}

// hide leaves out what was undone: all from the message on or, when a part is
// named, from that part of the message on.
func (r revert) hide(messages []message) []message {
	if r.MessageID == "" {
		return messages
	}
	i := slices.IndexFunc(messages, func(m message) bool { return m.id == r.MessageID })
	if i < 0 {
		return messages
	}
	if r.PartID == "" {
		return messages[:i]
	}
	m := &messages[i]
	if p := slices.IndexFunc(m.parts, func(p part) bool { return p.id == r.PartID }); p >= 0 {
		m.parts = m.parts[:p]
	}
	return messages[:i+1]
}
