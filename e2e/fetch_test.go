//go:build e2e

package e2e

import (
	"runtime"
	"testing"

	"codememory/e2e/npmcache"
)

// TestFetch gets every agent and tool that the tests run. `make test` starts it
// first, beside all that needs none of them: they are large.
func TestFetch(t *testing.T) {
	t.Run("packages", func(t *testing.T) {
		openCode := "opencode-" + runtime.GOOS + "-" + npmcache.Arch()
		for _, p := range [][2]string{
			{openCode, openCodeVersions[0]}, {openCode, openCodeVersions[1]},
			{"@anthropic-ai/claude-code", claudeVersion}, {"@openai/codex", codexVersion},
			{"@google/gemini-cli", geminiVersion}, {"@github/copilot", copilotVersion},
			{"@modelcontextprotocol/inspector", inspectorVersion},
			{"@modelcontextprotocol/conformance", conformanceVersion}, {"@modelcontextprotocol/conformance", nextConformanceVersion},
		} {
			t.Run(p[0]+" "+p[1], func(t *testing.T) {
				t.Parallel()
				npmcache.Modules(t, p[0], p[1])
			})
		}
		t.Run("node", func(t *testing.T) {
			t.Parallel()
			npmcache.Node(t)
		})
	})
}
