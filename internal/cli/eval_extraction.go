package cli

import (
	"fmt"

	"codememory/internal/cli/term"
	"codememory/internal/extract/extracteval"
)

// evalExtraction measures what the rules make of labelled conversations.
func (p *program) evalExtraction(o evalOptions) error {
	rows, err := extracteval.Run(o.Extract)
	if err != nil {
		return unreadable(err)
	}
	if o.Markdown {
		return extracteval.Report(p.out, rows)
	}
	if p.JSON {
		return p.printJSON(struct {
			Rows []extracteval.Row `json:"rows"`
		}{rows})
	}
	table := term.NewTable("SET", "HALF", "TURNS", "EXPECTED", "STORED", "PRECISION", "WITH ADVICE", "RECALL", "UPDATES REPLACED")
	for _, r := range rows {
		updates := ""
		if r.Updates > 0 {
			updates = fmt.Sprintf("%d of %d", r.Replaced, r.Updates)
		}
		table.Row(r.Set, r.Half, fmt.Sprint(r.Turns), fmt.Sprint(r.Expected), fmt.Sprint(r.Stored), share(r.Precision), share(r.Lenient), share(r.Recall), updates)
	}
	return table.Write(p.out, p.columns(), p.style())
}
