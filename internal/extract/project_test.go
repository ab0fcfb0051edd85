package extract

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

func TestAProjectDescribesItself(t *testing.T) {
	for name, tt := range map[string]struct {
		files map[string]string
		want  map[codememory.Type]string
	}{
		"Go with make": {
			map[string]string{
				"README.md": "# shop\n\n[![build](x)](y)\n\nAn online store for rare books. It runs anywhere.\n\n## Install\n",
				"go.mod":    "module example.com/shop\n\ngo 1.26.0\n\nrequire (\n\tgithub.com/jackc/pgx/v5 v5.7.1\n\tgolang.org/x/sync v0.1.0 // indirect\n)\n",
				"Makefile":  "X := 1\nbuild: gen\n\tgo build\ntest:\n\tgo test\nrelease:\n",
			},
			map[codememory.Type]string{
				codememory.ProjectBrief: "shop: An online store for rare books. It runs anywhere.",
				codememory.TechContext:  "Made with Go 1.26.0 (module example.com/shop), using github.com/jackc/pgx/v5", codememory.ProjectConfig: "Commands: make build, make test",
			},
		},
		"TypeScript with pnpm": {
			map[string]string{
				"package.json":   `{"description":"The shop front.","scripts":{"test":"vitest","dev":"vite","zz":"x"},"dependencies":{"react":"1","zod":"2"},"devDependencies":{"typescript":"5"}}`,
				"pnpm-lock.yaml": "x",
			},
			map[codememory.Type]string{
				codememory.ProjectBrief: "The shop front.", codememory.TechContext: "Made with TypeScript on Node.js with pnpm, using react, zod",
				codememory.ProjectConfig: "Commands: pnpm run dev, pnpm run test",
			},
		},
		"nothing":           {map[string]string{}, map[codememory.Type]string{}},
		"a broken manifest": {map[string]string{"package.json": "{"}, map[codememory.Type]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "shop")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			for file, text := range tt.files {
				if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := map[codememory.Type]string{}
			for _, r := range Project(dir) {
				got[r.Type] = r.Text
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
