package hook

import (
	"context"
	"strings"

	"codememory"
)

// refused is the exit code with which all agents let a hook forbid a tool.
const refused = 2

// acts reports whether a tool is about to change a file or run a command. Tools
// that only read are never held up, nor are our own.
func acts(e Event) bool {
	return !e.inSubagent() && e.Tool.Target != "" && (isCommandTool(e) || changesFiles(e.Tool.Name))
}

// beforeTool asks what is known about what is about to be done.
func beforeTool(ctx context.Context, e Event, agents codememory.AgentService) (Answer, error) {
	command := isCommandTool(e)
	advice, err := agents.BeforeTool(ctx, codememory.ToolUse{
		Project: e.Dir, Agent: e.Agent, Session: e.Session, Target: cut(e.Tool.Target, maxGoalHead), Command: command, Changes: !command,
	})
	return Answer{Context: advice.Text, Refuse: advice.Refuse}, err
}

func isCommandTool(e Event) bool {
	switch fold(e.Tool.Name) {
	case "bash", "shell", "execcommand", "runshellcommand", "runinterminal", "powershell", "localshell":
		return true
	case "":
		return strings.HasPrefix(fold(e.Name), "beforeshell")
	}
	return false
}

func changesFiles(tool string) bool {
	switch fold(tool) {
	case "write", "create", "writefile", "createfile", "edit", "multiedit", "notebookedit", "replace", "strreplace", "insert",
		"replacestringinfile", "inserteditintofile", "editfile", "applypatch":
		return true
	}
	return false
}
