package agentcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"codememory/internal/llm"
)

// TestMain lets the test program play an agent: what it prints, how it ends,
// and a record of how it was run.
func TestMain(m *testing.M) {
	if script := os.Getenv("FAKE_AGENT"); script != "" {
		play(script)
	}
	os.Exit(m.Run())
}

// call is how an agent was run.
type call struct {
	Args  []string
	Env   []string
	Stdin string
	Dir   string
}

func play(script string) {
	stdin, _ := io.ReadAll(os.Stdin)
	dir, _ := os.Getwd()
	record, _ := json.Marshal(call{os.Args[1:], os.Environ(), string(stdin), dir})
	if err := os.WriteFile(os.Getenv("FAKE_RECORD"), record, 0o600); err != nil {
		os.Exit(99)
	}
	if script == "hang" {
		time.Sleep(time.Minute)
	}
	out, _ := os.ReadFile(script)
	_, _ = os.Stdout.Write(out)
	if complaint := os.Getenv("FAKE_STDERR"); complaint != "" {
		fmt.Fprintln(os.Stderr, complaint)
		os.Exit(1)
	}
	os.Exit(0)
}

// ask runs an agent that prints out, and returns how it was run.
func ask(t *testing.T, ctx context.Context, agent, out string, env ...string) (llm.Response, call, error) {
	t.Helper()
	dir := t.TempDir()
	script, record := filepath.Join(dir, "out"), filepath.Join(dir, "record")
	if err := os.WriteFile(script, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	if out == "hang" {
		script = out
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(Config{Agent: agent, Command: self, Model: "m", Environ: append([]string{
		"FAKE_AGENT=" + script, "FAKE_RECORD=" + record, "HOME=" + dir, "CODEMEMORY_HTTP_PORT=1", "USER_KEY=k", "SystemRoot=" + os.Getenv("SystemRoot"),
	}, env...)})
	if err != nil {
		t.Fatal(err)
	}
	response, err := p.Complete(ctx, llm.Request{System: "SYS", Prompt: "PROMPT \"quoted\"\n", MaxTokens: 10})
	var c call
	if data, readErr := os.ReadFile(record); readErr == nil {
		if jsonErr := json.Unmarshal(data, &c); jsonErr != nil {
			t.Fatal(jsonErr)
		}
	}
	return response, c, err
}

var good = map[string]string{
	OpenCode: `{"type":"step_start","part":{}}` + "\n" + `{"type":"text","part":{"text":"fi"}}` + "\n" + `{"type":"text","part":{"text":"ne"}}` + "\n" +
		`{"type":"step_finish","part":{"reason":"stop","cost":0.5,"tokens":{"input":90,"output":5,"reasoning":2,"cache":{"read":10,"write":0}}}}` + "\n",
	Claude: "warning: something\n" + `{"type":"result","subtype":"success","is_error":false,"result":"fine","stop_reason":"end_turn","total_cost_usd":0.5,"usage":{"input_tokens":90,"cache_read_input_tokens":10,"output_tokens":7},"modelUsage":{"m-1":{}}}` + "\n",
	Codex: `{"type":"thread.started"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":"let me see"}}` + "\n" +
		`{"type":"item.completed","item":{"type":"agent_message","text":"fine"}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":10,"output_tokens":7}}` + "\n",
}

func TestAnAgentAnswersInARunOfItsOwn(t *testing.T) {
	for agent, out := range good {
		t.Run(agent, func(t *testing.T) {
			got, c, err := ask(t, t.Context(), agent, out)
			if err != nil {
				t.Fatal(err)
			}
			want := llm.Usage{Input: 100, Cached: 10, Output: 7, CostUSD: 0.5, Charged: true}
			if agent == Codex {
				want.CostUSD, want.Charged = 0, false
			}
			if got.Text != "fine" || got.Usage != want {
				t.Errorf("got %+v", got)
			}
			if !strings.HasSuffix(c.Stdin, "PROMPT \"quoted\"\n") {
				t.Errorf("was asked %q", c.Stdin)
			}
			all := strings.Join(c.Args, " ") + strings.Join(c.Env, " ") + c.Stdin
			if !strings.Contains(all, "SYS") {
				t.Error("the system part is missing")
			}
			if !slices.Contains(c.Env, "CODEMEMORY_INTERNAL=1") || !slices.Contains(c.Env, "USER_KEY=k") || slices.Contains(c.Env, "CODEMEMORY_HTTP_PORT=1") {
				t.Errorf("environment %v", c.Env)
			}
			if strings.Contains(strings.Join(c.Args, " "), "PROMPT") {
				t.Error("everybody on the machine can read the prompt in the list of processes")
			}
			if _, err := os.Stat(c.Dir); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("its folder %s is still there", c.Dir)
			}
			if i := slices.Index(c.Args, "--model"); i < 0 || c.Args[i+1] != "m" {
				t.Errorf("arguments %v", c.Args)
			}
		})
	}
}

func TestTheWaysInWhichAnAgentLeavesNoTrace(t *testing.T) {
	for agent, marks := range map[string][]string{
		OpenCode: {"OPENCODE_DB=:memory:", "OPENCODE_PURE=1", `"permission":{"*":"deny"}`},
		Claude:   {"--no-session-persistence", "disableAllHooks", "--strict-mcp-config"},
		Codex:    {"--ephemeral", "read-only", "--disable hooks", "--disable shell_tool"},
	} {
		_, c, err := ask(t, t.Context(), agent, good[agent])
		if err != nil {
			t.Fatal(err)
		}
		all := strings.Join(c.Args, " ") + " " + strings.Join(c.Env, " ")
		for _, mark := range marks {
			if !strings.Contains(all, mark) {
				t.Errorf("%s: %s is missing", agent, mark)
			}
		}
	}
}

func TestCodexStartsNoServerOfTheUser(t *testing.T) {
	home := t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "config.toml"), []byte("[mcp_servers.one]\ncommand='x'\n[mcp_servers.\"a b\"]\ncommand='y'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, c, err := ask(t, t.Context(), Codex, good[Codex], "CODEX_HOME="+home)
	if err != nil || !slices.Contains(c.Args, "mcp_servers.one.enabled=false") {
		t.Errorf("arguments %v, %v", c.Args, err)
	}
}

func TestFailuresOfAgents(t *testing.T) {
	for name, tt := range map[string]struct {
		agent, out, stderr string
		class              llm.Class
	}{
		"claude is logged out":     {Claude, `{"type":"result","subtype":"success","is_error":true,"result":"Invalid API key · Please run /login"}`, "x", llm.Auth},
		"claude is over its limit": {Claude, `{"type":"result","subtype":"success","is_error":true,"result":"Usage limit reached|1794731941","api_error_status":429}`, "x", llm.Infrastructure},
		"claude prints nothing":    {Claude, "", "", llm.Infrastructure},
		"claude refuses":           {Claude, `{"type":"result","subtype":"success","result":"no","stop_reason":"refusal"}`, "", llm.Refused},
		"claude is empty":          {Claude, `{"type":"result","subtype":"success","result":""}`, "", llm.BadOutput},
		"codex breaks off":         {Codex, `{"type":"thread.started"}` + "\n" + `{"type":"item.comp`, "", llm.Infrastructure},
		"codex fails":              {Codex, `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}`, "x", llm.Auth},
		"opencode has no model":    {OpenCode, `{"type":"error","error":{"name":"ProviderModelNotFoundError","data":{"message":"x"}}}`, "x", llm.Refused},
		"opencode breaks off":      {OpenCode, `{"type":"text","part":{"text":"fi"}}`, "", llm.Infrastructure},
		"opencode crashes":         {OpenCode, "", "segmentation fault", llm.Infrastructure},
		"opencode is not known":    {OpenCode, "", "Error: not authenticated", llm.Auth},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := ask(t, t.Context(), tt.agent, tt.out, "FAKE_STDERR="+tt.stderr)
			if err == nil || llm.ClassOf(err) != tt.class {
				t.Errorf("got %v, want %s", err, tt.class)
			}
			if err != nil && strings.Contains(err.Error(), "PROMPT") {
				t.Errorf("%q repeats the prompt", err)
			}
		})
	}
}

func TestAnAgentThatHangsIsEnded(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, _, err := ask(t, ctx, Claude, "hang")
	if llm.ClassOf(err) != llm.Infrastructure || !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 20*time.Second {
		t.Errorf("got %v after %s", err, time.Since(began))
	}
}

func TestAnAgentThatIsNotThere(t *testing.T) {
	if _, err := New(Config{Agent: "vim"}); err == nil {
		t.Error("vim can be asked")
	}
	p, err := New(Config{Agent: Codex, Command: filepath.Join(t.TempDir(), "codex")})
	if err != nil {
		t.Fatal(err)
	}
	if p.Check(t.Context()) == nil {
		t.Error("it is there")
	}
	if _, err := p.Complete(t.Context(), llm.Request{}); llm.ClassOf(err) != llm.Auth {
		t.Errorf("got %v", err)
	}
}
