package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"codememory/internal/cli/term"
)

func newBackupCommand(p *program) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "backup",
		Short: "Save a store to one file",
		Long: `Save everything a project's store holds, as it is, to one file. --project user saves
what holds in every project.`,
		Example: `  codememory backup
  codememory backup -o ~/backups/shop.tar.gz
  codememory backup --project user`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runBackup(cmd.Context(), p, output) },
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "file to write (default codememory-NAME-DATE.tar.gz here)")
	return cmd
}

func runBackup(ctx context.Context, p *program, output string) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if output == "" {
		project, err := svc.Project(ctx, ref)
		if err != nil {
			return err
		}
		output = backupName(project.Name, p.now().Format("20060102-150405"))
	}
	file, err := p.absolute(output)
	if err != nil {
		return err
	}
	if err := needsFolder(file); err != nil {
		return err
	}
	stop := p.watch(ctx, svc, "backup")
	report, err := svc.Backup(ctx, ref, file)
	stop()
	if err != nil {
		return err
	}
	return p.done(report, "Saved %s (%s, %s) to %s",
		plural(report.Memories, "memory", "memories"), plural(report.Files, "file", "files"), size(report.Bytes), report.File)
}

// backupName makes a file name of a project's name, which may be anything.
func backupName(project, date string) string {
	safe := []rune{}
	for _, r := range project {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r > 0x7f:
			safe = append(safe, r)
		default:
			safe = append(safe, '-')
		}
	}
	return fmt.Sprintf("codememory-%s-%s.tar.gz", string(safe), date)
}

func newRestoreCommand(p *program) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore FILE",
		Short: "Bring a store back from a backup",
		Long: `Replace what a project's store holds by a backup. What was there before is put aside,
not deleted, and the command says where.`,
		Example: `  codememory restore codememory-shop-20260504-101500.tar.gz
  codememory restore --project user --yes user.tar.gz`,
		Args: wants(1, 1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return runRestore(cmd.Context(), p, yes, args[0]) },
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

func runRestore(ctx context.Context, p *program, yes bool, file string) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	if file, err = p.absolute(file); err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return openError(err)
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	if !yes && term.IsTerminal(p.in) && !p.JSON {
		project, err := svc.Project(ctx, ref)
		if err != nil {
			return err
		}
		if agreed, err := p.ask("Replace the memories of " + term.OneLine(project.Name) + " by the backup?"); err != nil || !agreed {
			return err
		}
	}
	stop := p.watch(ctx, svc, "restore")
	report, err := svc.Restore(ctx, ref, file)
	stop()
	if err != nil {
		return err
	}
	aside := ""
	if report.Aside != "" {
		aside = "; what was there before is in " + report.Aside
	}
	return p.done(report, "Restored %s from %s%s", plural(report.Memories, "memory", "memories"), report.File, aside)
}

// absolute makes a path absolute, because the daemon works in another folder.
func (p *program) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return path, nil
	}
	dir, err := p.workdir()
	if err != nil {
		return "", fmt.Errorf("find the current directory: %w", err)
	}
	return filepath.Join(dir, path), nil
}
