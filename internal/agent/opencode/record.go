package opencode

import (
	"encoding/json"
	"errors"
	"strings"

	"codememory"
)

// message is one message with its parts, whichever store it comes from.
type message struct {
	id        string
	role      string // user or assistant
	parent    string // of an assistant: the user's message that it answers
	created   int64  // milliseconds, as all times here
	updated   int64
	completed int64
	finish    string // the provider's reason why the step ended
	summary   bool   // of an assistant: the text is the summary of a compaction
	model     string
	provider  string
	failure   failure
	tokens    codememory.TokenCount
	diffs     []fileDiff
	outcome   string // how the second runtime says the turn ended
	parts     []part
}

// failure is why a step or tool failed.
type failure struct{ name, message string }

// fileDiff is what a turn did to a file in the end.
type fileDiff struct {
	File   string `json:"file"`
	Status string `json:"status"` // added, modified or deleted
}

// part is one piece of a message.
type part struct {
	id        string
	kind      string
	at        int64
	updated   int64
	text      string
	synthetic bool // put in by OpenCode or a plugin
	ignored   bool // shown, but not part of the conversation
	file      string
	files     []string // of a patch: what the step changed
	auto      bool     // of a compaction
	overflow  bool
	tool      *tool
}

// The kinds of parts that matter here; others are passed over.
const (
	partText       = "text"
	partTool       = "tool"
	partFile       = "file"
	partPatch      = "patch"
	partCompaction = "compaction"
	partSubtask    = "subtask"
	partShell      = "shell" // not OpenCode's: a command of the user in the second store
)

// tool is the use of a tool.
type tool struct {
	name     string
	callID   string
	status   string
	input    json.RawMessage
	output   string
	size     int // bytes of the output before it was cut
	err      string
	title    string
	meta     toolMeta
	provider bool // ran at the provider, so the loop does not go on for it
}

// toolMeta is what is of interest among the details that tools record.
type toolMeta struct {
	SessionID   string      `json:"sessionId"`
	Exit        *float64    `json:"exit"`
	Exists      *bool       `json:"exists"`
	Interrupted bool        `json:"interrupted"`
	Diff        string      `json:"diff"`
	Files       []toolPatch `json:"files"`
}

// toolPatch is one file of the tool apply_patch.
type toolPatch struct {
	FilePath string `json:"filePath"`
	MovePath string `json:"movePath"`
	Type     string `json:"type"` // add, update, delete or move
}

// running reports whether the tool has not ended.
func (t *tool) running() bool {
	switch t.status {
	case "pending", "running", "streaming":
		return true
	}
	return false
}

// decode parses JSON into v as far as it fits: a field of an unexpected type is
// left out. It reports whether data is a JSON object at all.
func decode(data []byte, v any) bool {
	err := json.Unmarshal(data, v)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return wrong.Field != ""
	}
	return err == nil && !isNull(data)
}

func isNull(data []byte) bool { return strings.TrimSpace(string(data[:min(len(data), 16)])) == "null" }

// first returns the first time that is set.
func first(times ...int64) int64 {
	for _, t := range times {
		if t != 0 {
			return t
		}
	}
	return 0
}

// span is a pair of times in JSON, which may be fractions.
type span struct {
	Start     float64 `json:"start"`
	End       float64 `json:"end"`
	Created   float64 `json:"created"`
	Completed float64 `json:"completed"`
	Ran       float64 `json:"ran"`
}

// modelRef names a model; the two stores spell its id differently.
type modelRef struct {
	ID         string `json:"id"`
	ModelID    string `json:"modelID"`
	ProviderID string `json:"providerID"`
}

func (m modelRef) id() string {
	if m.ModelID != "" {
		return m.ModelID
	}
	return m.ID
}

// modelName is how a model is named everywhere: provider/model.
func modelName(provider, model string) string {
	if provider == "" || model == "" {
		return model
	}
	return provider + "/" + model
}

// tokensJSON is how OpenCode counts the tokens of a step.
type tokensJSON struct {
	Total     float64 `json:"total"`
	Input     float64 `json:"input"`
	Output    float64 `json:"output"`
	Reasoning float64 `json:"reasoning"`
	Cache     struct {
		Read  float64 `json:"read"`
		Write float64 `json:"write"`
	} `json:"cache"`
}

// count adds up what fills the context window, as OpenCode itself does.
func (t tokensJSON) count() codememory.TokenCount {
	n := codememory.TokenCount{
		Total: int(t.Total), Input: int(t.Input), Output: int(t.Output), Reasoning: int(t.Reasoning),
		CacheRead: int(t.Cache.Read), CacheWrite: int(t.Cache.Write),
	}
	if n.Total == 0 {
		n.Total = n.Input + n.Output + n.CacheRead + n.CacheWrite
	}
	return n
}

// failureJSON is an error of either store.
type failureJSON struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Message string `json:"message"`
	Data    struct {
		Message string `json:"message"`
	} `json:"data"`
}

func (f failureJSON) failure() failure {
	out := failure{f.Name, f.Data.Message}
	if out.name == "" {
		out.name = f.Type
	}
	if out.message == "" {
		out.message = f.Message
	}
	if out.message == "" {
		out.message = out.name
	}
	if out.name == "" && out.message != "" {
		out.name = "Error"
	}
	return out
}
