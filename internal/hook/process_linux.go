package hook

import (
	"bytes"
	"os"
	"strconv"
)

// maxAncestors is how far up the agent is looked for.
const maxAncestors = 6

// callerProcess names the process of the agent that runs this hook: the nearest
// one above that is not a shell. Two configurations of one agent are run by the
// same process; a session that is resumed right after it ended, by another.
func callerProcess() string {
	pid := os.Getppid()
	for range maxAncestors {
		name, parent, ok := statOf(pid)
		if !ok || pid <= 1 {
			return ""
		}
		switch name {
		case "sh", "bash", "dash", "zsh", "fish", "ash", "ksh", "env", "timeout":
			pid = parent
		default:
			return strconv.Itoa(pid)
		}
	}
	return ""
}

// statOf reads the name of a process and its parent.
func statOf(pid int) (name string, parent int, ok bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", 0, false
	}
	open, closed := bytes.IndexByte(data, '('), bytes.LastIndexByte(data, ')')
	if open < 0 || closed < open {
		return "", 0, false
	}
	fields := bytes.Fields(data[closed+1:])
	if len(fields) < 2 {
		return "", 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return string(data[open+1 : closed]), parent, err == nil
}
