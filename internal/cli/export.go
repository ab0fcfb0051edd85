package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/records"
)

type exportOptions struct {
	filterOptions
	Format      string
	Output      string
	User        bool
	AllProjects bool
}

func (o *exportOptions) addFlags(f *pflag.FlagSet) {
	o.filterOptions.addFlags(f)
	f.StringVarP(&o.Format, "format", "f", "", "jsonl, json, csv or md (default by the name of the file, else jsonl)")
	f.StringVarP(&o.Output, "output", "o", "", "file to write (default standard output)")
	f.BoolVar(&o.User, "user", false, "what holds in every project")
	f.BoolVar(&o.AllProjects, "all-projects", false, "every project on this machine")
}

// exportInfo is what --json says about a written file.
type exportInfo struct {
	File     string         `json:"file"`
	Format   records.Format `json:"format"`
	Memories int            `json:"memories"`
}

func newExportCommand(p *program) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write memories to a file",
		Long: `Write the memories of a project, all but the forgotten ones. jsonl, json and md hold
whole records and can be imported again; csv is for spreadsheets.`,
		Example: `  codememory export -o memories.jsonl
  codememory export --format md --type architecture > ARCHITECTURE-NOTES.md
  codememory export --user --format json
  codememory export --all --all-projects -o everything.jsonl`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runExport(cmd.Context(), p, o) },
	}
	o.addFlags(cmd.Flags())
	o.addCompletions(cmd)
	choices(cmd, "format", records.Formats)
	return cmd
}

// exportedStates is what an export holds unless asked otherwise: what the user
// wanted forgotten is not handed on.
var exportedStates = []codememory.State{codememory.Active, codememory.Archived, codememory.Superseded}

func runExport(ctx context.Context, p *program, o exportOptions) error {
	format, err := o.format(p)
	if err != nil {
		return err
	}
	request, err := o.request(p)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if o.Output == "" || o.Output == "-" {
		_, err := writeRecords(ctx, p, svc, request, p.out, format)
		return err
	}
	n, err := exportFile(ctx, p, svc, request, o.Output, format)
	if err != nil {
		return fmt.Errorf("export to %s: %w", o.Output, err)
	}
	return p.done(exportInfo{o.Output, format, n}, "Wrote %s to %s", plural(n, "memory", "memories"), o.Output)
}

func (o *exportOptions) format(p *program) (records.Format, error) {
	if o.Format != "" {
		return records.ParseFormat(o.Format)
	}
	if f, ok := records.FormatOf(o.Output); ok {
		return f, nil
	}
	if p.JSON && o.Output == "" {
		return records.JSON, nil
	}
	return records.JSONL, nil
}

func (o *exportOptions) request(p *program) (codememory.ListRequest, error) {
	var r codememory.ListRequest
	var err error
	if r.Reach, err = reach(o.AllProjects, o.User); err != nil {
		return r, err
	}
	if r.Reach == codememory.ReachBoth {
		r.Reach = codememory.ReachProject
	}
	if r.Filter, err = o.filter(p); err != nil {
		return r, err
	}
	if len(r.Filter.States) == 0 {
		r.Filter.States = exportedStates
	}
	r.Project, err = p.projectRef()
	return r, err
}

func exportFile(ctx context.Context, p *program, svc codememory.Service, r codememory.ListRequest, name string, f records.Format) (n int, err error) {
	err = writeWhole(name, func(w io.Writer) error {
		n, err = writeRecords(ctx, p, svc, r, w, f)
		return err
	})
	return n, err
}

// writeWhole writes a whole file or none. What is not a file, such as a pipe or
// a device, is written to and not replaced.
func writeWhole(name string, write func(io.Writer) error) error {
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		out, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return errors.Join(write(out), out.Close())
	}
	if err := needsFolder(name); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	err = write(tmp)
	if err == nil {
		err = tmp.Sync()
	}
	if closeErr := tmp.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), name)
}

// needsFolder fails when the folder of a file to be written is not there.
func needsFolder(name string) error {
	if _, err := os.Stat(filepath.Dir(name)); errors.Is(err, fs.ErrNotExist) {
		return codememory.Errorf(codememory.NotFound, "there is no folder %s: make it first", filepath.Dir(name))
	}
	return nil
}

func writeRecords(ctx context.Context, p *program, svc codememory.Service, r codememory.ListRequest, w io.Writer, f records.Format) (int, error) {
	progress := p.progress()
	defer progress.Done()
	out := records.NewWriter(w, f)
	r.Limit = pageSize
	n := 0
	for {
		page, err := svc.List(ctx, r)
		if err != nil {
			return n, err
		}
		for _, m := range page.Memories {
			if err := out.Write(m); err != nil {
				return n, err
			}
			n++
		}
		progress.Set("export", n, page.Total)
		if page.Next == "" {
			return n, out.Close()
		}
		r.Cursor = page.Next
	}
}
