package service

import "sync"

// keptBlocks bounds how many sessions' stable blocks are kept, some 6 KB each.
const keptBlocks = 200

// blocks keeps the stable block of each session as it was sent last: an agent
// that is started again in the midst of a session must get the same bytes, or
// the provider's cache of the whole conversation is lost. They live in memory
// only; no file but the store's own holds the text of a memory.
type blocks struct {
	mu    sync.Mutex
	texts map[string]block
	order []string // oldest first
}

type block struct {
	text   string
	tokens int
}

func (b *blocks) get(session string) (block, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	kept, ok := b.texts[session]
	return kept, ok
}

func (b *blocks) put(session string, sent block) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.texts == nil {
		b.texts = map[string]block{}
	}
	if _, known := b.texts[session]; !known {
		b.order = append(b.order, session)
		if len(b.order) > keptBlocks {
			delete(b.texts, b.order[0])
			b.order = b.order[1:]
		}
	}
	b.texts[session] = sent
}

// clear forgets all of them, because somebody changed a memory by hand.
func (b *blocks) clear() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.texts, b.order = nil, nil
}
