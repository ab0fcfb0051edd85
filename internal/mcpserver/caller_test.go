package mcpserver_test

import (
	"runtime"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"codememory/internal/mcpserver"
)

func TestWhoIsCalling(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folders below are those of Unix")
	}
	type who struct{ project, session, agent string }
	codex := map[string]any{"session_id": "cx", "workspaces": map[string]any{"/other": map[string]any{}, "/work/shop": map[string]any{}}}
	for name, tt := range map[string]struct {
		client string
		env    map[string]string
		dir    string
		meta   mcp.Meta
		roots  []string
		args   map[string]any
		want   who
	}{
		"_meta of ours comes first": {
			client: "claude-code", meta: mcp.Meta{"codememory/project": "/m", "codememory/session": "ms"}, dir: "/d",
			env: map[string]string{"CLAUDE_PROJECT_DIR": "/e", "CLAUDE_CODE_SESSION_ID": "es"}, want: who{"/m", "ms", "claude-code"},
		},
		"Codex describes its turn, of which the nearest workspace counts": {
			client: "codex-mcp-client", meta: mcp.Meta{"x-codex-turn-metadata": codex, "threadId": "no"}, dir: "/work/shop/cmd", want: who{"/work/shop", "cx", "codex"},
		},
		"a thread is a session": {client: "codex-mcp-client", meta: mcp.Meta{"threadId": "th"}, dir: "/work/shop", want: who{"/work/shop", "th", "codex"}},
		"the variables of Claude Code": {
			client: "claude-code", env: map[string]string{"CLAUDE_PROJECT_DIR": "/e", "CLAUDE_CODE_SESSION_ID": "es"}, roots: []string{"file:///r"}, dir: "/d", want: who{"/e", "es", "claude-code"},
		},
		"variables of an agent that started this one are not its own": {
			client: "gemini-cli-mcp-client", env: map[string]string{"CLAUDE_CODE_SESSION_ID": "outer", "CLAUDE_PROJECT_DIR": "/outer", "GEMINI_SESSION_ID": "gs", "GEMINI_PROJECT_DIR": "/g"},
			want: who{"/g", "gs", "gemini"},
		},
		"another agent's session is nobody's": {client: "opencode", env: map[string]string{"CLAUDE_CODE_SESSION_ID": "outer"}, dir: "/d", want: who{"/d", "", "opencode"}},
		"Copilot":                             {client: "github-copilot-developer", env: map[string]string{"COPILOT_AGENT_SESSION_ID": "cs", "CLAUDE_PROJECT_DIR": "/e"}, want: who{"/e", "cs", "copilot"}},
		"the user's own variable":             {client: "x", env: map[string]string{"CODEMEMORY_PROJECT": "shop", "CLAUDE_PROJECT_DIR": "/e"}, want: who{"shop", "", "x"}},
		"a folder that is not absolute":       {client: "x", env: map[string]string{"CLAUDE_PROJECT_DIR": "."}, dir: "/d", want: who{"/d", "", "x"}},
		"roots come before arguments":         {client: "cursor-vscode", roots: []string{"https://no", "file:///work/my%20shop"}, args: map[string]any{"project": "/guess"}, dir: "/d", want: who{"/work/my shop", "", "cursor"}},
		"an argument":                         {client: "x", args: map[string]any{"project": "/guess"}, dir: "/d", want: who{"/guess", "", "x"}},
		"the folder of the process":           {client: "Some Agent/2", dir: "/d", want: who{"/d", "", "some-agent-2"}},
		"nothing":                             {client: "x", want: who{"", "", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := &recorder{}
			o := mcpserver.Options{Service: r, Agents: r, Dir: tt.dir, Env: func(name string) string { return tt.env[name] }}
			c := newClient(tt.client)
			for _, uri := range tt.roots {
				c.AddRoots(&mcp.Root{URI: uri}) //nolint:staticcheck // older clients have them
			}
			cs := client(t, o, c, &mcp.ClientSessionOptions{ProtocolVersion: "2025-06-18"})
			askWith(t, cs, &mcp.CallToolParams{Meta: tt.meta, Name: "memory", Arguments: tt.args})
			if got := (who{r.last.Project, r.last.Session, r.last.Agent}); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			if _, ok := r.last.Args["project"]; ok {
				t.Error("the project is among the arguments of the tool too")
			}
		})
	}
}
