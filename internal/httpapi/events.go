package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"
)

// eventWriteTime is how long one event may take to reach its reader's socket.
const eventWriteTime = 5 * time.Second

// serveEvents streams what happens from now on. Nothing waits for its reader:
// one that falls too far behind is told so and cut off.
func (s *Server) serveEvents(w http.ResponseWriter, r *http.Request) error {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	events, err := s.Service.Events(ctx)
	if err != nil {
		return err
	}
	waiting, dropped := buffer(ctx, events, s.Limits.Events)

	out := eventWriter{w: w, control: http.NewResponseController(w)}
	w.Header().Set("Content-Type", wire.EventStream)
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Header.Get("Last-Event-ID") != "" { // what happened in between is not kept
		out.write(wire.EventReset, 0, struct{}{})
	}
	out.comment("connected")

	heartbeat := time.NewTicker(s.Limits.Heartbeat)
	defer heartbeat.Stop()
	for out.err == nil {
		select {
		case e, ok := <-waiting:
			if !ok { // the service itself let go of us
				out.write(wire.EventDropped, 0, struct{}{})
				return nil
			}
			out.write(e.Kind, e.Seq, e)
		case <-dropped:
			out.write(wire.EventDropped, 0, struct{}{})
			return nil
		case <-s.stopping:
			out.write(wire.EventStopping, 0, struct{}{})
			return nil
		case <-heartbeat.C:
			out.comment("alive")
		case <-ctx.Done():
			return nil
		}
	}
	return nil // the reader has left; there is nobody to tell
}

// buffer takes events as fast as they come. When more than size of them wait,
// dropped is closed and the rest is thrown away. It ends with ctx.
func buffer(ctx context.Context, events <-chan codememory.Event, size int) (<-chan codememory.Event, <-chan struct{}) {
	waiting, dropped := make(chan codememory.Event, size), make(chan struct{})
	go func() {
		full := false
		for {
			select {
			case <-ctx.Done():
				return
			case e, ok := <-events:
				switch {
				case !ok && !full:
					close(waiting)
					return
				case !ok:
					return
				case full:
					continue
				}
				select {
				case waiting <- e:
				default:
					full = true
					close(dropped)
				}
			}
		}
	}()
	return waiting, dropped
}

// eventWriter writes server-sent events until one fails.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	err     error
}

func (e *eventWriter) write(kind string, seq uint64, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		e.err = err
		return
	}
	id := ""
	if seq != 0 {
		id = fmt.Sprintf("id: %d\n", seq)
	}
	e.send(fmt.Sprintf("%sevent: %s\ndata: %s\n\n", id, kind, text))
}

func (e *eventWriter) comment(text string) { e.send(": " + text + "\n\n") }

func (e *eventWriter) send(text string) {
	if e.err != nil {
		return
	}
	_ = e.control.SetWriteDeadline(time.Now().Add(eventWriteTime))
	if _, e.err = fmt.Fprint(e.w, text); e.err == nil {
		e.err = e.control.Flush()
	}
}
