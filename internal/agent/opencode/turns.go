package opencode

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"codememory"
)

// shellText is what OpenCode writes in the user's name before a command that
// the user ran.
const shellText = "The following tool was executed by the user"

// builder puts the messages of a session together to turns.
type builder struct {
	session  session
	strip    func(string) string
	quiet    time.Duration
	now      time.Time
	activity func(session string) int64

	drafts  []*draft
	owner   map[string]*draft   // by the user's message
	silent  map[string]*message // of the user, without words
	prompt  *draft              // the last one that a prompt opened
	waiting []*draft            // those that the agent has not yet gone on from
}

// draft is a turn in the making.
type draft struct {
	kind    codememory.TurnKind
	user    *message // nil when it could not be read
	id      string
	place   int // among the drafts
	words   string
	steps   []*message // the agent's, one for each call of the model
	updated int64      // when anything of it last changed
	next    *draft     // the turn that the agent went on with
	nextAt  int64      // when the user sent that
}

// build returns the turns of the messages, which are in order.
func (b *builder) build(messages []message) []codememory.Turn {
	b.owner, b.silent = map[string]*draft{}, map[string]*message{}
	for i := range messages {
		m := &messages[i]
		if m.role == "user" {
			b.user(m, messages[:i])
		} else {
			b.assistant(m)
		}
	}
	turns := make([]codememory.Turn, 0, len(b.drafts))
	for _, d := range b.drafts {
		t := b.turn(d)
		t.Index = len(turns) + 1
		turns = append(turns, t)
	}
	return turns
}

// user opens a turn, or finds the one that a message in the user's name goes on
// with.
func (b *builder) user(m *message, before []message) {
	d := &draft{kind: codememory.PromptTurn, user: m, id: m.id}
	switch {
	case m.compaction() != nil:
		d.kind = codememory.CompactionTurn
	case m.shell():
		d.kind = codememory.ShellTurn
	default:
		d.words = m.words(b.strip)
		if d.words == "" || b.replayed(d.words, before) {
			b.silent[m.id] = m
			if b.prompt != nil {
				b.owner[m.id] = b.prompt
				b.prompt.touch(m)
			}
			return
		}
	}
	b.open(d)
}

func (b *builder) open(d *draft) {
	if d.user != nil {
		d.touch(d.user)
	}
	d.place = len(b.drafts)
	b.drafts, b.waiting = append(b.drafts, d), append(b.waiting, d)
	b.owner[d.id] = d
	if d.kind == codememory.PromptTurn {
		b.prompt = d
	}
}

// replayed reports whether these words are the copy of the last prompt that
// OpenCode makes after the provider refused it as too long.
func (b *builder) replayed(words string, before []message) bool {
	if b.prompt == nil || b.prompt.words != words {
		return false
	}
	for _, m := range slices.Backward(before) {
		if m.role == "user" {
			c := m.compaction()
			return c != nil && c.overflow
		}
	}
	return false
}

// assistant adds a step to the turn that it belongs to.
func (b *builder) assistant(m *message) {
	d := b.owner[m.parent]
	if d == nil {
		// Nobody opened it: the user sent an attachment only, or the question
		// cannot be read. The answer is worth keeping all the same.
		d = &draft{kind: codememory.PromptTurn, id: cmp.Or(m.parent, m.id), user: b.silent[m.parent]}
		if m.summary {
			d.kind = codememory.CompactionTurn
		}
		b.open(d)
	}
	d.steps = append(d.steps, m)
	d.touch(m)
	if d.kind == codememory.CompactionTurn {
		return // which interrupts a turn, but does not end it
	}
	b.waiting = slices.DeleteFunc(b.waiting, func(earlier *draft) bool {
		if earlier.place >= d.place {
			return false
		}
		earlier.next, earlier.nextAt = d, m.created
		if d.user != nil {
			earlier.nextAt = d.user.created
		}
		return true
	})
}

// touch notes when a message of the draft last changed.
func (d *draft) touch(m *message) {
	d.updated = max(d.updated, m.created, m.updated, m.completed)
	for i := range m.parts {
		d.updated = max(d.updated, m.parts[i].updated)
	}
}

// turn makes the turn of a draft.
func (b *builder) turn(d *draft) codememory.Turn {
	t := codememory.Turn{Agent: Agent, Session: b.session.id, Parent: b.session.parent, ID: d.id, Dir: b.session.dir, Kind: d.kind, Prompt: d.words, Steps: []codememory.Step{}}
	if d.user != nil {
		t.StartedAt = instant(d.user.created)
		t.Model = modelName(d.user.provider, d.user.model)
		if c := d.user.compaction(); c != nil {
			t.Prompt = c.reason()
		}
		t.Prompt += d.user.attachments(t.Prompt)
	}
	var diffs []fileDiff
	if d.user != nil {
		diffs = d.user.diffs
	}
	for _, m := range d.steps {
		if t.StartedAt.IsZero() {
			t.StartedAt = instant(m.created)
		}
		if name := modelName(m.provider, m.model); name != "" {
			t.Model = name
		}
		if m.tokens.Total != 0 {
			t.Tokens = m.tokens
		}
		t.Steps = append(t.Steps, b.steps(m, diffs)...)
	}
	if d.kind == codememory.ShellTurn {
		t.Prompt = shellCommand(t.Steps)
	}
	b.conclude(d, &t)
	return t
}

// words returns what the user typed: not what OpenCode, a plugin or CodeMemory
// added.
func (m *message) words(strip func(string) string) string {
	var words []string
	for i := range m.parts {
		p := &m.parts[i]
		if p.kind != partText && p.kind != partSubtask || p.synthetic || p.ignored {
			continue
		}
		if text := strings.TrimSpace(strip(strings.ToValidUTF8(p.text, "\uFFFD"))); text != "" {
			words = append(words, text)
		}
	}
	return strings.Join(words, "\n")
}

// attachments names the files that came with a prompt, to be put after it.
func (m *message) attachments(prompt string) string {
	var names []string
	for i := range m.parts {
		if p := &m.parts[i]; p.kind == partFile && p.file != "" && !p.ignored {
			names = append(names, p.file)
		}
	}
	if len(names) == 0 {
		return ""
	}
	line := "[attached: " + strings.ToValidUTF8(strings.Join(names, ", "), "\uFFFD") + "]"
	if prompt == "" {
		return line
	}
	return "\n" + line
}

// compaction returns the part that makes a user's message a compaction, or nil.
func (m *message) compaction() *part {
	for i := range m.parts {
		if m.parts[i].kind == partCompaction {
			return &m.parts[i]
		}
	}
	return nil
}

// reason says what made OpenCode compact.
func (p *part) reason() string {
	switch {
	case p.overflow:
		return "overflow"
	case p.auto:
		return "auto"
	}
	return "manual"
}

// shell reports whether the message stands for a command that the user ran.
func (m *message) shell() bool {
	for i := range m.parts {
		p := &m.parts[i]
		if p.kind == partShell || p.kind == partText && p.synthetic && strings.TrimSpace(p.text) == shellText {
			return true
		}
	}
	return false
}
