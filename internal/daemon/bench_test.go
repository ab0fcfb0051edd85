package daemon

import (
	"testing"

	"codememory/internal/client"
)

// BenchmarkFind is what every command and hook pays before its first question:
// two small files, one connection, one proof.
func BenchmarkFind(b *testing.B) {
	_, l, _ := run(b, "")
	for b.Loop() {
		c, err := client.Find(b.Context(), l)
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
}

// BenchmarkHealth is the cost of the door itself.
func BenchmarkHealth(b *testing.B) {
	c, _, _ := run(b, "")
	for b.Loop() {
		if _, err := c.Health(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
