package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"codememory/internal/cli/term"
	"codememory/internal/config"
)

// setting is one line of config list.
type setting struct {
	Key   string           `json:"key"`
	Value string           `json:"value"`
	From  config.Statement `json:"from"`
}

func newConfigCommand(p *program) *cobra.Command {
	cmd := groupCommand("config", "Read and change settings",
		`Settings come from five places, each stronger than the one before: defaults, your
file, the project's .codememory/config.json (which can change only harmless keys),
environment variables, and flags.`,
		`  codememory config list --changed
  codememory config get http.port
  codememory config set context.hud_tokens 600
  codememory config set --local search.rerank false
  codememory config explain http.port`,
		newConfigListCommand(p), newConfigGetCommand(p), newConfigSetCommand(p), newConfigUnsetCommand(p),
		newConfigExplainCommand(p), newConfigPathCommand(p), newConfigPromptCommand(p))
	cmd.RunE = func(*cobra.Command, []string) error { return runConfigList(p, false) }
	return cmd
}

func newConfigListCommand(p *program) *cobra.Command {
	var changed bool
	cmd := &cobra.Command{
		Use: "list", Short: "List all settings and where they come from", Args: wants(0, 0, "nothing"),
		Long: `List every setting with its value and where that was said: a file and its line, a
variable, or the default.`,
		Example: "  codememory config list\n  codememory config list --changed",
		RunE:    func(*cobra.Command, []string) error { return runConfigList(p, changed) },
	}
	cmd.Flags().BoolVar(&changed, "changed", false, "only what is not a default")
	return cmd
}

func runConfigList(p *program, changed bool) error {
	loaded, _, err := p.settings()
	if loaded == nil {
		return err
	}
	problem := err
	settings := []setting{}
	for _, key := range loaded.Keys() {
		e, err := loaded.Explain(key.Name)
		if err != nil {
			return err
		}
		if !changed || e.From.Layer != config.LayerDefault {
			settings = append(settings, setting{key.Name, e.Value, e.From})
		}
	}
	if p.JSON {
		if err := p.printJSON(struct {
			Settings []setting `json:"settings"`
		}{settings}); err != nil {
			return err
		}
		return problem
	}
	table := term.NewTable("KEY", "VALUE", "FROM")
	table.Style(0, p.style().Cyan)
	for _, s := range settings {
		table.Row(s.Key, s.Value, p.tilde(statementPlace(s.From)))
	}
	if err := table.Write(p.out, p.columns(), p.style()); err != nil {
		return err
	}
	for _, w := range loaded.Warnings {
		p.warn("%s", term.OneLine(w.String()))
	}
	return problem
}

// statementPlace says where a value was written.
func statementPlace(s config.Statement) string {
	switch {
	case s.Name != "":
		return s.Name
	case s.File != "" && s.Line > 0:
		return fmt.Sprintf("%s:%d", s.File, s.Line)
	case s.File != "":
		return s.File
	default:
		return string(s.Layer)
	}
}

func newConfigGetCommand(p *program) *cobra.Command {
	return keyCommand(&cobra.Command{
		Use: "get KEY", Short: "Print one setting", Args: wants(1, 1, "KEY"),
		Long:    `Print the value that a setting has here and now, and nothing else.`,
		Example: "  codememory config get http.port\n  codememory config get http.port --json",
		RunE:    func(_ *cobra.Command, args []string) error { return runConfigGet(p, args[0]) },
	})
}

func runConfigGet(p *program, key string) error {
	e, err := p.explain(key)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(setting{key, e.Value, e.From})
	}
	p.printf("%s\n", e.Value)
	return nil
}

// explain looks a key up. Wrong values elsewhere in the settings are not this
// command's business.
func (p *program) explain(key string) (config.Explanation, error) {
	loaded, _, err := p.settings()
	if loaded == nil {
		return config.Explanation{}, err
	}
	return loaded.Explain(key)
}

func newConfigExplainCommand(p *program) *cobra.Command {
	return keyCommand(&cobra.Command{
		Use: "explain KEY", Short: "Say what a setting does and where its value comes from", Args: wants(1, 1, "KEY"),
		Long: `Say what a setting is for, what it accepts, who may change it, and what each place
says about it; the last one counts.`,
		Example: "  codememory config explain http.port\n  codememory config explain search.rerank --json",
		RunE:    func(_ *cobra.Command, args []string) error { return runConfigExplain(p, args[0]) },
	})
}

func runConfigExplain(p *program, key string) error {
	e, err := p.explain(key)
	if err != nil {
		return err
	}
	e.Layers = list(e.Layers)
	if p.JSON {
		return p.printJSON(e)
	}
	p.printf("%s = %s\n", p.style().Cyan(e.Key.Name), e.Value)
	p.paragraph(2, e.Key.Doc)
	p.hanging("  ", 2, fmt.Sprintf("%s; variable %s; %s", e.Key.Type, e.Key.Env, projectMay(e.Key.Project)))
	p.printf("\n")
	table := term.NewTable("LAYER", "VALUE", "WRITTEN IN")
	for _, s := range e.Layers {
		place := statementPlace(s)
		if place == string(s.Layer) {
			place = ""
		}
		if s.Ignored != "" {
			place = strings.TrimSpace(place + " (ignored: " + s.Ignored + ")")
		}
		table.Row(string(s.Layer), s.Value, p.tilde(place))
	}
	return table.Write(p.out, p.columns(), p.style())
}

func projectMay(what string) string {
	switch what {
	case "":
		return "a project cannot change it"
	case "any":
		return "a project can change it"
	case "add":
		return "a project can add to it"
	default:
		return "a project can only set it to " + what
	}
}

func newConfigSetCommand(p *program) *cobra.Command {
	var local bool
	cmd := keyCommand(&cobra.Command{
		Use: "set KEY VALUE", Short: "Write a setting to your file, keeping its comments",
		Long: `Write a setting to your file, or with --local to that of the project, which can change
harmless keys only. A wrong value is refused and the file stays as it was.`,
		Example: `  codememory config set http.port 9500
  codememory config set embedding.api_key env:OPENAI_API_KEY
  codememory config set projects.ignore '["/tmp/*"]'`,
		Args: wants(2, 2, "KEY or VALUE"),
		RunE: func(_ *cobra.Command, args []string) error { return runConfigSet(p, local, args[0], args[1]) },
	})
	cmd.Flags().BoolVar(&local, "local", false, "write it to the project's file")
	return cmd
}

func runConfigSet(p *program, local bool, key, value string) error {
	file, err := p.configFile(local)
	if err != nil {
		return err
	}
	write := config.Set
	if local {
		write = config.SetProject
	}
	if err := write(file, key, value); err != nil {
		return err
	}
	e, err := p.explain(key)
	if err != nil {
		return err
	}
	if e.From.File != file {
		p.warn("%s stays %s: %s is stronger than %s", key, e.Value, statementPlace(e.From), file)
	}
	return p.done(setting{key, e.Value, e.From}, "%s = %s in %s", key, e.Value, file)
}

func newConfigUnsetCommand(p *program) *cobra.Command {
	var local bool
	cmd := keyCommand(&cobra.Command{
		Use: "unset KEY", Short: "Remove a setting from your file", Args: wants(1, 1, "KEY"),
		Long:    "Remove a setting from your file, or with --local from that of the project, so that the\nvalue of the next weaker place counts again.",
		Example: "  codememory config unset http.port\n  codememory config unset search.rerank --local",
		RunE:    func(_ *cobra.Command, args []string) error { return runConfigUnset(p, local, args[0]) },
	})
	cmd.Flags().BoolVar(&local, "local", false, "remove it from the project's file")
	return cmd
}

func runConfigUnset(p *program, local bool, key string) error {
	file, err := p.configFile(local)
	if err != nil {
		return err
	}
	was, err := config.Unset(file, key)
	if err != nil {
		return err
	}
	e, err := p.explain(key)
	if err != nil {
		return err
	}
	if !was {
		return p.done(setting{key, e.Value, e.From}, "%s was not set in %s; it is %s", key, file, e.Value)
	}
	return p.done(setting{key, e.Value, e.From}, "%s is now %s (%s)", key, e.Value, statementPlace(e.From))
}

func newConfigPathCommand(p *program) *cobra.Command {
	var local bool
	cmd := &cobra.Command{
		Use: "path", Short: "Print where the settings file is", Args: wants(0, 0, "nothing"),
		Long:    "Print the path of your settings file, or with --local of the project's, whether it\nexists or not.",
		Example: "  $EDITOR \"$(codememory config path)\"",
		RunE:    func(*cobra.Command, []string) error { return runConfigPath(p, local) },
	}
	cmd.Flags().BoolVar(&local, "local", false, "that of the project")
	return cmd
}

func runConfigPath(p *program, local bool) error {
	file, err := p.configFile(local)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(struct {
			File string `json:"file"`
		}{file})
	}
	p.printf("%s\n", file)
	return nil
}

// keyCommand completes the names of settings.
func keyCommand(cmd *cobra.Command) *cobra.Command {
	cmd.ValidArgsFunction = func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []string
		for _, k := range config.Keys() {
			if strings.HasPrefix(k.Name, typed) {
				names = append(names, k.Name+"\t"+k.Doc)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}
