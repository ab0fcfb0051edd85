package cli

import (
	"github.com/spf13/cobra"

	"codememory/internal/llm/prompt"
)

func newConfigPromptCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "prompt NAME",
		Short: "Print what a language model is told, to change it",
		Long: `Print the built-in prompt of a task. A file of the same name in the folder "prompts"
beside your settings replaces it; "codememory status" says what is wrong with it.`,
		Example: `  codememory config prompt extract
  codememory config prompt extract > ~/.config/codememory/prompts/extract.md`,
		Args: wants(1, 1, "NAME"),
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := prompt.Default(prompt.Name(args[0]))
			if err != nil {
				return err
			}
			if p.JSON {
				return p.printJSON(struct {
					Name string `json:"name"`
					Text string `json:"text"`
				}{args[0], text})
			}
			p.printf("%s", text)
			return nil
		},
	}
}
