package hook_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/config"
	"codememory/internal/hook"
	"codememory/internal/paths"
	"codememory/internal/service"
)

// daemon records what is asked of it.
type daemon struct {
	codememory.Service
	codememory.AgentService
	context func(ctx context.Context, r codememory.ContextRequest) (codememory.ContextAnswer, error)

	mu    sync.Mutex
	asked []codememory.ContextRequest
	pokes []codememory.Poke
	notes []codememory.Note
}

func (d *daemon) Context(ctx context.Context, r codememory.ContextRequest) (codememory.ContextAnswer, error) {
	d.mu.Lock()
	d.asked = append(d.asked, r)
	d.mu.Unlock()
	if d.context != nil {
		return d.context(ctx, r)
	}
	if len(r.Parts) == 1 && r.Parts[0] == codememory.StablePart {
		return codememory.ContextAnswer{Stable: "the stable block"}, nil
	}
	return codememory.ContextAnswer{HUD: "the hud"}, nil
}

func (d *daemon) Poke(_ context.Context, p codememory.Poke) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pokes = append(d.pokes, p)
	return nil
}

func (d *daemon) Note(_ context.Context, n codememory.Note) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.notes = append(d.notes, n)
	return nil
}

func TestEachEventDoesWhatItCallsFor(t *testing.T) {
	stable, hud, both := []codememory.Part{codememory.StablePart}, []codememory.Part{codememory.HUDPart}, []codememory.Part{codememory.StablePart, codememory.HUDPart}
	for name, tt := range map[string]struct {
		event  hook.Event
		answer string
		asked  []codememory.ContextRequest
		poke   string
		note   string
	}{
		"a session starts":              {hook.Event{Kind: hook.SessionStart, Source: "startup"}, "the stable block", []codememory.ContextRequest{{Parts: stable, Kept: true, Anew: true}}, "created", ""},
		"a session is resumed":          {hook.Event{Kind: hook.SessionStart, Source: "resume"}, "the stable block", []codememory.ContextRequest{{Parts: stable, Kept: true}}, "created", ""},
		"Gemini resumes a session":      {hook.Event{Agent: "gemini", Kind: hook.SessionStart, Source: "resume"}, "the stable block", []codememory.ContextRequest{{Parts: stable, Kept: true, Anew: true}}, "created", ""},
		"Copilot resumes a session":     {hook.Event{Agent: "copilot", Kind: hook.SessionStart, Source: "resume"}, "the stable block", []codememory.ContextRequest{{Parts: stable, Kept: true, Anew: true}}, "created", ""},
		"a session goes on compacted":   {hook.Event{Kind: hook.SessionStart, Source: "compact"}, "the stable block", []codememory.ContextRequest{{Parts: stable, Kept: true, Anew: true, Compacted: true}}, "compacted", ""},
		"a session of a subagent":       {hook.Event{Kind: hook.SessionStart, Source: "startup", SubagentID: "a"}, "", nil, "", ""},
		"a prompt":                      {hook.Event{Kind: hook.Prompt, Prompt: "fix it"}, "the hud", []codememory.ContextRequest{{Parts: both, Goal: "fix it", Kept: true}}, "prompt", ""},
		"a prompt to remember":          {hook.Event{Kind: hook.Prompt, Prompt: "Remember: use pnpm"}, "the hud", []codememory.ContextRequest{{Parts: both, Goal: "Remember: use pnpm", Kept: true}}, "prompt", "Remember: use pnpm"},
		"a prompt by the agent itself":  {hook.Event{Kind: hook.Prompt, Source: "loop_wakeup", Prompt: "remember to poll"}, "the hud", []codememory.ContextRequest{{Parts: both, Goal: "remember to poll", Kept: true}}, "prompt", ""},
		"a prompt inside a subagent":    {hook.Event{Kind: hook.Prompt, Prompt: "remember this", SubagentID: "a"}, "", nil, "", ""},
		"an empty prompt":               {hook.Event{Kind: hook.Prompt}, "", nil, "", ""},
		"Cursor's prompt":               {hook.Event{Agent: "cursor", Kind: hook.Prompt, Prompt: "jot down x"}, "", nil, "prompt", "jot down x"},
		"a telling subagent":            {hook.Event{Kind: hook.SubagentStart, SubagentID: "a", SubagentType: "db-migrations_reviewer"}, "the hud", []codememory.ContextRequest{{Parts: hud, Goal: "db migrations reviewer", HUDTokens: 150}}, "", ""},
		"a subagent whose task is told": {hook.Event{Kind: hook.SubagentStart, SubagentType: "Explore", Prompt: "find the cache"}, "the hud", []codememory.ContextRequest{{Parts: hud, Goal: "find the cache", HUDTokens: 150}}, "", ""},
		"a subagent for anything":       {hook.Event{Kind: hook.SubagentStart, SubagentID: "a", SubagentType: "general-purpose"}, "", nil, "", ""},
		"a subagent ends":               {hook.Event{Kind: hook.SubagentStop, SubagentID: "a", SubagentType: "Explore"}, "", nil, "subagent", ""},
		"the summariser ends":           {hook.Event{Kind: hook.SubagentStop, SubagentID: "a"}, "", nil, "", ""},
		"a tool is done":                {hook.Event{Kind: hook.ToolDone}, "", nil, "tool", ""},
		"a tool failed":                 {hook.Event{Kind: hook.ToolFailed}, "", nil, "tool", ""},
		"a compaction begins":           {hook.Event{Kind: hook.PreCompact}, "", nil, "compacting", ""},
		"a compaction is over":          {hook.Event{Kind: hook.PostCompact}, "", nil, "compacted", ""},
		"a turn ends":                   {hook.Event{Kind: hook.TurnEnd}, "", nil, "idle", ""},
		"a session ends":                {hook.Event{Kind: hook.SessionEnd}, "", nil, "ended", ""},
		"something else":                {hook.Event{Kind: hook.Other}, "", nil, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := &daemon{}
			e := tt.event
			if e.Agent == "" {
				e.Agent = "claude-code"
			}
			e.Session, e.Dir = "s1", "/w"
			got, err := hook.Handle(t.Context(), e, d, d)
			if err != nil || got.Context != tt.answer {
				t.Errorf("answer %q, %v", got.Context, err)
			}
			for i := range tt.asked {
				tt.asked[i].Project, tt.asked[i].Session, tt.asked[i].Agent = "/w", "s1", e.Agent
			}
			var pokes []codememory.Poke
			if tt.poke != "" {
				pokes = []codememory.Poke{{Agent: e.Agent, Session: "s1", Dir: "/w", Event: tt.poke}}
				if e.Agent == "cursor" { // has no records that could be read
					pokes[0].Said = &codememory.TurnEvent{Prompt: e.Prompt}
				}
			}
			var notes []codememory.Note
			if tt.note != "" {
				notes = []codememory.Note{{Project: "/w", Agent: e.Agent, Session: "s1", Text: tt.note}}
			}
			if diff := cmp.Diff(tt.asked, d.asked) + cmp.Diff(pokes, d.pokes) + cmp.Diff(notes, d.notes); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWordsThatAskToRememberAreHeardOutsideOfCode(t *testing.T) {
	for prompt, want := range map[string]bool{
		"Please remember that we deploy on Monday": true,
		"DON'T FORGET the changelog":               true,
		"don’t forget the changelog":               true,
		"dont forget":                              true,
		"Keep in mind: no ORMs":                    true,
		"make a note of it":                        true,
		"take note":                                true,
		"jot down the port":                        true,
		"commit to memory":                         true,
		"memorize it":                              true,
		"save this, store this, learn this":        true,
		"record this":                              true,
		"```\ndon't forget\n``` and remember":      false, // a fence closes on a line of its own
		"fix the `remember` flag":                  false,
		"fix ``the ` remember`` flag":              false,
		"why?\n```go\nremember()\n```\n":           false,
		"why?\n~~~\nremember\n":                    false,
		"```\nx\n```\nremember y":                  true,
		"an open ` tick, remember it":              true,
		"rememberMe is broken":                     false,
		"the misremembered value":                  false,
		"add a test":                               false,
		strings.Repeat("x ", 30_000) + "remember":  false,
	} {
		d := &daemon{}
		if _, err := hook.Handle(t.Context(), hook.Event{Kind: hook.Prompt, Agent: "codex", Session: "s", Dir: "/w", Prompt: prompt}, d, d); err != nil {
			t.Fatal(err)
		}
		if heard := len(d.notes) == 1; heard != want {
			t.Errorf("%.40q: %v", prompt, heard)
		}
	}
}

func TestALongPromptIsSentInPart(t *testing.T) {
	d := &daemon{}
	prompt := "remember: " + strings.Repeat("ä", 20_000) + " the end"
	if _, err := hook.Handle(t.Context(), hook.Event{Kind: hook.Prompt, Agent: "codex", Session: "s", Prompt: prompt}, d, d); err != nil {
		t.Fatal(err)
	}
	goal, note := d.asked[0].Goal, d.notes[0].Text
	if len(goal) > 4_010 || !strings.HasPrefix(goal, "remember: ä") || !strings.HasSuffix(goal, "ä the end") || strings.Contains(goal, "\uFFFD") {
		t.Errorf("goal of %d bytes: %.40q", len(goal), goal)
	}
	if len(note) > 16_000 || !strings.HasSuffix(note, "ä") {
		t.Errorf("note of %d bytes", len(note))
	}
}

func TestTheAnswerStandsWhenTheRestFails(t *testing.T) {
	d := &daemon{}
	got, err := hook.Handle(t.Context(), hook.Event{Kind: hook.Prompt, Agent: "codex", Session: "s", Prompt: "remember x"}, d, failingAgents{})
	if got.Context != "the hud" || err == nil {
		t.Errorf("%q, %v", got.Context, err)
	}
}

type failingAgents struct{ codememory.AgentService }

func (failingAgents) Poke(context.Context, codememory.Poke) error { return errors.New("no") }
func (failingAgents) Note(context.Context, codememory.Note) error { return errors.New("no") }

func TestARealServiceAnswers(t *testing.T) {
	svc, dir := openService(t)
	if _, err := svc.Add(t.Context(), codememory.AddRequest{Project: dir, Text: "Refresh tokens are rotated because the gateway caches them", Type: codememory.Architecture}); err != nil {
		t.Fatal(err)
	}
	if _, err := svc.Add(t.Context(), codememory.AddRequest{Project: dir, Text: "The gateway must see a rotated refresh token within 5 s", Type: codememory.LearnedPattern}); err != nil {
		t.Fatal(err)
	}
	handle := func(payload string) string {
		t.Helper()
		e := parsed(t, "claude-code", nil, strings.ReplaceAll(payload, "DIR", filepath.ToSlash(dir)), vars())
		a, err := hook.Handle(t.Context(), e, svc, svc)
		if err != nil {
			t.Fatal(err)
		}
		return a.Context
	}
	start := handle(`{"session_id":"s1","cwd":"DIR","hook_event_name":"SessionStart","source":"startup"}`)
	if !strings.HasPrefix(start, `<codememory kind="stable">`) || !strings.Contains(start, "gateway caches") {
		t.Errorf("a session starts with %q", start)
	}
	hud := handle(`{"session_id":"s1","cwd":"DIR","hook_event_name":"UserPromptSubmit","prompt":"why are refresh tokens rotated by the gateway?"}`)
	if !strings.HasPrefix(hud, `<codememory kind="hud">`) || !strings.Contains(hud, "within 5 s") || !strings.HasSuffix(hud, "</codememory>") {
		t.Errorf("a prompt gets %q", hud)
	}
	if got := handle(`{"session_id":"s1","cwd":"DIR","hook_event_name":"UserPromptSubmit","prompt":"favourite pizza toppings"}`); got != "" {
		t.Errorf("an unrelated prompt gets %q", got)
	}
	handle(`{"session_id":"s1","cwd":"DIR","hook_event_name":"UserPromptSubmit","prompt":"Remember that the staging port is 8443"}`)
	c, err := svc.Compaction(t.Context(), codememory.CompactionRequest{Project: dir, Session: "s1", Agent: "claude-code"})
	if err != nil || !strings.Contains(c.Context, "staging port is 8443") {
		t.Errorf("the note is not kept: %q, %v", c.Context, err)
	}
	for _, event := range []string{"PostToolUse", "PreCompact", "PostCompact", "Stop", "SessionEnd"} {
		if got := handle(`{"session_id":"s1","cwd":"DIR","hook_event_name":"` + event + `"}`); got != "" {
			t.Errorf("%s gets %q", event, got)
		}
	}
}

// openService opens a service on a machine with one project.
func openService(t *testing.T) (*service.Service, string) {
	t.Helper()
	loaded, err := config.Load(config.Sources{Flags: map[string]string{"embedding.provider": "none"}})
	if err != nil {
		t.Fatal(err)
	}
	data := t.TempDir()
	svc, err := service.Open(t.Context(), service.Options{
		Layout: paths.Layout{Data: data, State: filepath.Join(data, "state"), ConfigFile: filepath.Join(data, "config.toml")},
		Config: loaded, Version: "test",
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	dir := filepath.Join(t.TempDir(), "app")
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return svc, dir
}
