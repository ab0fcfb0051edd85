package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/term"
)

// completionTime is how long a person waits for the answer to a tab.
const completionTime = 2 * time.Second

// mostCompletions is more than a shell shows at once.
const mostCompletions = 200

const completionLong = `Print a script that lets your shell complete commands, flags, and what is really
there: ids of memories, sessions, projects, agents, types and settings.

  bash  codememory completion bash > ~/.local/share/bash-completion/completions/codememory
  zsh   codememory completion zsh > "${fpath[1]}/_codememory"
  fish  codememory completion fish > ~/.config/fish/completions/codememory.fish
  pwsh  codememory completion powershell | Out-String | Invoke-Expression

A new shell has it. bash needs the package bash-completion; zsh needs "autoload -U
compinit; compinit" in ~/.zshrc. Completion asks a running daemon and starts none.`

// candidates lists what may stand at a place, each with a few words about it
// behind a tab.
type candidates func(ctx context.Context, p *program) ([]string, error)

// addCompletions gives every command the completion of what its usage line
// says that it takes, and every flag that of its name.
func (p *program) addCompletions(root *cobra.Command) {
	arguments := map[string]candidates{
		"SESSION": sessionCandidates, "PROJECT": projectCandidates, "FROM": projectCandidates, "INTO": projectCandidates,
		"AGENT": agentCandidates, "DAY": dayCandidates,
	}
	flags := map[string]candidates{
		"agent": agentCandidates, "to": agentCandidates, "entity": entityCandidates, "project": projectCandidates, "session": sessionCandidates, "supersedes": idCandidates(codememory.Active),
	}
	visit := func(*cobra.Command) {}
	visit = func(cmd *cobra.Command) {
		p.completeArguments(cmd, arguments)
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if _, done := cmd.GetFlagCompletionFunc(f.Name); flags[f.Name] != nil && !done && f.Value.Type() != "bool" {
				p.completeFlag(cmd, f.Name, flags[f.Name])
			}
		})
		for _, child := range cmd.Commands() {
			visit(child)
		}
	}
	visit(root)
}

// completeArguments completes the arguments named in the usage line.
func (p *program) completeArguments(cmd *cobra.Command, known map[string]candidates) {
	names := strings.Fields(cmd.Use)[1:]
	if len(names) == 0 || cmd.ValidArgsFunction != nil || len(cmd.ValidArgs) > 0 {
		return
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		at := min(len(args), len(names)-1)
		name := strings.Trim(names[at], "[]")
		if len(args) > at && !strings.HasSuffix(name, "…") {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		find := known[strings.TrimSuffix(name, "…")]
		switch strings.TrimSuffix(name, "…") {
		case "ID":
			find = idCandidates(statesFor(cmd)...)
		case "FILE":
			return nil, cobra.ShellCompDirectiveDefault
		}
		return p.complete(cmd.Context(), find, args, typed)
	}
}

func (p *program) completeFlag(cmd *cobra.Command, flag string, find candidates) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		found, directive := p.complete(cmd.Context(), find, nil, typed)
		if flag == "project" {
			directive = cobra.ShellCompDirectiveDefault // a folder is a project, too
		}
		return found, directive
	})
	if err != nil { // it is registered twice
		panic(codememory.Errorf(codememory.Internal, "completion of --%s: %w", flag, err))
	}
}

// complete returns the candidates that begin with what was typed and were not
// given before. A shell has no place for an error.
func (p *program) complete(ctx context.Context, find candidates, given []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if find == nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx, cancel := context.WithTimeout(ctx, completionTime)
	defer cancel()
	all, err := find(ctx, p)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var fitting []cobra.Completion
	for _, c := range all {
		word, _, _ := strings.Cut(c, "\t")
		if strings.HasPrefix(word, typed) && !slices.Contains(given, word) && len(fitting) < mostCompletions {
			fitting = append(fitting, c)
		}
	}
	return fitting, cobra.ShellCompDirectiveNoFileComp
}

// candidate joins a word and what there is to say about it.
func candidate(word, about string) string {
	return term.OneLine(word) + "\t" + term.Truncate(term.OneLine(about), 60)
}

// teachCompletion explains how each shell gets its completion.
func teachCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Args, cmd.SuggestionsMinimumDistance = subcommandArgs, 1
			cmd.RunE = func(cmd *cobra.Command, _ []string) error {
				return usagef("SHELL is missing: codememory completion bash, zsh, fish or powershell; \"codememory completion --help\" says how to install it")
			}
			cmd.Short, cmd.Long = "Let your shell complete commands, ids and names", completionLong
			cmd.Example = "  codememory completion fish > ~/.config/fish/completions/codememory.fish\n  source <(codememory completion bash)"
		}
	}
}
