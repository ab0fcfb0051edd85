package cli

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
)

// The groups of the command list, in the order of help.
const (
	groupRecall  = "recall"
	groupChange  = "change"
	groupProject = "project"
	groupCare    = "care"
	groupSetup   = "setup"
)

const rootLong = `CodeMemory is the memory of AI coding agents: it keeps what will matter again
and puts it in front of the model at the right moment. It works on this machine,
offline, and what it knows is plain text that you can read and change.`

const rootExample = `  codememory remember "integration tests need docker compose up db first"
  codememory search how do I run the tests
  codememory list --type preference
  codememory context --goal "fix the login test"     what a model would see
  codememory status                                  is it working?`

// rootMore ends what is printed when no command was given.
const rootMore = `"codememory help" lists all commands, "codememory COMMAND --help" explains one.`

func newRoot(p *program) *cobra.Command {
	root := &cobra.Command{
		Use:     "codememory",
		Short:   "The memory of AI coding agents",
		Long:    rootLong,
		Example: rootExample,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(*cobra.Command, []string) error {
			p.printf("%s\n\n%s\n\n%s\n", rootLong, rootExample, rootMore)
			return nil
		},
		SilenceErrors:              true,
		SilenceUsage:               true,
		SuggestionsMinimumDistance: 2,
	}
	root.AddGroup(
		&cobra.Group{ID: groupRecall, Title: "Remember and recall:"},
		&cobra.Group{ID: groupChange, Title: "Change what is remembered:"},
		&cobra.Group{ID: groupProject, Title: "Projects and files:"},
		&cobra.Group{ID: groupCare, Title: "Look after it:"},
		&cobra.Group{ID: groupSetup, Title: "Set up:"},
	)
	p.addFlags(root.PersistentFlags())
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommandGroupID(groupSetup)
	root.SetCompletionCommandGroupID(groupSetup)
	addGroup(root, groupRecall, newRememberCommand(p), newSearchCommand(p), newListCommand(p), newShowCommand(p),
		newHistoryCommand(p), newEntitiesCommand(p), newContextCommand(p), newWhyCommand(p), newJournalCommand(p), newSessionsCommand(p), newHandoffCommand(p), newTranscriptCommand(p), newExpandCommand(p))
	addGroup(root, groupChange, newEditCommand(p), newPinCommand(p), newUnpinCommand(p), newArchiveCommand(p), newUnarchiveCommand(p),
		newForgetCommand(p), newUndoCommand(p), newPurgeCommand(p), newPromoteCommand(p), newReviewCommand(p))
	addGroup(root, groupProject, newInitCommand(p), newProjectsCommand(p), newExportCommand(p), newImportCommand(p),
		newBackupCommand(p), newRestoreCommand(p), newBackfillCommand(p), newExtractCommand(p), newCheckpointCommand(p))
	addGroup(root, groupCare, newStatusCommand(p), newDoctorCommand(p), newStatsCommand(p), newCostsCommand(p), newDashboardCommand(p), newVerifyCommand(p), newRebuildCommand(p), newConsolidateCommand(p),
		newEvalCommand(p))
	addGroup(root, groupSetup, newInstallCommand(p), newUninstallCommand(p), newMCPCommand(p), newHookCommand(p), newConfigCommand(p), newDaemonCommand(p), newStopCommand(p), newVersionCommand(p), newReferenceCommand(p))
	root.AddCommand(helpTopics()...)
	teachCompletion(root)
	strictHelp(root)
	p.addCompletions(root)
	return root
}

func addGroup(root *cobra.Command, group string, commands ...*cobra.Command) {
	for _, c := range commands {
		c.GroupID = group
		root.AddCommand(c)
	}
}

func (g *globals) addFlags(f *pflag.FlagSet) {
	f.BoolVar(&g.JSON, "json", false, "print JSON (see \"codememory help json\")")
	f.StringVarP(&g.Project, "project", "C", "", "project to work with: a folder, name or id (default: the current folder)")
	f.BoolVar(&g.NoDaemon, "no-daemon", false, "open the stores in this process instead of asking the daemon")
	f.BoolVarP(&g.Quiet, "quiet", "q", false, "print only what was asked for")
	f.BoolVar(&g.NoColour, "no-color", false, "print without colour (as does NO_COLOR)")
}

func newVersionCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Long:    "Print the version of this program, of the Go that built it, and the platform.",
		Example: "  codememory version --json",
		Args:    wants(0, 0, "nothing"),
		RunE:    func(*cobra.Command, []string) error { return runVersion(p) },
	}
}

// unknownCommand says what was probably meant.
func unknownCommand(cmd *cobra.Command, name string) error {
	const all = `"codememory help" lists all commands`
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return usagef("unknown command %q: did you mean %q? %s", name, near[0], all)
	}
	return usagef("unknown command %q: %s", name, all)
}

// flagError names the help of the command whose flags were wrong. An unknown
// command's flags are reported as the unknown command.
func flagError(cmd *cobra.Command, err error) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 {
		return unknownCommand(cmd, args[0])
	}
	if wrong, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		kinds := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false"}
		if kind := kinds[wrong.GetFlag().Value.Type()]; kind != "" {
			return usagef("--%s %q is not %s: see \"%s --help\"", wrong.GetFlag().Name, wrong.GetValue(), kind, cmd.CommandPath())
		}
	}
	return usagef("%w: see \"%s --help\"", err, cmd.CommandPath())
}

// anyNumber is the upper bound of wants for commands that take a list.
const anyNumber = -1

// wants checks the number of arguments and says which ones are missing.
func wants(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s is missing: codememory %s", what, useLine(cmd))
		case most != anyNumber && len(args) > most && most == 0:
			return usagef("%q is too much: %s takes no arguments; see \"%s --help\"", args[0], cmd.Name(), cmd.CommandPath())
		case most != anyNumber && len(args) > most:
			return usagef("%q is too much: codememory %s", args[most], useLine(cmd))
		}
		return nil
	}
}

func useLine(cmd *cobra.Command) string {
	return strings.TrimPrefix(cmd.UseLine(), "codememory ")
}

// group is a command that only holds others.
func groupCommand(use, short, long, example string, children ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short, Long: long, Example: example, Args: subcommandArgs}
	cmd.SuggestionsMinimumDistance = 2
	cmd.AddCommand(children...)
	return cmd
}

// subcommandArgs says what was probably meant when none of a group's commands was.
func subcommandArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		return usagef("unknown command %q: did you mean \"%s %s\"?", args[0], cmd.CommandPath(), near[0])
	}
	return usagef("unknown command %q: see \"%s --help\"", args[0], cmd.CommandPath())
}

// strictHelp makes help fail on what it does not know, as a command does.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() != "help" {
			continue
		}
		show := cmd.Run
		cmd.Run = nil
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			found, rest, err := root.Find(args)
			if err != nil || found == root && len(rest) > 0 {
				return unknownCommand(root, args[0])
			}
			show(cmd, args)
			return nil
		}
	}
}

// choices offers fixed values to shell completion.
func choices[T ~string](cmd *cobra.Command, flag string, values []T) {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	// The only error is a flag that does not exist or is registered twice.
	if err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(codememory.Errorf(codememory.Internal, "completion of --%s: %w", flag, err))
	}
}
