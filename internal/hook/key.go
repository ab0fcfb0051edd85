package hook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// key names the event by session, kind and content. The two forms in which an
// agent reports one event agree in little else: not in the name of the event,
// nor in that of the tool, nor in how they write a time. An event that comes
// again much later has the same key and is another one.
func (e Event) key() string {
	content := ""
	switch e.Kind {
	case SessionStart:
		content = e.Source
	case Prompt:
		content = e.Prompt
	case ToolStart, ToolDone, ToolFailed:
		if content = e.Tool.ID; content == "" {
			content = e.Tool.Target + "\x00" + canonical(e.Tool.Input)
		}
	case Said:
		content = e.LastMessage
	case TurnEnd:
		content = e.Turn
	case Other:
		content = fold(e.Name)
	case SubagentStart, SubagentStop, PreCompact, PostCompact, SessionEnd:
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{e.Session, e.SubagentID, string(e.Kind), content}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// canonical is JSON without differences of order and space.
func canonical(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return string(raw)
	}
	sorted, err := json.Marshal(v)
	if err != nil {
		return string(raw)
	}
	return string(sorted)
}
