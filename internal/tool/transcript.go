package tool

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"codememory"
)

// window is which turns of a session to show and how.
type window struct {
	turn       string // "": the last ones
	around     int    // turns before and after it
	limit      int    // most turns without one
	tools      bool   // with what tools did
	output     bool   // and with what they returned
	maxLength  int    // of one text
	compaction bool   // compactions too
}

// transcript answers the native operation of this name.
func (r *Router) transcript(ctx context.Context, c call) (string, error) {
	f, err := r.asked(ctx, c, `memory({tool: "transcript", args: {session: "ses_...", turn: "msg_..."}})`)
	if err != nil {
		return "", err
	}
	w := c.window()
	w.compaction = true
	text, err := r.turnsText(ctx, f, w)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("# %s\nSession `%s` of %s in %s\n\n%s", r.title(f.session), f.session.ID, f.session.Agent, inline(f.session.Dir, 200), text), nil
}

func (c call) window() window {
	w := window{
		turn: c.args.word("turnId", "turn"), around: 3, limit: c.args.number(20, 200, "limit"),
		maxLength: c.args.number(3000, maxAnswer, "maxLength"),
	}
	if n, ok := c.args.integer("context"); ok && n >= 0 {
		w.around = min(n, 50)
	}
	switch c.args.word("tools", "showTools") {
	case "output", "full":
		w.tools, w.output = true, true
	default:
		w.tools = c.args.yes("tools", "showTools")
		w.output = w.tools && w.turn != "" && w.around == 0
	}
	return w
}

// turnsText renders the turns of a window. Where not all fit, those nearest to
// the one asked for are kept.
func (r *Router) turnsText(ctx context.Context, f found, w window) (string, error) {
	limit := 4096
	if w.output {
		limit = 0
	}
	all, err := f.turns(ctx, limit)
	if err != nil {
		return "", err
	}
	type numbered struct {
		codememory.Turn
		n int
	}
	var turns []numbered
	n := 0
	for _, t := range all {
		if t.Kind != codememory.CompactionTurn {
			n++
		} else if !w.compaction {
			continue
		}
		turns = append(turns, numbered{t, n})
	}
	if len(turns) == 0 {
		return "The session has no turns.", nil
	}
	from, to, focus := max(0, len(turns)-w.limit), len(turns), len(turns)-1
	if w.turn != "" {
		focus = slices.IndexFunc(turns, func(t numbered) bool {
			return t.ID == w.turn || hasMessage(t.Turn, w.turn) || fmt.Sprint(t.n) == w.turn
		})
		if focus < 0 {
			return "", codememory.Errorf(codememory.NotFound, "session %s has no turn %s: leave it out to see the last turns.", f.session.ID, inline(w.turn, 80))
		}
		from, to = max(0, focus-w.around), min(len(turns), focus+w.around+1)
	}
	var blocks []string
	for _, t := range turns[from:to] {
		blocks = append(blocks, r.turnText(t.Turn, t.n, w))
	}
	kept, before, after := fit(blocks, focus-from, maxAnswer-1024)
	out := strings.Join(kept, "\n\n")
	if before+after > 0 {
		out += fmt.Sprintf("\n\n(%d turns before and %d after do not fit: ask for them by turn, or for less with maxLength)", before, after)
	}
	return out, nil
}

func hasMessage(t codememory.Turn, id string) bool {
	return slices.ContainsFunc(t.Steps, func(s codememory.Step) bool { return s.Message == id })
}

// turnText renders one turn, one paragraph for each message.
func (r *Router) turnText(t codememory.Turn, n int, w window) string {
	const hint = "increase maxLength for full content"
	if t.Kind == codememory.CompactionTurn {
		return fmt.Sprintf("=== Compaction (%s) ===\n[Summary]: %s", t.ID, r.cutText(t.Answer(), min(w.maxLength, 600), `the operation compactions reads it`))
	}
	head := fmt.Sprintf("=== Turn %d (%s) ===\n", n, t.ID)
	var parts []string
	for _, m := range messagesOf([]codememory.Turn{t}) {
		if m.text != "" {
			role := "Assistant"
			if m.role == roleUser {
				role = "User"
			}
			parts = append(parts, fmt.Sprintf("[%s]: %s", role, r.cutText(m.text, w.maxLength, hint)))
		}
		for _, call := range m.tools {
			switch {
			case w.output:
				parts = append(parts, "[Tool]: "+strings.TrimPrefix(r.toolBlock(call, m.dir, w.maxLength), "🔧 "))
			case w.tools:
				parts = append(parts, "[Tool]: "+r.toolLine(call, m.dir))
			}
		}
	}
	switch t.State {
	case codememory.TurnAborted:
		parts = append(parts, "(the user stopped this turn)")
	case codememory.TurnFailed:
		parts = append(parts, "(this turn failed: "+inline(r.opts.Redact(t.Error), 200)+")")
	case codememory.TurnOpen, codememory.TurnDone:
	}
	return head + strings.Join(parts, "\n\n")
}
