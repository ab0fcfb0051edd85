package install

import "codememory/internal/jsonc"

// dialect is the JSON that an agent reads. One that meets something else
// ignores the whole file, or does not start.
type dialect int

const (
	liberal    dialect = iota // comments and trailing commas, or not known
	commented                 // comments, but no trailing commas
	strictJSON                // neither
)

// warning says why the agent will not read a file.
func (d dialect) warning(text []byte) string {
	if d == liberal {
		return ""
	}
	doc, err := jsonc.Parse(text)
	if err != nil {
		return ""
	}
	switch comments, commas := doc.Liberties(); {
	case commas:
		return "this agent cannot read the file, whoever wrote it, as long as there are commas before closing brackets"
	case comments && d == strictJSON:
		return "this agent cannot read the file, whoever wrote it, as long as there are comments in it"
	}
	return ""
}
