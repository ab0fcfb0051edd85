package hook_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/hook"
)

const prompt = `{"session_id":"s1","transcript_path":"/h/.claude/projects/p/s1.jsonl","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":"fix it"}`

// leeway is what a busy machine may add to times of milliseconds. It is less
// than any wait that a test would find out.
const leeway = 250 * time.Millisecond

// runHook runs a hook to its end and returns what it printed and how long it took.
func runHook(t *testing.T, o hook.Options) (string, time.Duration) {
	t.Helper()
	var out bytes.Buffer
	o.Stdout = &out
	if o.Agent == "" {
		o.Agent = "claude-code"
	}
	if o.Env == nil {
		o.Env = vars()
	}
	began := time.Now()
	if code := hook.Run(t.Context(), o); code != 0 {
		t.Errorf("exit code %d", code)
	}
	return out.String(), time.Since(began)
}

func connectTo(d *daemon) func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
	return func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
		return d, d, func() {}, nil
	}
}

func TestAHookPrintsTheAnswer(t *testing.T) {
	closed := false
	d := &daemon{}
	out, _ := runHook(t, hook.Options{Stdin: strings.NewReader(prompt), Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
		return d, d, func() { closed = true }, nil
	}})
	if want := `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"the hud"}}`; out != want {
		t.Errorf("printed %s", out)
	}
	if !closed {
		t.Error("the connection stays open")
	}
}

func TestASlowDaemonCostsNoMoreThanTheBudget(t *testing.T) {
	deaf := make(chan struct{})
	defer close(deaf)
	for name, wait := range map[string]func(ctx context.Context){
		"one that heeds the deadline": func(ctx context.Context) { <-ctx.Done() },
		"one that does not":           func(context.Context) { <-deaf },
	} {
		t.Run(name, func(t *testing.T) {
			d := &daemon{context: func(ctx context.Context, _ codememory.ContextRequest) (codememory.ContextAnswer, error) {
				wait(ctx)
				return codememory.ContextAnswer{HUD: "too late"}, ctx.Err()
			}}
			out, took := runHook(t, hook.Options{Stdin: strings.NewReader(prompt), Connect: connectTo(d), Budget: 60 * time.Millisecond})
			if out != "" || took > leeway {
				t.Errorf("printed %q after %s", out, took)
			}
		})
	}
}

func TestADeadDaemonCostsNothing(t *testing.T) {
	best := time.Hour
	for range 5 {
		out, took := runHook(t, hook.Options{Stdin: strings.NewReader(prompt), Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
			return nil, nil, nil, errors.New("connection refused")
		}})
		if out != "" {
			t.Errorf("printed %q", out)
		}
		best = min(best, took)
	}
	if best > 20*time.Millisecond {
		t.Errorf("took %s", best)
	}
}

func TestTroubleIsSilent(t *testing.T) {
	answering := connectTo(&daemon{})
	for name, o := range map[string]hook.Options{
		"malformed JSON":     {Stdin: strings.NewReader(prompt[:40])},
		"no payload":         {Stdin: strings.NewReader("")},
		"no stdin at all":    {},
		"an unknown agent":   {Agent: "emacs", Stdin: strings.NewReader(prompt)},
		"an unknown event":   {Stdin: strings.NewReader(`{"session_id":"s1","hook_event_name":"DreamStart"}`)},
		"the end of a turn":  {Stdin: strings.NewReader(`{"session_id":"s1","hook_event_name":"Stop"}`)},
		"switched off":       {Stdin: strings.NewReader(prompt), Env: vars("CODEMEMORY_DISABLE", "1")},
		"our own use of it":  {Stdin: strings.NewReader(prompt), Env: vars("CODEMEMORY_INTERNAL", "true")},
		"answered elsewhere": {Stdin: strings.NewReader(prompt), Claim: func(string) bool { return false }},
		"a panic of the service": {Stdin: strings.NewReader(prompt), Connect: connectTo(&daemon{context: func(context.Context, codememory.ContextRequest) (codememory.ContextAnswer, error) {
			panic("broken")
		}})},
		"a panic on the way": {Stdin: strings.NewReader(prompt), Claim: func(string) bool { panic("broken") }},
		"an error": {Stdin: strings.NewReader(prompt), Connect: connectTo(&daemon{context: func(context.Context, codememory.ContextRequest) (codememory.ContextAnswer, error) {
			return codememory.ContextAnswer{}, errors.New("no such project")
		}})},
	} {
		t.Run(name, func(t *testing.T) {
			if o.Connect == nil {
				o.Connect = answering
			}
			if out, took := runHook(t, o); out != "" || took > leeway {
				t.Errorf("printed %q after %s", out, took)
			}
		})
	}
}

func TestNothingIsAskedWhenThereIsNothingToDo(t *testing.T) {
	runHook(t, hook.Options{Stdin: strings.NewReader(`{"session_id":"s1","hook_event_name":"PreToolUse"}`), Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
		t.Error("the daemon was looked for")
		return nil, nil, nil, errors.New("no")
	}})
}

func TestAnAgentThatKeepsThePipeOpenIsAnswered(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		for _, part := range []string{prompt[:30], prompt[30:90], prompt[90:] + "\n"} {
			_, _ = io.WriteString(w, part)
		}
	}()
	out, took := runHook(t, hook.Options{Stdin: r, Connect: connectTo(&daemon{})})
	if !strings.Contains(out, "the hud") || took > leeway {
		t.Errorf("printed %q after %s", out, took)
	}
}

func TestAnAgentThatNeverWritesIsNotWaitedFor(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	out, took := runHook(t, hook.Options{Stdin: r, Connect: connectTo(&daemon{}), Budget: 50 * time.Millisecond})
	if out != "" || took < 40*time.Millisecond || took > leeway {
		t.Errorf("printed %q after %s", out, took)
	}
	out, took = runHook(t, hook.Options{Agent: "session-start", Args: []string{"s1", "/w"}, Stdin: r, Connect: connectTo(&daemon{}), Budget: time.Second})
	if !strings.Contains(out, "the stable block") || took > 500*time.Millisecond {
		t.Errorf("with arguments it printed %q after %s", out, took)
	}
}

func TestAHugePayloadIsReadToItsEndSoThatTheAgentCanWriteIt(t *testing.T) {
	d := &daemon{}
	head := `{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Read","tool_response":"`
	r, w := io.Pipe()
	written := make(chan error, 1)
	go func() {
		_, err := io.WriteString(w, head+strings.Repeat("x", 5*hook.MaxInput)+`"}`)
		written <- errors.Join(err, w.Close())
	}()
	runHook(t, hook.Options{Stdin: r, Connect: connectTo(d), Budget: 5 * time.Second})
	select {
	case err := <-written:
		if err != nil {
			t.Error(err)
		}
	default:
		t.Error("the hook ended while the agent was writing")
	}
	if len(d.pokes) != 1 || d.pokes[0].Session != "s1" {
		t.Errorf("told the daemon %+v", d.pokes)
	}
}

func TestOfTwoReportsOfAPromptOneIsAnswered(t *testing.T) {
	claims := hook.Claims{Dir: t.TempDir()}
	recorded := lines(t, "hooks-copilot.jsonl")
	env := vars("COPILOT_CLI", "1")
	first, _ := runHook(t, hook.Options{Agent: "copilot", Env: env, Stdin: bytes.NewReader(recorded[2]), Connect: connectTo(&daemon{}), Claim: claims.Take})
	second, _ := runHook(t, hook.Options{Agent: "claude-code", Env: env, Stdin: bytes.NewReader(recorded[3]), Connect: connectTo(&daemon{}), Claim: claims.Take})
	if first != `{"additionalContext":"the hud"}` || second != "" {
		t.Errorf("printed %q and %q", first, second)
	}
}

func TestCursorIsToldToGoOnWhateverHappens(t *testing.T) {
	payload := `{"conversation_id":"c1","cursor_version":"3","workspace_roots":["/w"],"hook_event_name":"beforeSubmitPrompt","prompt":"remember x"}`
	deaf := make(chan struct{})
	defer close(deaf)
	out, _ := runHook(t, hook.Options{
		Agent: "cursor", Stdin: strings.NewReader(payload), Budget: 40 * time.Millisecond,
		Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
			<-deaf
			return nil, nil, nil, errors.New("no")
		},
	})
	if out != `{"continue":true}` {
		t.Errorf("printed %q", out)
	}
}

func TestTheLogHasTheReasonAndNoTextOfTheUser(t *testing.T) {
	var log bytes.Buffer
	runHook(t, hook.Options{
		Stdin: strings.NewReader(strings.Replace(prompt, "fix it", "my secret plan", 1)), Log: slog.New(slog.NewTextHandler(&log, nil)),
		Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
			return nil, nil, nil, errors.New("connection refused")
		},
	})
	if !strings.Contains(log.String(), "connection refused") || strings.Contains(log.String(), "secret") {
		t.Errorf("logged %s", log.String())
	}
}

func TestATerminalIsNotReadFrom(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	out, _ := runHook(t, hook.Options{Agent: "session-start", Args: []string{"s1", "/w"}, Stdin: null, Connect: connectTo(&daemon{})})
	if !strings.Contains(out, "the stable block") {
		t.Errorf("printed %q", out)
	}
}

// Under load the daemon may need longer than a model is kept waiting.
func TestTheEndOfASessionHasMoreTime(t *testing.T) {
	d := &slow{wait: 2 * hook.DefaultBudget}
	for name, payload := range map[string]string{
		"a turn":    `{"session_id":"s1","cwd":"/w","hook_event_name":"AfterAgent","prompt":"x","prompt_response":"y"}`,
		"a session": `{"session_id":"s1","cwd":"/w","hook_event_name":"SessionEnd","reason":"exit"}`,
	} {
		d.heard = false
		runHook(t, hook.Options{Agent: "gemini", Stdin: strings.NewReader(payload), Connect: func(context.Context) (codememory.Service, codememory.AgentService, func(), error) {
			return d, d, func() {}, nil
		}})
		if !d.heard {
			t.Errorf("the end of %s was not heard of", name)
		}
	}
}

// slow is a daemon that takes its time.
type slow struct {
	daemon
	wait  time.Duration
	heard bool
}

func (s *slow) Poke(ctx context.Context, _ codememory.Poke) error {
	select {
	case <-ctx.Done():
	case <-time.After(s.wait):
		s.heard = true
	}
	return ctx.Err()
}
