package cli

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// everyCommand calls fn for each command but the help command and the shells of
// completion, which cobra makes.
func everyCommand(cmd *cobra.Command, fn func(*cobra.Command)) {
	fn(cmd)
	for _, child := range cmd.Commands() {
		if child.Name() != "help" && child.Parent().Name() != "completion" {
			everyCommand(child, fn)
		}
	}
}

func TestHelpTexts(t *testing.T) {
	root := newRoot(newProgram(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}))
	everyCommand(root, func(cmd *cobra.Command) {
		t.Run(cmd.CommandPath(), func(t *testing.T) {
			args := append(strings.Fields(cmd.CommandPath())[1:], "--help")
			got := run(t, nil, "", nil, args...)
			if got.code != exitOK || got.err != "" {
				t.Fatalf("%+v", got)
			}
			golden := filepath.Join("testdata", "help", strings.ReplaceAll(cmd.CommandPath(), " ", "-")+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got.out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got.out); diff != "" {
				t.Errorf("-want +got (refresh with -update):\n%s", diff)
			}
		})
	})
}
