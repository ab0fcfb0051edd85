package cli

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/records"
	"codememory/internal/cli/term"
)

// importBatch is how many memories are stored at once: enough to be fast, few
// enough for the progress to move.
const importBatch = 200

// mostBadShown keeps a wrong file from filling the screen.
const mostBadShown = 20

type importOptions struct {
	Format       string
	KeepProjects bool
	DryRun       bool
	Strict       bool
}

func (o *importOptions) addFlags(f *pflag.FlagSet) {
	f.StringVarP(&o.Format, "format", "f", "", "jsonl, json or md (default: found out)")
	f.BoolVar(&o.KeepProjects, "keep-projects", false, "put each memory back into the project it came from")
	f.BoolVar(&o.DryRun, "dry-run", false, "say what would be done")
	f.BoolVar(&o.Strict, "strict", false, "store nothing when a row is bad")
}

// importReport is what an import did.
type importReport struct {
	File    string           `json:"file"`
	Format  records.Format   `json:"format"`
	DryRun  bool             `json:"dry_run"`
	Added   int              `json:"added"`
	Updated int              `json:"updated"`
	Known   int              `json:"known"`
	Bad     []records.BadRow `json:"bad"`
}

func newImportCommand(p *program) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Read memories from a file",
		Long: `Read an export (jsonl, json or md), JSON rows with at least a "text", one memory file
of a store, or a markdown list: every line that begins with "- " is a memory, and a
heading such as "## Preferences" gives its type. Use - for standard input.

Whole records keep their ids and times, and those that are known already are left
alone: importing twice changes nothing. Bad rows are named by line, counted and
left out, and the exit code is 1; with --strict nothing is stored then.`,
		Example: `  codememory import memories.jsonl
  codememory import --dry-run notes.md
  codememory import --project shop --strict old-shop.json
  codememory import --keep-projects everything.jsonl`,
		Args: wants(1, 1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runImport(cmd.Context(), p, o, args[0]) },
	}
	o.addFlags(cmd.Flags())
	choices(cmd, "format", []records.Format{records.JSONL, records.JSON, records.Markdown})
	return cmd
}

func runImport(ctx context.Context, p *program, o importOptions, file string) error {
	contents, err := o.read(p, file)
	if err != nil {
		return err
	}
	report := importReport{File: file, Format: contents.Format, DryRun: o.DryRun, Bad: list(contents.Bad)}
	batches, err := o.batches(p, contents.Records)
	if err != nil {
		return err
	}
	if o.Strict && len(report.Bad) > 0 {
		p.nameBadRows(report)
		return usagef("%s of %s cannot be read; nothing was stored because of --strict", plural(len(report.Bad), "row", "rows"), file)
	}
	if o.DryRun {
		report.Added = len(contents.Records)
		return p.reportImport(report, "Would store")
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if err := storeBatches(ctx, p, svc, batches, &report); err != nil {
		return fmt.Errorf("import %s: %w (%s stored before; importing again continues)", file, err,
			plural(report.Added+report.Updated, "memory was", "memories were"))
	}
	return p.reportImport(report, "Stored")
}

func (o *importOptions) read(p *program, file string) (records.Contents, error) {
	var format records.Format
	var err error
	if o.Format != "" {
		if format, err = records.ParseFormat(o.Format); err != nil {
			return records.Contents{}, err
		}
	}
	in := p.in
	if file != "-" {
		f, err := os.Open(file)
		if err != nil {
			return records.Contents{}, openError(err)
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return records.Contents{}, usagef("%s is a folder: name a file in it", file)
		}
		in = f
	}
	contents, err := records.Read(in, format)
	if err != nil {
		return contents, fmt.Errorf("read %s: %w", file, err)
	}
	return contents, nil
}

// importGroup is what is stored at once, in one project.
type importGroup struct {
	project string
	records []codememory.Memory // whole records
	added   []codememory.AddRequest
}

// batches says what goes where: user memories into the user's store, the
// others into the chosen project or back to their own.
func (o *importOptions) batches(p *program, rs []records.Record) ([]importGroup, error) {
	chosen, err := p.projectRef()
	if err != nil {
		return nil, err
	}
	if named, _ := p.namedProject(); named == "" && !o.KeepProjects {
		if n := countProjects(rs); n > 1 {
			return nil, usagef("the file holds memories of %d projects: say where they go with --project, or put each back with --keep-projects", n)
		}
	}
	var groups []importGroup
	for _, r := range rs {
		m := r.Memory
		project := chosen
		switch {
		case m.Scope == codememory.ScopeUser:
			project = codememory.UserProject
		case o.KeepProjects && m.Project != "":
			project = m.Project
		}
		last := len(groups) - 1
		if last < 0 || groups[last].project != project || len(groups[last].records)+len(groups[last].added) >= importBatch {
			groups = append(groups, importGroup{project: project})
			last++
		}
		if m.ID != "" {
			groups[last].records = append(groups[last].records, m)
		} else {
			groups[last].added = append(groups[last].added, addRequestOf(m, project))
		}
	}
	return groups, nil
}

func countProjects(rs []records.Record) int {
	var seen []string
	for _, r := range rs {
		if m := r.Memory; m.Scope != codememory.ScopeUser && m.Project != "" && !slices.Contains(seen, m.Project) {
			seen = append(seen, m.Project)
		}
	}
	return len(seen)
}

// addRequestOf makes a new memory of a row without an id.
func addRequestOf(m codememory.Memory, project string) codememory.AddRequest {
	r := codememory.AddRequest{
		Project: project, Scope: m.Scope, Text: m.Text, Type: m.Type, Category: m.Category, Importance: &m.Importance,
		Pinned: m.Pinned, Source: m.Source, Supersedes: m.Supersedes, Entities: m.Entities, Links: m.Links,
		Metadata: m.Metadata, CreatedAt: m.CreatedAt,
	}
	if m.Scope == codememory.ScopeUser {
		r.Project = ""
	}
	return r
}

func storeBatches(ctx context.Context, p *program, svc codememory.Service, groups []importGroup, report *importReport) error {
	progress := p.progress()
	defer progress.Done()
	total, n := 0, 0
	for _, g := range groups {
		total += len(g.records) + len(g.added)
	}
	for _, g := range groups {
		if len(g.records) > 0 {
			results, err := svc.Import(ctx, g.project, g.records)
			if err != nil {
				return err
			}
			report.count(results)
		}
		if len(g.added) > 0 {
			results, err := svc.AddMany(ctx, g.added)
			if err != nil {
				return err
			}
			report.count(results)
		}
		n += len(g.records) + len(g.added)
		progress.Set("import", n, total)
	}
	return nil
}

func (r *importReport) count(results []codememory.AddResult) {
	for _, result := range results {
		switch result.Event {
		case codememory.Added:
			r.Added++
		case codememory.Updated:
			r.Updated++
		default:
			r.Known++
		}
	}
}

func (p *program) reportImport(r importReport, did string) error {
	if p.JSON {
		if err := p.printJSON(r); err != nil {
			return err
		}
	} else {
		p.nameBadRows(r)
		if !p.Quiet {
			p.printf("%s %s", did, plural(r.Added, "memory", "memories"))
			if r.Updated > 0 {
				p.printf(", updated %d", r.Updated)
			}
			if r.Known > 0 {
				p.printf(", %d known already", r.Known)
			}
			if len(r.Bad) > 0 {
				p.printf(", left out %s", plural(len(r.Bad), "bad row", "bad rows"))
			}
			p.printf("\n")
		}
	}
	if len(r.Bad) > 0 {
		return findings{}
	}
	return nil
}

func (p *program) nameBadRows(r importReport) {
	if p.JSON {
		return
	}
	for i, bad := range r.Bad {
		if i == mostBadShown {
			p.warn("%s: %d more bad rows", r.File, len(r.Bad)-i)
			return
		}
		p.warn("%s:%d: %s", r.File, bad.Line, term.OneLine(bad.What))
	}
}
