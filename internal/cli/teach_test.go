package cli

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory/internal/cli/term"
)

// helpColumns is as wide as a help text may be.
const helpColumns = 90

// tree is the whole command tree, with no service behind it.
func tree() *cobra.Command {
	return newRoot(newProgram(strings.NewReader(""), &bytes.Buffer{}, &bytes.Buffer{}))
}

// oneExample are the commands that can be called in one way only.
var oneExample = []string{
	"codememory version", "codememory projects list", "codememory projects merge", "codememory projects rename", "codememory config path",
}

func TestEveryCommandTeaches(t *testing.T) {
	everyCommand(tree(), func(cmd *cobra.Command) {
		path := cmd.CommandPath()
		if cmd.Short == "" || cmd.Long == "" {
			t.Errorf("%s: its help is short %q, long %q", path, cmd.Short, cmd.Long)
		}
		if strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: the short help ends with a full stop", path)
		}
		least := 2
		if slices.Contains(oneExample, path) {
			least = 1
		}
		if n := len(examplesOf(cmd)); cmd.Runnable() && n < least {
			t.Errorf("%s has %d examples, want %d", path, n, least)
		}
		for line := range strings.Lines(cmd.UsageString() + cmd.Long) {
			if w := term.Width(strings.TrimRight(line, "\n")); w > helpColumns && !strings.HasPrefix(strings.TrimSpace(line), "-") {
				t.Errorf("%s: line of %d columns in its help: %s", path, w, line)
			}
		}
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" || strings.HasSuffix(f.Usage, ".") {
				t.Errorf("%s: the help of --%s is %q", path, f.Name, f.Usage)
			}
			// A flag is told on one line; what it takes more belongs into the long help.
			if w := term.Width(f.Usage); w > helpColumns {
				t.Errorf("%s: the help of --%s has %d columns", path, f.Name, w)
			}
		})
	})
}

// TestEveryExampleParses reads each example as the program would, up to the
// point where the work begins: command, flags and number of arguments.
func TestEveryExampleParses(t *testing.T) {
	seen := 0
	everyCommand(tree(), func(cmd *cobra.Command) {
		for _, example := range examplesOf(cmd) {
			seen++
			t.Run(example, func(t *testing.T) {
				args, err := shellWords(example)
				if err != nil {
					t.Fatal(err)
				}
				parse(t, args)
			})
		}
	})
	if seen < 100 {
		t.Errorf("only %d examples were found", seen)
	}
}

func parse(t *testing.T, args []string) {
	t.Helper()
	found, rest, err := tree().Find(args)
	if err != nil {
		t.Fatal(err)
	}
	if !found.Runnable() {
		t.Fatalf("%s cannot be run", found.CommandPath())
	}
	if found.DisableFlagParsing {
		return
	}
	if err := found.ParseFlags(rest); err != nil {
		t.Fatal(err)
	}
	if err := found.ValidateArgs(found.Flags().Args()); err != nil {
		t.Fatal(err)
	}
	found.Flags().Visit(func(f *pflag.Flag) {
		complete, ok := found.GetFlagCompletionFunc(f.Name)
		if !ok || !slices.Contains([]string{"type", "category", "state", "scope", "format", "part", "kind"}, f.Name) {
			return
		}
		offered, _ := complete(found, nil, "")
		for value := range strings.SplitSeq(strings.Trim(f.Value.String(), "[]"), ",") {
			if !slices.Contains(offered, value) {
				t.Errorf("--%s %s is not among %v", f.Name, value, offered)
			}
		}
	})
}

// examplesOf returns the calls of this program in the examples of a command,
// without the remarks that stand to their right.
func examplesOf(cmd *cobra.Command) []string {
	var calls []string
	for line := range strings.Lines(cmd.Example) {
		at := strings.LastIndex(line, "codememory ")
		if at < 0 {
			continue
		}
		call, _, _ := strings.Cut(strings.TrimSpace(line[at+len("codememory "):]), "     ")
		calls = append(calls, strings.TrimSpace(call))
	}
	return calls
}
