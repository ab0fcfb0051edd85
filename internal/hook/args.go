package hook

import (
	"strings"

	"codememory"
)

// command is what the command line of a hook says.
type command struct {
	agent   string // "" when it does not say
	event   string
	operand []string // what follows the event: an id, and a folder or file
	json    []byte   // a payload given as an argument, as Codex's notify does
}

// parseCommand reads the agent and the arguments after it. Both
// `claude-code session-start` and the older `session-start ID DIR` are known.
func parseCommand(agent string, args []string) (command, error) {
	var c command
	var ok bool
	if c.agent, ok = agentNames[fold(agent)]; !ok {
		if !isEventName(agent) {
			return c, codememory.Errorf(codememory.Invalid, "no agent is called %q: use claude-code, codex, gemini, copilot or cursor", agent)
		}
		args = append([]string{agent}, args...)
	}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case strings.HasPrefix(arg, "--"):
			name, value, given := strings.Cut(arg[2:], "=")
			if !takesValue(name) {
				continue
			}
			if !given && i+1 < len(args) {
				i++
				value = args[i]
			}
			if known := agentNames[fold(value)]; known != "" && name != "threshold" {
				c.agent = known
			}
		case strings.HasPrefix(arg, "{"):
			c.json = []byte(arg)
		case c.event == "":
			c.event = arg
		default:
			c.operand = append(c.operand, arg)
		}
	}
	return c, nil
}

// takesValue tells the options of ocm-hook that are followed by a value.
func takesValue(option string) bool {
	return option == "tool" || option == "agent" || option == "threshold"
}

// complete reports whether the arguments alone say what happened where.
func (c command) complete() bool {
	return c.json != nil || c.event != "" && len(c.operand) > 0 && c.operand[0] != ""
}

// session and place read the operands. A shell drops an id that is an empty
// variable, so that the folder comes first.
func (c command) session() string {
	if len(c.operand) == 0 || len(c.operand) == 1 && strings.ContainsAny(c.operand[0], `/\`) {
		return ""
	}
	return c.operand[0]
}

func (c command) place() string {
	switch {
	case len(c.operand) > 1:
		return c.operand[1]
	case len(c.operand) == 1 && c.session() == "":
		return c.operand[0]
	}
	return ""
}
