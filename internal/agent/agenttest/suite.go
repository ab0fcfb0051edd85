// Package agenttest is the suite that every implementation of
// codememory.Transcripts passes. Support of a new agent is done when it does.
package agenttest

import (
	"testing"
	"time"

	"codememory"
)

// Suite says how to get an agent that a test can let talk.
type Suite struct {
	// Open starts with an agent that has no sessions yet, and whose records
	// exist. It cleans up after itself when the test ends.
	Open func(t *testing.T) Agent
}

// Agent writes records as the real one does, and reads them back through the
// implementation under test. Its clock is its own: nothing sleeps.
type Agent interface {
	Transcripts() codememory.Transcripts
	// Files lists the records that exist now and that reading must not change.
	Files() []string
	// Advance lets time pass without a change of the records.
	Advance(time.Duration)
	// Quiet is how long an unfinished turn may stay unchanged until it counts
	// as aborted.
	Quiet() time.Duration

	// Session starts a session in a folder and returns its id.
	Session(dir, title string) string
	// Prompt writes a message of the user.
	Prompt(session, text string)
	// Say writes something that the agent says without ending its turn.
	Say(session, text string)
	// Tool writes the use of a tool that ended well, without ending the turn.
	Tool(session, name, target, output string)
	// Finish ends the turn with an answer.
	Finish(session, text string)
	// Break writes a record that cannot be parsed.
	Break(session string)
}

// What not every agent can do. An Agent that can implements these too.
type (
	// Aborter ends turns before their time.
	Aborter interface {
		Abort(session string)
	}
	// Failer ends turns with an error of the model's provider.
	Failer interface {
		Fail(session, message string)
	}
	// Deleter deletes sessions.
	Deleter interface {
		Delete(session string)
	}
	// Undoer takes back the last turn of a session.
	Undoer interface {
		Undo(session string)
	}
	// Forker copies a session and returns the id of the copy.
	Forker interface {
		Fork(session string) string
	}
	// Compacter replaces the beginning of a session by a summary.
	Compacter interface {
		Compact(session, summary string)
	}
	// Delegator starts a subagent by a tool and returns the child's session;
	// the turn of the parent goes on.
	Delegator interface {
		Delegate(session, task string) string
	}
	// Archiver puts sessions away.
	Archiver interface {
		Archive(session string)
	}
	// Sheller runs a command of the user.
	Sheller interface {
		Shell(session, command, output string)
	}
)

// Run runs the suite.
func Run(t *testing.T, s Suite) {
	for name, test := range map[string]func(*testing.T, Agent){
		"tells what was said and done, in order":          ordered,
		"keeps sessions apart":                            apart,
		"says when a turn is over":                        states,
		"gives up on a turn that nobody ends":             quiet,
		"reads the same turns again":                      replay,
		"cuts the output of tools":                        cuts,
		"tells each change once":                          changes,
		"tells old marks all that came after":             oldMarks,
		"takes a mark it does not know for the beginning": strangeMarks,
		"tells of deleted sessions":                       deletes,
		"reads around broken records":                     broken,
		"writes nothing":                                  readOnly,
		"lists sessions, last active first":               lists,
		"names what is not there":                         missing,
		"hides what was undone":                           undone,
		"knows a fork by its hashes":                      forked,
		"tells a compaction from a prompt":                compacted,
		"follows subagents":                               delegated,
		"flags archived sessions":                         archived,
		"tells the user's commands from the agent's":      shell,
		"stops when asked to":                             cancelled,
		"serves many at once":                             concurrent,
	} {
		t.Run(name, func(t *testing.T) { test(t, s.Open(t)) })
	}
}

// can returns what an agent can do, or skips the test.
func can[T any](t *testing.T, a Agent) T {
	t.Helper()
	able, ok := a.(T)
	if !ok {
		t.Skip("this agent has no such thing")
	}
	return able
}

// exchange writes a turn with its answer.
func exchange(a Agent, session, prompt, answer string) {
	a.Prompt(session, prompt)
	a.Finish(session, answer)
}

func turnsOf(t *testing.T, a Agent, session string) []codememory.Turn {
	t.Helper()
	turns, err := a.Transcripts().Turns(t.Context(), session, 0)
	if err != nil {
		t.Fatalf("turns of %s: %v", session, err)
	}
	return turns
}

// outline shows turns as "kind state: prompt -> answer".
func outline(turns []codememory.Turn) []string {
	var out []string
	for _, t := range turns {
		out = append(out, string(t.Kind)+" "+string(t.State)+": "+t.Prompt+" -> "+t.Answer())
	}
	return out
}

func changedSince(t *testing.T, a Agent, mark string) (changed, deleted []string, next string) {
	t.Helper()
	changed, deleted, next, err := a.Transcripts().Changed(t.Context(), mark)
	if err != nil {
		t.Fatalf("changed: %v", err)
	}
	if next == "" {
		t.Fatal("changed returned an empty mark")
	}
	return changed, deleted, next
}
