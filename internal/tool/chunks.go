package tool

import (
	"cmp"
	"context"
	"math"
	"slices"

	"codememory"
)

// chunk is what memory_search returns: a memory or a section of the journal.
type chunk struct {
	Content      string  `json:"content"`
	Source       string  `json:"source"` // the file it is in
	Heading      string  `json:"heading"`
	ChunkHash    string  `json:"chunk_hash"` // what memory_get takes
	HeadingLevel int     `json:"heading_level"`
	StartLine    int     `json:"start_line"`
	EndLine      int     `json:"end_line"`
	Score        float64 `json:"score"` // 0..1
}

// chunks is an answer of its own so that it can be made shorter.
type chunks struct{ list []chunk }

func (c *chunks) MarshalJSON() ([]byte, error) { return []byte(encode(c.list)), nil }

func (c *chunks) shrink(share float64) bool {
	n := len(c.list)
	c.list = shrunk(c.list, share)
	return len(c.list) < n
}

// searchChunks answers memory_search.
func (r *Router) searchChunks(ctx context.Context, c call) (*chunks, error) {
	query := c.args.word("query", "q")
	if query == "" {
		return nil, missing("query", `memory_search({query: "..."})`)
	}
	limit := c.args.number(5, 50, "top_k", "limit")
	res, err := r.opts.Memories.Search(ctx, codememory.SearchRequest{Text: query, Project: c.Project, Limit: limit})
	if err != nil {
		return nil, err
	}
	out := &chunks{list: []chunk{}}
	for _, h := range res.Hits {
		out.list = append(out.list, chunk{Content: r.content(h.Memory.Text), Source: r.file(h.Memory), Heading: string(h.Memory.Type), ChunkHash: h.Memory.ID, Score: rounded(h.Score)})
	}
	entries, err := r.searchJournal(ctx, c.Project, query, limit)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		out.list = append(out.list, chunk{
			Content: r.content(e.body), Source: e.file, Heading: harmless(e.heading), ChunkHash: e.hash(),
			HeadingLevel: e.level, StartLine: e.start, EndLine: e.end, Score: rounded(e.score),
		})
	}
	slices.SortStableFunc(out.list, func(a, b chunk) int { return cmp.Compare(b.Score, a.Score) })
	out.list = out.list[:min(len(out.list), limit)]
	return out, nil
}

func (r *Router) file(m codememory.Memory) string {
	if r.opts.File != nil {
		if file := r.opts.File(m); file != "" {
			return file
		}
	}
	return codememory.ShownID(m.ID)
}

func rounded(score float64) float64 { return math.Round(score*10000) / 10000 }

// getChunk answers memory_get.
func (r *Router) getChunk(ctx context.Context, c call) (string, error) {
	id, err := c.about(`memory_get({chunk_hash: "..."})`, "chunk_hash", "id", "memoryId")
	if err != nil {
		return "", err
	}
	c.args = args{"id": id}
	return r.expand(ctx, c)
}

// turnsOf answers memory_transcript.
func (r *Router) turnsOf(ctx context.Context, c call) (string, error) {
	f, err := r.asked(ctx, c, `memory_transcript({session_id: "...", turn_id: "..."})`)
	if err != nil {
		return "", err
	}
	return r.turnsText(ctx, f, c.window())
}
