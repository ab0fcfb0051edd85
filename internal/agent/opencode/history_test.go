package opencode_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/agent/opencode"
)

func TestHistoryOfASmallDatabase(t *testing.T) {
	r := reader(t, opencode.Options{Path: unpack(t, "small.db")})
	summary, err := r.Summary(t.Context())
	if diff := cmp.Diff(opencode.Summary{Projects: 2, MainSessions: 2, Sessions: 3, Messages: 10, Todos: 1}, summary); diff != "" || err != nil {
		t.Error(diff, err)
	}
	todos, err := r.Todos(t.Context(), "ses_main")
	if diff := cmp.Diff([]opencode.Todo{{Content: "write test", Status: "pending", Priority: "high"}}, todos); diff != "" || err != nil {
		t.Error(diff, err)
	}
	compactions, err := r.Compactions(t.Context(), "ses_main")
	if err != nil || len(compactions) != 1 || !compactions[0].Auto || compactions[0].Overflow || compactions[0].Summary != "## Goal\nRotate tokens\n## Notes\nnone" || compactions[0].At.UnixMilli() != 1700000000400 {
		t.Errorf("compactions %+v, %v", compactions, err)
	}
	messages, err := r.Messages(t.Context(), "ses_main", 0, "")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range messages {
		got = append(got, m.Role+": "+m.Text+strings.Join(m.Tools, "|"))
	}
	want := []string{
		"user: Rotate the refresh token safely, 100% of cases", "assistant: Checking the codebash: go test ./...", "assistant: Done: rotation added in auth.go",
		"user: ", "assistant: ## Goal\nRotate tokens\n## Notes\nnone", "user: Thanks", "assistant: You're welcome",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if last, err := r.Messages(t.Context(), "ses_main", 2, "assistant"); err != nil || len(last) != 2 || last[1].Text != "You're welcome" || last[0].ID != "msg_a3" {
		t.Errorf("last messages %+v, %v", last, err)
	}
	one, err := r.Message(t.Context(), "msg_a2")
	if err != nil || one.Text != "Done: rotation added in auth.go" || one.Session != "ses_main" || one.At.UnixMilli() != 1700000000300 {
		t.Errorf("message %+v, %v", one, err)
	}
	usage, err := r.Usage(t.Context(), "ses_main")
	if err != nil || usage.Tokens.Total != 150105 || usage.Model != "claude-x" || usage.Provider != "anthropic" || usage.Message != "msg_a1" {
		t.Errorf("usage %+v, %v", usage, err)
	}
}

func TestHistoryOfRealSessions(t *testing.T) {
	r := realReader(t)
	summary, err := r.Summary(t.Context())
	if diff := cmp.Diff(opencode.Summary{Projects: 2, MainSessions: 14, Sessions: 15, Messages: 72, Todos: 2}, summary); diff != "" || err != nil {
		t.Error(diff, err)
	}
	todos, err := r.Todos(t.Context(), sesEdits)
	if err != nil || len(todos) != 2 || todos[0].Content != "edit greet" || todos[1].Status != "in_progress" {
		t.Errorf("todos %+v, %v", todos, err)
	}
	compactions, err := r.Compactions(t.Context(), sesOverflow)
	if err != nil || len(compactions) != 1 || !compactions[0].Overflow || !compactions[0].Auto {
		t.Errorf("compactions %+v, %v", compactions, err)
	}
	usage, err := r.Usage(t.Context(), sesEdits)
	if err != nil || usage.Tokens.Total != 8755 || usage.Model != "m" || usage.Provider != "scripted" {
		t.Errorf("usage %+v, %v", usage, err)
	}
	messages, err := r.Messages(t.Context(), sesErrors, 0, "assistant")
	if err != nil || len(messages) != 6 {
		t.Fatalf("%d messages, %v", len(messages), err)
	}
	var lines []string
	for _, m := range messages[:2] {
		lines = append(lines, m.Tools...)
	}
	want := []string{"read: /home/dev/work/app/missing.txt (failed: File not found: /home/dev/work/app/missing.txt)", "bash: echo oops >&2; exit 3 (exit 3)"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
}

func TestHistoryNamesWhatIsNotThere(t *testing.T) {
	r := realReader(t)
	for name, ask := range map[string]func() error{
		"messages":    func() error { _, err := r.Messages(t.Context(), "ses_no", 0, ""); return err },
		"message":     func() error { _, err := r.Message(t.Context(), "msg_no"); return err },
		"todos":       func() error { _, err := r.Todos(t.Context(), "ses_no"); return err },
		"compactions": func() error { _, err := r.Compactions(t.Context(), "ses_no"); return err },
		"usage":       func() error { _, err := r.Usage(t.Context(), sesLLMError); return err },
	} {
		if err := ask(); codememory.CodeOf(err) != codememory.NotFound {
			t.Errorf("%s: %v", name, err)
		}
	}
}
