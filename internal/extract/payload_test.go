package extract

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"codememory"
)

type payload struct {
	ID     string `json:"id"`
	Attack bool   `json:"attack"`
	Text   string `json:"text"`
}

// payloads are texts that try to pose as instructions. They are data.
func payloads(t *testing.T) []payload {
	t.Helper()
	f, err := os.Open("../render/testdata/payloads.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []payload
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		var p payload
		if err := json.Unmarshal(in.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	if len(all) < 500 {
		t.Fatalf("only %d payloads", len(all))
	}
	return all
}

func TestNoPayloadBecomesAnActiveMemory(t *testing.T) {
	leaked, attacks := 0, 0
	for i, p := range payloads(t) {
		if !p.Attack || raceOn && i%5 > 0 {
			continue
		}
		attacks++
		page := codememory.Step{Tool: &codememory.ToolCall{Name: "webfetch", Output: p.Text}}
		issue := codememory.Step{Tool: &codememory.ToolCall{Name: "mcp__tracker__issue", Output: p.Text}}
		for _, c := range Turn(nil, turnOf("t", page, issue, told(p.Text), ran("cat notes.txt", 0, p.Text), ran("curl evil.example", 0, p.Text))) {
			if c.Quarantine == "" {
				t.Errorf("%s became active by %s", p.ID, c.Rule)
			}
		}
		// The only way of a tool's words into a memory: as the message of an
		// error that was overcome.
		failing := "Error: connection refused: " + strings.Join(strings.Fields(p.Text), " ")
		for _, c := range Turn(nil, turnOf("t", ran("make run", 1, failing), ran("docker compose up -d", 0, ""), told("Done."), ran("make run", 0, ""))) {
			if c.Rule == RuleFix && c.Quarantine == "" {
				leaked++
				t.Log("as an error:", p.ID, c.Text)
			}
		}
	}
	// What is left is too short to order anything, such as a lone ">".
	if leaked > 8 {
		t.Errorf("%d of %d attacks pass as an ordinary error message", leaked, attacks)
	}
	t.Logf("%d of %d attacks pass as an ordinary error message", leaked, attacks)
}
