package client

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"strings"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// Events implements codememory.Service. The channel is closed when ctx ends,
// the daemon leaves, or the reader was too slow: whoever wants to go on asks
// again and looks at everything anew.
func (c *Client) Events(ctx context.Context) (<-chan codememory.Event, error) {
	response, err := c.send(ctx, get, "/v1/events", nil, "", nil) //nolint:bodyclose // the goroutine below closes it
	if err != nil {
		return nil, err
	}
	events := make(chan codememory.Event)
	go func() {
		defer close(events)
		defer response.Body.Close()
		readEvents(response.Body, func(e codememory.Event) bool {
			select {
			case events <- e:
				return true
			case <-ctx.Done():
				return false
			}
		})
	}()
	return events, nil
}

// readEvents calls give for each event of a stream until it returns false or
// the stream ends.
func readEvents(stream io.Reader, give func(codememory.Event) bool) {
	lines := bufio.NewScanner(stream)
	kind := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "event":
			kind = value
		case "data":
			if kind == wire.EventDropped || kind == wire.EventStopping {
				return
			}
			var e codememory.Event
			if kind != wire.EventReset && json.Unmarshal([]byte(value), &e) == nil && !give(e) {
				return
			}
		case "": // the end of an event, or a comment
			kind = ""
		}
	}
}
