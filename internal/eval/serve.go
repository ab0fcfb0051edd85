package eval

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// command is one line of the adapter's protocol: {"op":"reset"},
// {"op":"add","docs":[…]} or {"op":"search","query":"…","limit":10}.
type command struct {
	Op    string     `json:"op"`
	Docs  []Document `json:"docs,omitempty"`
	Query string     `json:"query,omitempty"`
	Limit int        `json:"limit,omitempty"`
	Floor *float64   `json:"floor,omitempty"`
}

// reply answers a command.
type reply struct {
	OK       bool     `json:"ok"`
	Error    string   `json:"error,omitempty"`
	Added    int      `json:"added,omitempty"`
	Hits     []hit    `json:"hits,omitempty"`
	Degraded bool     `json:"degraded,omitempty"`
	Reasons  []string `json:"reasons,omitempty"`
	Millis   float64  `json:"ms"`
}

type hit struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
}

// Serve lets an outside harness drive an engine over lines of JSON, one reply
// per command, until r ends. A command that fails gets an error reply and the
// next one is read.
func Serve(ctx context.Context, r io.Reader, w io.Writer, e *Engine) error {
	in := bufio.NewScanner(r)
	in.Buffer(make([]byte, 64<<10), 64<<20)
	out := json.NewEncoder(w)
	for in.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(in.Bytes()) == 0 {
			continue
		}
		var c command
		answer := reply{}
		if err := json.Unmarshal(in.Bytes(), &c); err != nil {
			answer.Error = "not a command: " + err.Error()
		} else {
			answer = e.handle(ctx, c)
		}
		if err := out.Encode(answer); err != nil {
			return fmt.Errorf("write reply: %w", err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read command: %w", err)
	}
	return nil
}

// Handler is the same over HTTP: POST /reset, /add and /search with the
// command as JSON.
func Handler(e *Engine) http.Handler {
	mux := http.NewServeMux()
	for _, op := range []string{"reset", "add", "search"} {
		mux.HandleFunc("POST /"+op, func(w http.ResponseWriter, r *http.Request) {
			c := command{}
			if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<20)).Decode(&c); err != nil && err != io.EOF {
				http.Error(w, "not a command: "+err.Error(), http.StatusBadRequest)
				return
			}
			c.Op = op
			answer := e.handle(r.Context(), c)
			w.Header().Set("Content-Type", "application/json")
			if !answer.OK {
				w.WriteHeader(http.StatusInternalServerError)
			}
			_ = json.NewEncoder(w).Encode(answer) // the client is gone when this fails
		})
	}
	return mux
}

func (e *Engine) handle(ctx context.Context, c command) reply {
	start := time.Now()
	answer, err := e.do(ctx, c)
	answer.OK = err == nil
	if err != nil {
		answer.Error = err.Error()
	}
	answer.Millis = float64(time.Since(start).Microseconds()) / 1000
	return answer
}

func (e *Engine) do(ctx context.Context, c command) (reply, error) {
	switch c.Op {
	case "reset":
		return reply{}, e.Reset()
	case "add":
		return reply{Added: len(c.Docs)}, e.Add(ctx, c.Docs)
	case "search":
		engine := *e
		if c.Floor != nil {
			engine.Floor = c.Floor
		}
		found, err := engine.Search(ctx, c.Query, c.Limit)
		if err != nil {
			return reply{}, err
		}
		r := reply{Degraded: found.Degraded, Reasons: found.Reasons, Hits: []hit{}}
		for _, h := range found.Hits {
			r.Hits = append(r.Hits, hit{ID: h.ID, Score: h.Score})
		}
		return r, nil
	default:
		return reply{}, fmt.Errorf("unknown op %q: use reset, add or search", c.Op)
	}
}
