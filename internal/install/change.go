package install

import (
	"bytes"
	"slices"

	"codememory"
)

// change plans what happens to the file of p.
func (p part) change(m manifest, elsewhere map[string]manifest) (Change, error) {
	c := Change{Path: p.path, Why: p.why, mode: p.mode}
	var err error
	if c.before, err = readFile(p.path); err != nil {
		return c, err
	}
	if c.data, err = p.edit.with(c.before); err != nil {
		return c, inFile(p.path, err)
	}
	entry, known := m.find(p.path)
	if !known {
		for _, file := range sortedKeys(elsewhere) {
			if entry, known = elsewhere[file].find(p.path); known {
				break
			}
		}
	}
	original := c.before
	if known {
		original = entry.Original
		if c.before != nil && hashOf(c.before) != entry.Hash && hashOf(c.before) != entry.Before {
			if original, err = p.edit.without(c.before, entry.Original); err != nil {
				return c, inFile(p.path, err)
			}
		}
	}
	switch {
	case bytes.Equal(c.data, c.before) && c.before != nil:
		c.Action = Keep
		if !known {
			return c, nil // as wanted without us
		}
	case c.before == nil:
		c.Action, original = Create, nil
	default:
		c.Action, c.mode = Replace, 0
		if err := writable(p.path); err != nil {
			return c, err
		}
	}
	c.Warning = p.reads.warning(c.data)
	note := fileEntry(p.path, original, c.data)
	c.note = &note
	return c, nil
}

// stale plans the removal of what an earlier version wanted and this does not.
// What lies elsewhere belongs to another configuration of the same agent.
func (i Integration) stale(m manifest, wanted []part) []Change {
	var changes []Change
	for _, e := range slices.Backward(m.Made) {
		here := slices.ContainsFunc(i.roots, func(root string) bool { return within(e.Path, root) })
		if !here || e.Folder || slices.ContainsFunc(wanted, func(p part) bool { return p.path == e.Path }) {
			continue
		}
		if c := e.restore(nil); c.Action != "" {
			changes = append(changes, c)
		}
	}
	return changes
}

// restore plans to make a file what it was; edit, which may be nil, takes our
// part out where others changed the file. The action is empty when there is
// nothing left to do.
func (e made) restore(p edit) Change {
	c := Change{Path: e.Path, Why: "made by the installation"}
	var err error
	c.before, err = readFile(e.Path)
	switch {
	case err != nil:
		c.Action, c.Why = Keep, "cannot be read: "+err.Error()
		return c
	case c.before == nil:
		return c
	case hashOf(c.before) == e.Hash:
		c.data = e.Original
	case e.Before != "" && hashOf(c.before) == e.Before:
		return c
	case p == nil:
		c.Action, c.Why = Keep, "changed by another program since"
		return c
	default:
		if c.data, err = p.without(c.before, e.Original); err != nil {
			c.Action, c.Why = Keep, "take our part out by hand, since it cannot be read: "+err.Error()
			return c
		}
		c.Why = "our part of it; the rest was changed by others and stays"
	}
	switch {
	case c.data == nil:
		c.Action = Remove
	case bytes.Equal(c.data, c.before):
		c.Action, c.Why = Keep, "changed by another program since"
	default:
		c.Action = Replace
		if c.Why == "made by the installation" {
			c.Why = "as it was before"
		}
		if err := writable(e.Path); err != nil {
			c.Action, c.Why, c.data = Keep, err.Error(), nil
		}
	}
	return c
}

// inFile says in which file an edit failed.
func inFile(path string, err error) error {
	code := codememory.CodeOf(err)
	if code == codememory.Internal {
		code = codememory.Invalid
	}
	return codememory.Errorf(code, "%s: %w", path, err)
}
