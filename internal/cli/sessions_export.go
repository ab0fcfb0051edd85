package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/session"
)

type sessionsExportOptions struct {
	Output, Format, Agent string
	All                   bool
}

// The formats of exported sessions: their files, or their fields.
const (
	sessionsAsMarkdown = "md"
	sessionsAsJSON     = "json"
)

func newSessionsExportCommand(p *program) *cobra.Command {
	var o sessionsExportOptions
	cmd := &cobra.Command{
		Use:   "export [SESSION…]",
		Short: "Write records of sessions to a file or a folder",
		Long: `Write the records of a project's sessions, or of some: as the markdown that they are,
or with all their fields as JSON. Into a folder each session gets its own file.`,
		Example: `  codememory sessions export -o sessions.md
  codememory sessions export --format json --all-projects > sessions.json
  codememory sessions export ses_6f2a… -o notes/`,
		RunE: func(cmd *cobra.Command, args []string) error { return runSessionsExport(cmd.Context(), p, o, args) },
	}
	f := cmd.Flags()
	f.StringVarP(&o.Output, "output", "o", "", "file or folder to write (default standard output)")
	f.StringVarP(&o.Format, "format", "f", "", "md or json (default by the name of the file, else md)")
	f.StringVar(&o.Agent, "agent", "", "only this agent's sessions")
	f.BoolVar(&o.All, "all-projects", false, "sessions of every project")
	choices(cmd, "format", []string{sessionsAsMarkdown, sessionsAsJSON})
	return cmd
}

func (o *sessionsExportOptions) format(p *program) (string, error) {
	switch {
	case o.Format == sessionsAsMarkdown || o.Format == sessionsAsJSON:
		return o.Format, nil
	case o.Format != "":
		return "", codememory.Errorf(codememory.Invalid, "format %q is not known: use md or json", o.Format)
	case strings.EqualFold(filepath.Ext(o.Output), ".json"), p.JSON && o.Output == "":
		return sessionsAsJSON, nil
	}
	return sessionsAsMarkdown, nil
}

// exportedSession is a session in an export.
type exportedSession struct {
	session.Record
	File string `json:"file"`
	text string
}

func runSessionsExport(ctx context.Context, p *program, o sessionsExportOptions, keys []string) error {
	format, err := o.format(p)
	if err != nil {
		return err
	}
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	var records []exportedSession
	err = p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		records, err = collectSessions(ctx, a, ref, o, keys)
		return err
	})
	if err != nil {
		return err
	}
	if o.Output == "" || o.Output == "-" {
		return writeSessions(p.out, records, format)
	}
	if info, err := os.Stat(o.Output); err == nil && info.IsDir() || os.IsPathSeparator(o.Output[len(o.Output)-1]) {
		err = writeSessionFiles(o.Output, records, format)
		if err != nil {
			return fmt.Errorf("export to %s: %w", o.Output, err)
		}
	} else if err := writeWhole(o.Output, func(w io.Writer) error { return writeSessions(w, records, format) }); err != nil {
		return fmt.Errorf("export to %s: %w", o.Output, err)
	}
	return p.done(struct {
		Output   string `json:"output"`
		Format   string `json:"format"`
		Sessions int    `json:"sessions"`
	}{o.Output, format, len(records)}, "Wrote %s to %s", plural(len(records), "session", "sessions"), o.Output)
}

// mostExported is more sessions than anybody has.
const mostExported = 1_000_000

// collectSessions reads the wanted records, oldest first.
func collectSessions(ctx context.Context, a codememory.AgentService, ref string, o sessionsExportOptions, keys []string) ([]exportedSession, error) {
	if o.All && len(keys) > 0 {
		ref = everyProject
	}
	var wanted []codememory.SessionEntry
	for _, key := range keys {
		found, err := a.Sessions(ctx, codememory.SessionsRequest{Project: ref, Session: key})
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, found...)
	}
	if len(keys) == 0 {
		var err error
		if wanted, err = a.Sessions(ctx, codememory.SessionsRequest{Project: ref, All: o.All, Agent: o.Agent, Limit: mostExported}); err != nil {
			return nil, err
		}
		slices.Reverse(wanted)
	}
	if o.All {
		ref = everyProject
	}
	records := []exportedSession{}
	for _, e := range wanted {
		text, err := a.SessionText(ctx, codememory.SessionTextRequest{Project: ref, Session: e.ID})
		if err != nil {
			return nil, err
		}
		record, err := session.Parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Path, err)
		}
		records = append(records, exportedSession{Record: record, File: filepath.Base(e.Path), text: text})
	}
	return records, nil
}

func writeSessions(w io.Writer, records []exportedSession, format string) error {
	if format == sessionsAsJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(struct {
			Sessions []exportedSession `json:"sessions"`
		}{records})
	}
	for i, r := range records {
		if i > 0 {
			if _, err := io.WriteString(w, "\n"); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, strings.TrimRight(r.text, "\n")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// writeSessionFiles writes each record to a file of its own, under the name
// that it has in its store. Names are kept apart where projects share one.
func writeSessionFiles(dir string, records []exportedSession, format string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, r := range records {
		stem := strings.TrimSuffix(r.File, ".md")
		name := stem + "." + format
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d.%s", stem, n, format)
		}
		taken[name] = true
		one := []exportedSession{r}
		if err := writeWhole(filepath.Join(dir, name), func(w io.Writer) error { return writeSessions(w, one, format) }); err != nil {
			return err
		}
	}
	return nil
}
