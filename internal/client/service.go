package client

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"

	"codememory"
	"codememory/internal/httpapi/wire"
)

const (
	get   = http.MethodGet
	post  = http.MethodPost
	patch = http.MethodPatch
)

// Add implements codememory.Service.
func (c *Client) Add(ctx context.Context, r codememory.AddRequest) (result codememory.AddResult, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/memories", nil, r, &result)
	return result, err
}

// AddMany implements codememory.Service.
func (c *Client) AddMany(ctx context.Context, rs []codememory.AddRequest) ([]codememory.AddResult, error) {
	request := wire.AddManyRequest{Memories: make([]codememory.AddRequest, len(rs))}
	for i, r := range rs {
		r.Project = here(r.Project)
		request.Memories[i] = r
	}
	var answer wire.AddManyAnswer
	err := c.call(ctx, post, "/v1/memories/batch", nil, request, &answer)
	return answer.Results, err
}

// Get implements codememory.Service.
func (c *Client) Get(ctx context.Context, ref codememory.Ref) (m codememory.Memory, err error) {
	err = c.memory(ctx, get, ref, "", nil, &m)
	return m, err
}

// List implements codememory.Service.
func (c *Client) List(ctx context.Context, r codememory.ListRequest) (page codememory.MemoryPage, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, get, "/v1/memories", wire.NewListQuery(r), nil, &page)
	return page, err
}

// Edit implements codememory.Service.
func (c *Client) Edit(ctx context.Context, ref codememory.Ref, e codememory.Edit) (m codememory.Memory, err error) {
	err = c.memory(ctx, patch, ref, "", e, &m)
	return m, err
}

// Forget implements codememory.Service.
func (c *Client) Forget(ctx context.Context, ref codememory.Ref, reason string) (m codememory.Memory, err error) {
	err = c.memory(ctx, post, ref, "/forget", wire.ForgetRequest{Reason: reason}, &m)
	return m, err
}

// Undo implements codememory.Service.
func (c *Client) Undo(ctx context.Context, ref codememory.Ref) (codememory.Memory, string, error) {
	var answer wire.UndoAnswer
	err := c.memory(ctx, post, ref, "/undo", nil, &answer)
	return answer.Memory, answer.Undone, err
}

// Purge implements codememory.Service.
func (c *Client) Purge(ctx context.Context, ref codememory.Ref) (report codememory.PurgeReport, err error) {
	err = c.memory(ctx, post, ref, "/purge", nil, &report)
	return report, err
}

// History implements codememory.Service.
func (c *Client) History(ctx context.Context, ref codememory.Ref) ([]codememory.HistoryEntry, error) {
	var answer wire.HistoryAnswer
	err := c.memory(ctx, get, ref, "/history", nil, &answer)
	return answer.Entries, err
}

// memory calls a route below one memory.
func (c *Client) memory(ctx context.Context, method string, ref codememory.Ref, below string, body, answer any) error {
	if ref.ID == "" { // it would name another route
		return codememory.Errorf(codememory.Invalid, "the id of the memory is missing")
	}
	return c.call(ctx, method, "/v1/memories/"+url.PathEscape(ref.ID)+below, wire.MemoryQuery{Project: here(ref.Project)}, body, answer)
}

// importBytes is how much of an import is sent at once, well below what the daemon takes.
const importBytes = 16 << 20

// Import implements codememory.Service.
func (c *Client) Import(ctx context.Context, project string, ms []codememory.Memory) ([]codememory.AddResult, error) {
	var results []codememory.AddResult
	var body bytes.Buffer
	flush := func() error {
		answer, err := c.importLines(ctx, project, &body)
		results = append(results, answer.Results...)
		body.Reset()
		return err
	}
	encoder := json.NewEncoder(&body)
	for i := range ms {
		if err := encoder.Encode(&ms[i]); err != nil {
			return results, codememory.Errorf(codememory.Invalid, "encode memory %s: %w", ms[i].ID, err)
		}
		if body.Len() >= importBytes {
			if err := flush(); err != nil {
				return results, err
			}
		}
	}
	return results, flush()
}

func (c *Client) importLines(ctx context.Context, project string, lines *bytes.Buffer) (answer wire.ImportAnswer, err error) {
	response, err := c.send(ctx, post, "/v1/import", wire.MemoryQuery{Project: here(project)}, wire.JSONLines, lines)
	if err != nil {
		return answer, err
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return answer, c.broken(ctx, err)
	}
	if len(answer.Skipped) > 0 {
		return answer, codememory.Errorf(codememory.Invalid, "the daemon could not read %d of the records: %s", len(answer.Skipped), answer.Skipped[0].Reason)
	}
	return answer, nil
}

// Search implements codememory.Service.
func (c *Client) Search(ctx context.Context, r codememory.SearchRequest) (answer codememory.SearchAnswer, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/search", nil, r, &answer)
	return answer, err
}

// Retrieve implements codememory.Service.
func (c *Client) Retrieve(ctx context.Context, r codememory.RetrieveRequest) (codememory.RetrieveAnswer, error) {
	r.ProjectRoot = here(r.ProjectRoot)
	var answer wire.RetrieveAnswer
	err := c.call(ctx, post, "/v1/retrieve", nil, r, &answer)
	return codememory.RetrieveAnswer(answer), err
}

// Context implements codememory.Service.
func (c *Client) Context(ctx context.Context, r codememory.ContextRequest) (answer codememory.ContextAnswer, err error) {
	r.Project = here(r.Project)
	err = c.call(ctx, post, "/v1/context", nil, r, &answer)
	return answer, err
}
