package session

import (
	"testing"

	"codememory"
)

func ran(command string, exit int, failure string) codememory.Step {
	return codememory.Step{Tool: &codememory.ToolCall{Name: "bash", Target: command, Exit: &exit, Error: failure}}
}

func TestCommandsThatFailedToTheEndAreInTheRecord(t *testing.T) {
	var r Record
	worked := turn(0, "Make the tests pass", "They do, the linter does not.")
	worked.Steps = append([]codememory.Step{
		ran("go test ./...", 1, "exit code 1"), ran("golangci-lint run", 2, ""), ran("echo `date`; exit 3", 3, "Exit code 3\nboom"), ran("go test ./...", 0, ""),
		{Tool: &codememory.ToolCall{Name: "edit", Target: "main.go", Error: "no such text"}},
	}, worked.Steps...)
	r.Observe(worked, ObserveOptions{})
	got, err := Parse(Render(r))
	if err != nil {
		t.Fatal(err)
	}
	if want := "`golangci-lint run` (exit code 2); ``echo `date`; exit 3`` (Exit code 3)"; got.Turns[0].Failed != want {
		t.Errorf("failed is %q, want %q", got.Turns[0].Failed, want)
	}
	if got.Turns[0].Done != "They do, the linter does not." || got.Turns[0].Open != "" {
		t.Errorf("the note is %+v", got.Turns[0])
	}
}
