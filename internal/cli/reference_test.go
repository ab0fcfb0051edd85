package cli

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
)

func TestTheReferenceIsUpToDate(t *testing.T) {
	for format, file := range map[string]string{"man": "codememory.1", "markdown": "commands.md", "settings": "settings.md"} {
		got := run(t, nil, "", nil, "reference", format)
		if got.code != exitOK {
			t.Fatalf("%+v", got)
		}
		path := filepath.Join("..", "..", "docs", file)
		if *update {
			if err := os.WriteFile(path, []byte(got.out), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), "\r\n", "\n"), got.out); diff != "" {
			t.Errorf("%s is out of date, make docs renews it (-file +program):\n%s", path, diff)
		}
	}
}

func TestTheReferenceNamesEveryCommand(t *testing.T) {
	root := newRoot(newProgram(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}))
	text := markdownReference(root)
	everyCommand(root, func(c *cobra.Command) {
		if c.Runnable() && c.HasParent() && !c.Hidden && !strings.Contains(text, "\n### "+c.CommandPath()+"\n") {
			t.Errorf("%s is missing", c.CommandPath())
		}
	})
}

func TestTheManualPageIsValid(t *testing.T) {
	mandoc, err := exec.LookPath("groff")
	if err != nil {
		t.Skip("groff is not installed")
	}
	root := newRoot(newProgram(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}))
	cmd := exec.Command(mandoc, "-man", "-Tutf8", "-ww", "-z")
	cmd.Stdin = strings.NewReader(manPage(root))
	if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v: %s", err, out)
	}
}
