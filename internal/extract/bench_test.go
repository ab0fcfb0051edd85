package extract

import (
	"fmt"
	"testing"

	"codememory"
)

// BenchmarkTurn extracts from turns like those of a working day: a request,
// some talk, a dozen tool calls, now and then a rule.
func BenchmarkTurn(b *testing.B) {
	var turns []codememory.Turn
	prompts := []string{
		"fix the login test, it fails since yesterday",
		"The product list endpoint is slow. GET /products with category filter is taking 2.3 seconds. There are about 50k products in the table.",
		"always run the linter before you commit. And from now on use spaces.",
		"looks good, go on with the importer and add a test for the empty file",
		"We went with NATS instead of Kafka because we only need one broker.",
	}
	for i := range 40 {
		t := turnOf(fmt.Sprint(i))
		t.Prompt = prompts[i%len(prompts)]
		for j := range 6 {
			t.Steps = append(t.Steps, told("I will look at the handler first. The failure was caused by a missing index."), edited(fmt.Sprintf("/work/shop/file%d.go", j)))
			t.Steps = append(t.Steps, ran("go test ./... 2>&1", (i+j)%2, "--- FAIL: TestLogin (0.00s)\n    login_test.go:12: got 1, want 2\ndial tcp 127.0.0.1:5432: connect: connection refused\nFAIL"))
		}
		turns = append(turns, t)
	}
	b.ResetTimer()
	for i := range b.N {
		n := i % len(turns)
		Turn(turns[max(0, n-Look):n], turns[n])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "turns/s")
}

// BenchmarkSaid reads a long message of prose, which is the slowest kind.
func BenchmarkSaid(b *testing.B) {
	text := ""
	for range 20 {
		text += "We should talk about how the team wants to handle the release next month. I want you to look at the dashboard and tell me what you think about the charts. "
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Said(text)
	}
}
