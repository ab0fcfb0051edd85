package codememory_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module is the path under which our packages import each other.
const module = "codememory"

// adapters are what internal/service puts together.
const adapters = `. internal/redact internal/git internal/text internal/timerange internal/paths internal/atomicfile
	internal/config internal/project internal/index internal/search internal/embedding internal/embedding/minilm
	internal/render internal/memfile internal/sqlite internal/store internal/journal internal/history internal/capture internal/extract internal/session internal/tool
	internal/agent/jsonl internal/agent/told internal/lifecycle
	internal/llm internal/llm/ollama internal/llm/openai internal/llm/anthropic internal/llm/agentcli internal/llm/prompt internal/llm/roles internal/llm/task internal/ledger internal/distill`

// mayImport is the architecture: each package, and the ones of ours it may use
// outside of its tests.
var mayImport = map[string]string{
	// The nouns and interfaces, and the small leaves.
	".":                   "",
	"internal/redact":     ".",
	"internal/git":        ".",
	"internal/text":       ".",
	"internal/timerange":  ".",
	"internal/paths":      ".",
	"internal/atomicfile": ".",
	"internal/jsonc":      "",

	// The parts, which know the nouns and leaves but not each other.
	"internal/config":                      ". internal/paths internal/atomicfile internal/jsonc",
	"internal/project":                     ". internal/git internal/atomicfile",
	"internal/index":                       ". internal/text internal/index/dot",
	"internal/index/dot":                   "",
	"internal/search":                      ". internal/text internal/timerange internal/index/dot",
	"internal/embedding":                   ". internal/embedding/minilm",
	"internal/embedding/minilm":            ". internal/embedding/minilm/encoder",
	"internal/embedding/minilm/encoder":    "",
	"internal/render":                      ". internal/text",
	"internal/memfile":                     ". internal/atomicfile",
	"internal/sqlite":                      ". internal/memfile internal/text",
	"internal/store":                       ". internal/memfile internal/sqlite internal/index internal/text internal/atomicfile",
	"internal/storetest":                   ".",
	"internal/extract":                     ". internal/text",
	"internal/extract/extracteval":         ". internal/extract",
	"internal/hook":                        ". internal/render",
	"internal/mcpserver":                   ". internal/render",
	"internal/session":                     ". internal/atomicfile internal/text internal/timerange internal/git",
	"internal/agent/jsonl":                 ".",
	"internal/agent/claudecode":            ". internal/agent/jsonl",
	"internal/agent/codex":                 ". internal/agent/jsonl",
	"internal/agent/gemini":                ". internal/agent/jsonl",
	"internal/agent/copilot":               ". internal/agent/jsonl",
	"internal/agent/told":                  ". internal/agent/jsonl",
	"internal/journal":                     ". internal/atomicfile",
	"internal/history":                     ". internal/sqlite internal/journal internal/text",
	"internal/lifecycle":                   ". internal/text",
	"internal/capture":                     ". internal/history internal/journal internal/git",
	"internal/tool":                        ". internal/text internal/timerange internal/journal internal/history",
	"internal/agent":                       ". internal/agent/opencode internal/agent/claudecode internal/agent/codex internal/agent/gemini internal/agent/copilot internal/render",
	"internal/agent/opencode":              ". internal/agent/jsonl",
	"internal/agent/agenttest":             ".",
	"internal/agent/opencode/opencodetest": ".",
	"internal/install":                     ". internal/atomicfile internal/jsonc internal/paths internal/redact plugin/opencode",
	"plugin/opencode":                      "",

	// Language models: what is asked, who is asked, and what it cost.
	"internal/llm":           ".",
	"internal/llm/ollama":    ". internal/llm",
	"internal/llm/openai":    ". internal/llm",
	"internal/llm/anthropic": ". internal/llm",
	"internal/llm/agentcli":  ". internal/llm",
	"internal/llm/llmtest":   ".",
	"internal/llm/prompt":    ".",
	"internal/llm/salvage":   "",
	"internal/llm/roles":     ". internal/llm internal/llm/prompt internal/ledger",
	"internal/llm/task":      ". internal/llm internal/llm/prompt internal/llm/roles internal/llm/salvage",
	"internal/ledger":        ". internal/sqlite",
	"internal/distill":       ". internal/sqlite internal/journal internal/text internal/extract internal/llm internal/llm/task internal/llm/salvage",

	// What puts the parts together, and the doors to it.
	"internal/service":           adapters,
	"internal/httpapi":           ". internal/extract internal/httpapi/wire internal/httpapi/openapi",
	"internal/httpapi/wire":      ".",
	"internal/httpapi/openapi":   ". internal/httpapi/wire",
	"internal/webui":             "",
	"internal/client":            ". internal/paths internal/atomicfile internal/httpapi/wire internal/daemon/rendezvous",
	"internal/daemon":            adapters + " internal/service internal/httpapi internal/httpapi/wire internal/client internal/daemon/rendezvous internal/agent internal/mcpserver internal/webui",
	"internal/daemon/rendezvous": ". internal/paths internal/atomicfile",
	"internal/eval":              ". internal/text internal/index internal/search internal/embedding/minilm internal/store",
	"internal/cli": `. internal/client internal/daemon internal/service internal/config internal/paths internal/eval internal/extract/extracteval internal/render
		internal/llm/prompt internal/agent internal/session internal/install internal/hook internal/mcpserver internal/timerange internal/memfile internal/search internal/embedding internal/embedding/minilm internal/daemon/rendezvous internal/cli/records internal/cli/term`,
	"internal/cli/records": ". internal/memfile",
	"internal/cli/term":    ".",
	"cmd/codememory":       "internal/cli",

	// What only developers run.
	"tools/bench":     adapters + " internal/service internal/client internal/eval",
	"e2e":             adapters + " internal/client internal/install internal/daemon/rendezvous e2e/scriptedllm e2e/npmcache",
	"e2e/scriptedllm": "",
	"e2e/npmcache":    "",
	"tools/cast":      "",
	"tools/testsum":   "",
	"tools/packmodel": ". internal/embedding/minilm internal/embedding/minilm/encoder",
}

// folder is one package as its files outside of tests show it.
type folder struct {
	imports  map[string]string // import path → one file that has it
	comments []string          // files with a package comment
}

// folders parses the heads of all files of this module.
func folders(t *testing.T) map[string]*folder {
	t.Helper()
	found := map[string]*folder{}
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return skipFolder(file, d.Name())
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		head, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := path.Dir(filepath.ToSlash(file))
		if found[dir] == nil {
			found[dir] = &folder{imports: map[string]string{}}
		}
		for _, spec := range head.Imports {
			found[dir].imports[strings.Trim(spec.Path.Value, `"`)] = file
		}
		if head.Doc != nil {
			found[dir].comments = append(found[dir].comments, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// skipFolder leaves out what the go command leaves out: hidden folders, test
// data, and other modules.
func skipFolder(dir, name string) error {
	if dir == "." {
		return nil
	}
	if name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func TestImportsGoOneWay(t *testing.T) {
	for dir, f := range folders(t) {
		allowed, known := mayImport[dir]
		if !known {
			t.Errorf("%s: say in mayImport what this package may use", dir)
			continue
		}
		for _, imported := range slices.Sorted(maps.Keys(f.imports)) {
			ours, isOurs := "", imported == module || strings.HasPrefix(imported, module+"/")
			if isOurs {
				ours = path.Join(".", strings.TrimPrefix(strings.TrimPrefix(imported, module), "/"))
			}
			switch {
			case isOurs && !slices.Contains(strings.Fields(allowed), ours):
				t.Errorf("%s imports %s, which mayImport does not allow %s", f.imports[imported], imported, dir)
			case dir == "." && strings.Contains(strings.Split(imported, "/")[0], "."):
				t.Errorf("%s imports %s: the root package uses nothing but the standard library", f.imports[imported], imported)
			}
		}
	}
}

func TestMayImportHasNoCircle(t *testing.T) {
	const entered, left = 1, 2
	state := map[string]int{}
	var visit func(dir string, from []string)
	visit = func(dir string, from []string) {
		switch state[dir] {
		case entered:
			t.Errorf("a circle: %s", strings.Join(append(from, dir), " → "))
			return
		case left:
			return
		}
		state[dir] = entered
		for _, next := range strings.Fields(mayImport[dir]) {
			if _, known := mayImport[next]; !known {
				t.Errorf("%s may use %s, which mayImport does not know", dir, next)
			}
			visit(next, append(slices.Clone(from), dir))
		}
		state[dir] = left
	}
	for _, dir := range slices.Sorted(maps.Keys(mayImport)) {
		visit(dir, nil)
	}
}

func TestEveryPackageHasOneComment(t *testing.T) {
	for dir, f := range folders(t) {
		if len(f.comments) != 1 {
			t.Errorf("%s has %d package comments, want one: %s", dir, len(f.comments), strings.Join(f.comments, " "))
		}
	}
}
