package claudecode

import (
	"codememory"
	"codememory/internal/agent/jsonl"
)

// chain knows which row followed which. When the user goes back to an earlier
// message, Claude Code appends the new rows as another branch of the same file:
// what the user undid is what the last row does not come from.
type chain struct {
	rows []link
	at   map[string]int // by uuid
	leaf int            // the last row of the conversation itself, -1 for none

	undone map[string]bool // prompts, nil until asked
}

type link struct {
	uuid, parent string
	prompt       bool
}

func newChain() chain { return chain{at: map[string]int{}, leaf: -1} }

// add notes a row. It reports false for one that was there before.
func (c *chain) add(r *row, prompt bool) bool {
	if r.UUID == "" {
		return true
	}
	if _, known := c.at[r.UUID]; known {
		return false
	}
	parent := r.Parent
	if parent == "" {
		parent = r.Logical
	}
	c.at[r.UUID] = len(c.rows)
	if prompt || r.Type == "assistant" {
		c.leaf = len(c.rows)
	}
	c.rows = append(c.rows, link{r.UUID, parent, prompt})
	c.undone = nil
	return true
}

// tell reports whether the user took a turn back.
func (c *chain) tell(d *jsonl.Draft) bool {
	if d.Turn.Kind == codememory.CompactionTurn {
		return false
	}
	if c.undone == nil {
		c.walk()
	}
	return c.undone[d.Turn.ID]
}

// walk finds the prompts that the last row does not come from. A row whose
// parent is not in the file, because its line is damaged or it begins anew,
// comes from the row before it.
func (c *chain) walk() {
	kept := map[int]bool{}
	for i := c.leaf; i >= 0 && !kept[i]; {
		kept[i] = true
		parent, known := c.at[c.rows[i].parent]
		switch {
		case known && parent < i:
			i = parent
		case c.rows[i].parent == "" && c.rows[i].prompt && c.firstIsPrompt(i):
			i = -1 // the user went back to the very beginning
		default:
			i--
		}
	}
	c.undone = map[string]bool{}
	for i, l := range c.rows {
		if l.prompt && !kept[i] && i < c.leaf {
			c.undone[l.uuid] = true
		}
	}
}

// firstIsPrompt reports whether the conversation before i began with a prompt
// that had nothing before it either.
func (c *chain) firstIsPrompt(i int) bool {
	return i > 0 && c.rows[0].prompt && c.rows[0].parent == ""
}
