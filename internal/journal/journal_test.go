package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func exit(n int) *int { return &n }

func sampleTurn() codememory.Turn {
	return codememory.Turn{
		Agent: "opencode", Session: "ses_1", ID: "msg_1", Dir: "/home/dev/app", Kind: codememory.PromptTurn, State: codememory.TurnDone,
		Prompt: "Please make the login retry three times.\n\n```go\nfunc login() {}\n```\nUse the existing backoff helper.",
		Steps: []codememory.Step{
			{Tool: &codememory.ToolCall{Name: "read", Target: "/home/dev/app/internal/auth/login.go"}},
			{Tool: &codememory.ToolCall{Name: "grep", Target: "backoff"}},
			{Tool: &codememory.ToolCall{Name: "write", Target: "/home/dev/app/internal/auth/retry.go", Changed: []codememory.FileChange{{Path: "/home/dev/app/internal/auth/retry.go", Change: codememory.FileCreated}}}},
			{Tool: &codememory.ToolCall{Name: "edit", Target: "/home/dev/app/internal/auth/retry.go", Changed: []codememory.FileChange{{Path: "/home/dev/app/internal/auth/retry.go", Change: codememory.FileModified}}}},
			{Tool: &codememory.ToolCall{Name: "edit", Target: "/home/dev/app/internal/auth/login.go", Changed: []codememory.FileChange{{Path: "/home/dev/app/internal/auth/login.go", Change: codememory.FileModified}}}},
			{Tool: &codememory.ToolCall{Name: "bash", Target: "go test ./...", Exit: exit(1), Output: "ok  a\n--- FAIL: TestLogin (0.00s)\nFAIL"}},
			{Tool: &codememory.ToolCall{Name: "bash", Target: "go test ./...", Exit: exit(0), Output: "ok"}},
			{Tool: &codememory.ToolCall{Name: "bash", Target: "golint ./...", Exit: exit(127), Output: "bash: golint: command not found"}},
			{Text: "Login now retries three times with the shared backoff. All tests pass.\n\n| a | b |\n|---|---|"},
		},
	}
}

func TestATurnReadsWell(t *testing.T) {
	want := []string{
		"User: Please make the login retry three times. Use the existing backoff helper.",
		"Created internal/auth/retry.go",
		"Edited internal/auth/login.go",
		"Ran `go test ./...` → ok (after 1 failed run)",
		"Ran `golint ./...` → exit 127: bash: golint: command not found",
		"Looked around: read internal/auth/login.go; searched for \"backoff\"",
		"Agent: Login now retries three times with the shared backoff. All tests pass.",
	}
	if diff := cmp.Diff(want, Bullets(sampleTurn())); diff != "" {
		t.Error(diff)
	}
}

func TestEveryTurnHasTwoToTenBullets(t *testing.T) {
	long := sampleTurn()
	for i := range 40 {
		long.Steps = append(long.Steps, codememory.Step{Tool: &codememory.ToolCall{Name: "bash", Target: strings.Repeat("x", i+1), Exit: exit(i % 2)}})
	}
	for name, turn := range map[string]codememory.Turn{
		"empty":      {Kind: codememory.PromptTurn},
		"aborted":    {Kind: codememory.PromptTurn, Prompt: "stop?", State: codememory.TurnAborted},
		"failed":     {Kind: codememory.PromptTurn, Prompt: "go", State: codememory.TurnFailed, Error: "rate limit"},
		"compaction": {Kind: codememory.CompactionTurn, Prompt: "auto", Steps: []codememory.Step{{Text: "## Objective\nShip it."}}},
		"shell":      {Kind: codememory.ShellTurn, Prompt: "ls -la"},
		"long":       long,
	} {
		b := Bullets(turn)
		if len(b) < 2 || len(b) > 10 {
			t.Errorf("%s: %d bullets: %q", name, len(b), b)
		}
		for _, line := range b {
			if strings.ContainsAny(line, "\n") || len(line) > 800 {
				t.Errorf("%s: bad bullet %q", name, line)
			}
		}
	}
}

func TestEntriesAreWrittenOnceInTheirSession(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, time.UTC)
	at := time.Date(2026, 3, 1, 14, 5, 0, 0, time.UTC)
	add := func(session, turn string, minutes int) bool {
		t.Helper()
		_, added, err := j.Add(Entry{Agent: "opencode", Session: session, Turn: turn, Hash: "h", Title: "Fix login", At: at.Add(time.Duration(minutes) * time.Minute), Bullets: []string{"User: " + turn, "done"}})
		if err != nil {
			t.Fatal(err)
		}
		return added
	}
	for i, x := range [][2]string{{"a", "t1"}, {"b", "t2"}, {"a", "t3"}, {"b", "t4"}, {"a", "t3"}} {
		if got := add(x[0], x[1], i); got != (i < 4) {
			t.Errorf("entry %d: added %v", i, got)
		}
	}
	want := `# 2026-03-01

## Session a (opencode) Fix login

### 14:05
<!-- session:a turn:t1 agent:opencode hash:h -->
- User: t1
- done

### 14:07
<!-- session:a turn:t3 agent:opencode hash:h -->
- User: t3
- done

## Session b (opencode) Fix login

### 14:06
<!-- session:b turn:t2 agent:opencode hash:h -->
- User: t2
- done

### 14:08
<!-- session:b turn:t4 agent:opencode hash:h -->
- User: t4
- done
`
	b, err := os.ReadFile(filepath.Join(dir, Folder, "2026-03-01.md"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Error(diff)
	}
	if gone, err := j.Remove("a", "t1", at); err != nil || !gone {
		t.Errorf("%v %v", gone, err)
	}
	b, err = os.ReadFile(filepath.Join(dir, Folder, "2026-03-01.md"))
	if err != nil || strings.Contains(string(b), "t1") || !strings.Contains(string(b), "t3") {
		t.Errorf("after taking t1 out:\n%s %v", b, err)
	}
	if days, err := j.Days(); err != nil || len(days) != 1 || days[0] != "2026-03-01" {
		t.Errorf("%v %v", days, err)
	}
	if _, err := j.Day("../../etc/passwd"); codememory.CodeOf(err) != codememory.Invalid {
		t.Errorf("got %v", err)
	}
}

func TestForeignIdsCannotBreakOutOfTheAnchor(t *testing.T) {
	j := Open(t.TempDir(), time.UTC)
	e := Entry{Agent: "x", Session: "s --> <script>", Turn: "t\n## Session other", At: time.Unix(0, 0), Bullets: []string{"one\n## Session forged", "two"}}
	file, _, err := j.Add(e)
	if err != nil {
		t.Fatal(err)
	}
	text, err := j.Day(strings.TrimSuffix(filepath.Base(file), ".md"))
	if err != nil || strings.Count(text, "\n## ") != 1 || strings.Contains(text, "<script>") {
		t.Errorf("%s %v", text, err)
	}
}
