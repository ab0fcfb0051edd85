package hook

import "strings"

// kinds are the events by their folded names. All agents together use about
// ninety; the ones that are not here need nothing done. Gemini's PreCompress is
// one of those: it precedes every call of the model, compaction or not.
var kinds = map[string]Kind{
	"sessionstart": SessionStart,

	"userpromptsubmit":    Prompt,
	"userpromptsubmitted": Prompt, // Copilot
	"beforesubmitprompt":  Prompt, // Cursor
	"beforeagent":         Prompt, // Gemini
	"prompt":              Prompt,

	"subagentstart": SubagentStart,
	"subagentstop":  SubagentStop,

	"pretooluse":           ToolStart,
	"beforetool":           ToolStart, // Gemini
	"beforeshellexecution": ToolStart, // Cursor

	"posttooluse":         ToolDone,
	"aftertool":           ToolDone, // Gemini
	"afterfileedit":       ToolDone, // Cursor
	"aftershellexecution": ToolDone, // Cursor
	"aftermcpexecution":   ToolDone, // Cursor
	"fileedited":          ToolDone, // ocm-hook
	"posttoolusefailure":  ToolFailed,

	"precompact":  PreCompact,
	"postcompact": PostCompact,

	"afteragentresponse": Said, // Cursor

	"stop":              TurnEnd,
	"agentstop":         TurnEnd, // Copilot
	"afteragent":        TurnEnd, // Gemini
	"stopfailure":       TurnEnd,
	"interrupt":         TurnEnd, // Codex
	"agentturncomplete": TurnEnd, // Codex notify
	"turnend":           TurnEnd,

	"sessionend": SessionEnd,
}

// toolOf names the tool that an event is about where its payload does not.
var toolOf = map[string]string{"aftershellexecution": "shell", "afterfileedit": "edit", "fileedited": "edit"}

// others are names that a command line may give besides those of kinds.
var others = map[string]bool{
	"posttoolbatch": true, "notification": true, "precompress": true, "beforemodel": true,
	"aftermodel": true, "beforetoolselection": true, "messagedisplay": true, "permissionrequest": true, "erroroccurred": true,
	"beforemcpexecution": true, "beforereadfile": true, "afteragentthought": true,
}

// geminiOnly are events that no other agent has.
var geminiOnly = map[string]bool{
	"beforeagent": true, "afteragent": true, "beforetool": true, "aftertool": true, "beforemodel": true, "aftermodel": true,
	"beforetoolselection": true, "precompress": true,
}

// agentNames are the agents by the folded names that people and our installers
// use. The empty ones leave it to us who is calling.
var agentNames = map[string]string{
	"claude": ClaudeCode, "claudecode": ClaudeCode,
	"codex": Codex, "codexcli": Codex,
	"gemini": Gemini, "geminicli": Gemini,
	"copilot": Copilot, "copilotcli": Copilot, "githubcopilot": Copilot,
	"cursor": Cursor, "cursoragent": Cursor,
	"vscode": VSCode,
	"":       "", "auto": "", "ocm": "", "ocmhook": "",
}

// fold makes session-start, sessionStart and SessionStart the same.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r == '-' || r == '_' || r == ' ':
			return -1
		}
		return r
	}, name)
}

func kindOf(name string) Kind {
	if k, ok := kinds[fold(name)]; ok {
		return k
	}
	return Other
}

func isEventName(name string) bool {
	name = fold(name)
	_, known := kinds[name]
	return known || others[name]
}

// startSource says in our words what a session starts from.
func startSource(name string) string {
	switch name {
	case StartResume, StartClear, StartCompact, StartFork:
		return name
	}
	return StartNew
}
