package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory/internal/config"
)

// The reference of the command line is written by the program itself, so that
// the manual page, the documents and --help never disagree.

func newReferenceCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "reference FORMAT",
		Short: "Print the reference of all commands or settings",
		Long: `Print the reference of the command line as a manual page (man) or as markdown
(markdown), or that of all settings (settings).`,
		Example: `  codememory reference man > ~/.local/share/man/man1/codememory.1
  codememory reference settings`,
		Args:      wants(1, 1, "FORMAT"),
		ValidArgs: []string{"man", "markdown", "settings"},
		RunE: func(cmd *cobra.Command, args []string) error {
			switch args[0] {
			case "man":
				p.printf("%s", manPage(cmd.Root()))
			case "markdown":
				p.printf("%s", markdownReference(cmd.Root()))
			case "settings":
				p.printf("%s", settingsReference())
			default:
				return usagef("unknown format %q: use man, markdown or settings", args[0])
			}
			return nil
		},
	}
}

// documented calls fn for each command that people use, in the order of help.
func documented(root *cobra.Command, fn func(*cobra.Command)) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if (c.Runnable() || c.HasSubCommands()) && c.HasParent() {
			fn(c)
		}
		for _, child := range c.Commands() {
			if !child.Hidden && child.Name() != "help" && c.Name() != "completion" {
				visit(child)
			}
		}
	}
	for _, g := range root.Groups() {
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && !c.Hidden && c.Name() != "help" {
				visit(c)
			}
		}
	}
}

func topics(root *cobra.Command) []*cobra.Command {
	var list []*cobra.Command
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			list = append(list, c)
		}
	}
	return list
}

func markdownReference(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Commands\n\n<!-- made by codememory reference markdown; make docs renews it -->\n\n%s\n\nFlags of every command:\n\n%s", root.Long, markdownFlags(root.PersistentFlags()))
	group := ""
	titles := map[string]string{}
	for _, g := range root.Groups() {
		titles[g.ID] = strings.TrimSuffix(g.Title, ":")
	}
	documented(root, func(c *cobra.Command) {
		if c.Parent() == root && c.GroupID != group {
			group = c.GroupID
			fmt.Fprintf(&b, "\n## %s\n", titles[group])
		}
		fmt.Fprintf(&b, "\n### %s\n\n%s\n\n", c.CommandPath(), sentence(c.Short))
		if c.Long != "" {
			fmt.Fprintf(&b, "%s\n\n", c.Long)
		}
		fmt.Fprintf(&b, "```\n%s\n```\n", c.UseLine())
		if c.Example != "" {
			fmt.Fprintf(&b, "\n```sh\n%s\n```\n", dedent(c.Example))
		}
		if flags := markdownFlags(c.LocalNonPersistentFlags()); flags != "" {
			fmt.Fprintf(&b, "\n%s", flags)
		}
	})
	for _, t := range topics(root) {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", t.Short, t.Long)
	}
	return b.String()
}

func markdownFlags(flags *pflag.FlagSet) string {
	var b strings.Builder
	eachFlag(flags, func(names, usage string) {
		fmt.Fprintf(&b, "- `%s` — %s\n", names, usage)
	})
	return b.String()
}

// eachFlag calls fn with the names of a flag, its kind of value included, and
// what it does.
func eachFlag(flags *pflag.FlagSet, fn func(names, usage string)) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		names := "--" + f.Name
		if f.Shorthand != "" {
			names = "-" + f.Shorthand + ", " + names
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			names += " " + kind
		}
		fn(names, usage)
	})
}

func settingsReference() string {
	var b strings.Builder
	b.WriteString("# Settings\n\n<!-- made by codememory reference settings; make docs renews it -->\n\n")
	b.WriteString("`codememory config` shows what holds and where it was said; `codememory config set KEY VALUE` changes it. In the environment a key is in upper case, with underscores for dots: `http.port` is `CODEMEMORY_HTTP_PORT`.\n\n")
	b.WriteString("| key | default | what it does | may a project set it? |\n|---|---|---|---|\n")
	for _, k := range config.Keys() {
		standard := k.Default
		if standard == "" {
			standard = "(empty)"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s | %s |\n", k.Name, standard, strings.ReplaceAll(k.Doc, "|", `\|`), openness(k.Project))
	}
	return b.String()
}

func openness(project string) string {
	switch project {
	case "any":
		return "yes"
	case "add":
		return "it can add"
	case "true", "false":
		return "only to " + project
	}
	return "no"
}

// sentence ends a short help as prose ends.
func sentence(short string) string {
	if strings.HasSuffix(short, "?") {
		return short
	}
	return short + "."
}

func dedent(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimPrefix(l, "  ")
	}
	return strings.Join(lines, "\n")
}
