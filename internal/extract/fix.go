package extract

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"codememory"
)

// RuleFix is the rule that learns how an error was overcome.
const RuleFix = "error-fix"

// The bounds of a chain from failure to success.
const (
	maxFailures = 16 // open at the same time; the oldest is given up
	maxSayings  = 8  // looked through for an explanation
	maxFixFiles = 6  // a change of more is work on the program, not a fix
	// unexplained is how sure a fix is of which the agent said nothing.
	unexplained = 0.5
)

// failure is a command that failed and what happened since.
type failure struct {
	command, line string
	turns         []string
	files, ran    []string
	said          []string
}

// Fixes finds errors that were overcome in a turn: a command failed with a
// telling message, here or in the turns before; something was changed; the
// same command succeeded. A rerun that succeeds by itself teaches nothing.
func Fixes(earlier []codememory.Turn, t codememory.Turn) []Candidate {
	c := chains{open: map[string]*failure{}, ends: passing(t)}
	if len(c.ends) == 0 {
		return nil
	}
	var found []Candidate
	for _, turn := range append(slices.Clip(earlier), t) {
		for _, step := range turn.Steps {
			switch {
			case step.Tool == nil:
				for _, f := range c.open {
					f.said = append(f.said, step.Text)
				}
			case !isCommand(*step.Tool):
				c.changed(turn, *step.Tool)
			case outcome(*step.Tool) == failed:
				c.failed(turn, *step.Tool)
			case outcome(*step.Tool) == passed:
				if f := c.passed(turn, *step.Tool); f != nil && turn.ID == t.ID {
					found = append(found, f.candidates(afterwards(turn, step))...)
				}
			}
		}
	}
	return found
}

// chains are the failures that may still be overcome.
type chains struct {
	open  map[string]*failure // by what makes two runs the same
	order []string            // oldest first
	ends  map[string]bool     // the commands whose success is looked for
}

func (c *chains) failed(t codememory.Turn, call codememory.ToolCall) {
	key := runKey(call.Target)
	if !c.ends[key] || looksAround(call.Target) {
		return
	}
	line, ok := telling(call.Output+"\n"+call.Error, t.Dir)
	if !ok {
		return
	}
	if old := c.open[key]; old != nil && signature(old.line) == signature(line) {
		old.said, old.turns = nil, addTurn(old.turns, t.ID) // what was said so far did not help
		return
	}
	if c.open[key] == nil {
		c.order = append(c.order, key)
	}
	c.open[key] = &failure{command: shown(call.Target), line: line, turns: []string{t.ID}}
	if len(c.order) > maxFailures {
		delete(c.open, c.order[0])
		c.order = c.order[1:]
	}
}

// passed closes the failure of a command that succeeds now, if there is one.
func (c *chains) passed(t codememory.Turn, call codememory.ToolCall) *failure {
	key := runKey(call.Target)
	f := c.open[key]
	if f != nil {
		delete(c.open, key)
		c.order = slices.DeleteFunc(c.order, func(k string) bool { return k == key })
		f.turns = addTurn(f.turns, t.ID)
	}
	for _, other := range c.open {
		other.ran = append(other.ran, remedies(call.Target)...)
	}
	return f
}

func (c *chains) changed(t codememory.Turn, call codememory.ToolCall) {
	if call.Error != "" {
		return
	}
	for _, change := range call.Changed {
		name := relativeTo(change.Path, t.Dir)
		for _, f := range c.open {
			if !slices.Contains(f.files, name) {
				f.files = append(f.files, name)
			}
		}
	}
}

// passing returns the commands that succeed in a turn: only their failures can
// have been overcome in it.
func passing(t codememory.Turn) map[string]bool {
	keys := map[string]bool{}
	for _, step := range t.Steps {
		if step.Tool != nil && isCommand(*step.Tool) && outcome(*step.Tool) == passed {
			keys[runKey(step.Tool.Target)] = true
		}
	}
	return keys
}

type result int

const (
	unknown result = iota
	failed
	passed
)

func outcome(c codememory.ToolCall) result {
	switch {
	case c.Running:
		return unknown
	case c.Exit != nil && *c.Exit == 0 && c.Error == "" && proves(c.Target):
		return passed
	case c.Exit != nil && *c.Exit != 0:
		return failed
	}
	return unknown
}

// proves reports whether exit code 0 of a command line means that its last
// command succeeded: not behind a pipe, where it is the code of tail.
func proves(command string) bool {
	line, ok := parseShell(command)
	return ok && len(line.certain) > 0 && line.certain[len(line.certain)-1]
}

// looksAround reports whether a command only looks: that it finds nothing is
// no error.
func looksAround(command string) bool {
	line, ok := parseShell(command)
	if !ok || len(line.parts) == 0 {
		return true
	}
	name, _, _ := strings.Cut(program(line.parts[len(line.parts)-1]), " ")
	switch name {
	case "ls", "cat", "grep", "rg", "find", "head", "tail", "cd", "echo", "test", "[", "which", "git", "diff", "wc", "sed", "awk", "stat", "pwd", "jq", "tree", "kill", "pkill", "sleep", "true", "false", "rm", "cp", "mv", "mkdir":
		return true
	}
	return false
}

// afterwards is what the agent said right after a step, up to the end of the turn.
func afterwards(t codememory.Turn, done codememory.Step) []string {
	var said []string
	seen := false
	for _, s := range t.Steps {
		if s.Tool == done.Tool {
			seen = true
		} else if seen && s.Text != "" {
			said = append(said, s.Text)
		}
	}
	return said
}

// candidates puts a fix into words. There are none when nobody could use them:
// nothing was changed, too much was, or the error is daily work and the agent
// did not say what was wrong.
func (f *failure) candidates(after []string) []Candidate {
	if len(f.files)+len(f.ran) == 0 || len(f.files) > maxFixFiles {
		return nil
	}
	why := explanation(append(slices.Clone(f.said), after...))
	surroundings := environmental().MatchString(f.line) || len(f.ran) > 0 && missing().MatchString(f.line)
	if why == "" && (!surroundings || len(f.files) > 2) {
		return nil
	}
	var done []string
	if len(f.ran) > 0 && (len(f.files) == 0 || surroundings) {
		done = append(done, "running `"+strings.Join(f.ran[:min(2, len(f.ran))], "` and `")+"`")
	}
	if len(f.files) > 0 {
		done = append(done, "editing "+strings.Join(f.files[:min(3, len(f.files))], ", "))
	}
	c := Candidate{
		Rule: RuleFix, Type: codememory.ErrorSolution, Category: codememory.ErrorHandling, Class: codememory.ClassTool, Turns: f.turns,
		Key:  "fix: " + codememory.TextHash(strings.ToLower(f.command) + "\x00" + signature(f.line))[:16],
		Text: fmt.Sprintf("`%s` failed with \"%s\" → fixed by %s", f.command, f.line, strings.Join(done, " and ")),
	}
	if why != "" {
		c.Text += ": " + why
	} else {
		c.Confidence = unexplained
	}
	c.Excerpt = f.line
	// The message is the tool's; whoever wrote the program may have written
	// anything. What does not look like the name of a fault waits for a person.
	if ReadsAsInstruction(f.line) || conversational(f.line) || commandingPatterns().hostile.MatchString(why) {
		c.Quarantine = "the output of a command that may read as an instruction"
	}
	return []Candidate{c}
}

func addTurn(turns []string, id string) []string {
	if slices.Contains(turns, id) {
		return turns
	}
	return append(turns, id)
}

// shown is a command line as a memory names it.
func shown(command string) string {
	line, ok := parseShell(command)
	if !ok {
		return cut(strings.Join(strings.Fields(command), " "), 120)
	}
	var parts []string
	for _, part := range line.parts {
		if p := program(part); p != "" && !strings.HasPrefix(p, "tail") && !strings.HasPrefix(p, "head") && !strings.HasPrefix(p, "grep") {
			parts = append(parts, quietly(p))
		}
	}
	return strings.ReplaceAll(cut(strings.Join(parts, " && "), 120), "`", "'")
}

func relativeTo(file, dir string) string {
	if rel, err := filepath.Rel(dir, file); err == nil && filepath.IsAbs(file) && !strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(rel)
	}
	return file
}
