package cli

import (
	"context"
	"fmt"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
)

func newShowCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "show ID",
		Short: "Show a memory with its source and its links",
		Long: `Show one memory: its text, where it came from, what it is linked to and what it
replaced. Any unique beginning of the id is enough, with or without mem_.`,
		Example: `  codememory show mem_0a1b2c3d
  codememory show 0a1b --json`,
		Args: wants(1, 1, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error { return runShow(cmd.Context(), p, args[0]) },
	}
}

func runShow(ctx context.Context, p *program, id string) error {
	ref, err := p.ref(id)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	m, err := svc.Get(ctx, ref)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(m)
	}
	names, err := p.projectNames(ctx, svc, m.Project != "")
	if err != nil {
		return err
	}
	s := p.style()
	p.printHead("", m, names)
	p.printf("\n")
	p.paragraph(0, m.Text)
	p.printf("\n")
	for _, f := range facts(m) {
		p.hanging(s.Dim(term.Pad(f.name, 13))+" ", 14, f.value)
	}
	return nil
}

type fact struct{ name, value string }

// facts are the details of a memory that have a value.
func facts(m codememory.Memory) []fact {
	var fs []fact
	add := func(name, value string) {
		if value != "" {
			fs = append(fs, fact{name, value})
		}
	}
	add("id", m.ID)
	add("source", sourceSentence(m.Source))
	add("excerpt", m.Source.Excerpt)
	add("created", stamp(m.CreatedAt))
	if !m.UpdatedAt.Equal(m.CreatedAt) {
		add("changed", stamp(m.UpdatedAt))
	}
	if m.Forgotten != nil {
		add("forgotten", stamp(*m.Forgotten)+` ("codememory undo" brings it back)`)
	}
	add("importance", fmt.Sprintf("%.2g", m.Importance))
	for _, s := range m.Supersedes {
		add("supersedes", codememory.ShownID(s.ID)+because(s.Reason))
	}
	if m.SupersededBy != "" {
		add("superseded by", codememory.ShownID(m.SupersededBy))
	}
	for _, l := range m.Links {
		if l.Inbound {
			add("linked from", codememory.ShownID(l.To)+", "+string(l.Type)+because(l.Reason))
		} else {
			add(string(l.Type), codememory.ShownID(l.To)+because(l.Reason))
		}
	}
	var entities []string
	for _, e := range m.Entities {
		entities = append(entities, e.Name)
	}
	add("mentions", strings.Join(entities, ", "))
	for _, f := range m.Files {
		switch f.State {
		case codememory.FileChanged:
			add("stale", f.Path+" changed since this was stored")
		case codememory.FileGone:
			add("stale", f.Path+" is gone")
		default:
		}
	}
	if n := len(m.Seen); n > 0 {
		add("corroborated", times(n)+", last by "+sourceSentence(m.Seen[n-1]))
	}
	if n := len(m.Revisions); n > 0 {
		add("revisions", fmt.Sprintf(`%d ("codememory history" shows them)`, n))
	}
	if m.Usage.Shown > 0 || m.Usage.Used > 0 {
		add("use", fmt.Sprintf("shown %s, asked for %s", times(m.Usage.Shown), times(m.Usage.Used)))
	}
	keys := make([]string, 0, len(m.Metadata))
	for k := range m.Metadata {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		add(k, fmt.Sprint(m.Metadata[k]))
	}
	return fs
}

func times(n int) string { return plural(n, "time", "times") }

var classWords = map[codememory.Class]string{
	codememory.ClassUser: "from the user's words", codememory.ClassFile: "from a file of the project", codememory.ClassAgent: "from the agent's words",
	codememory.ClassTool: "from the output of a tool", codememory.ClassImport: "from another program",
}

// sourceSentence is "opencode, session ses_1, turns t1, t2, by an agent".
func sourceSentence(s codememory.Source) string {
	var parts []string
	if s.Agent != "" {
		parts = append(parts, s.Agent)
	}
	if s.Session != "" {
		parts = append(parts, "session "+s.Session)
	}
	if len(s.Turns) > 0 {
		parts = append(parts, "turns "+strings.Join(s.Turns, " "))
	}
	if s.Author != "" {
		parts = append(parts, "by "+string(s.Author))
	}
	if s.Rule != "" {
		parts = append(parts, "rule "+s.Rule)
	}
	if from, ok := classWords[s.Class]; ok {
		parts = append(parts, from)
	}
	return strings.Join(parts, ", ")
}
