package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"codememory"
)

func newPinCommand(p *program) *cobra.Command {
	yes := true
	return switchCommand(p, "pin", "Always show memories to the model",
		"Pinned memories keep their place in front of the model whatever it works on.",
		codememory.Edit{Pinned: &yes}, "Pinned")
}

func newUnpinCommand(p *program) *cobra.Command {
	no := false
	return switchCommand(p, "unpin", "Show memories only when they matter", "Take back a pin.",
		codememory.Edit{Pinned: &no}, "Unpinned")
}

func newArchiveCommand(p *program) *cobra.Command {
	yes := true
	return switchCommand(p, "archive", "Put memories aside",
		"An archived memory is kept and can be listed, but is not found by a search and not\nshown to a model.",
		codememory.Edit{Archived: &yes}, "Archived")
}

func newUnarchiveCommand(p *program) *cobra.Command {
	no := false
	return switchCommand(p, "unarchive", "Bring archived memories back", "Take back an archive.",
		codememory.Edit{Archived: &no}, "Brought back")
}

// switchCommand makes a command that changes one property of some memories.
func switchCommand(p *program, name, short, long string, e codememory.Edit, did string) *cobra.Command {
	return &cobra.Command{
		Use: name + " ID…", Short: short, Long: long,
		Example: "  codememory " + name + " mem_0a1b2c3d\n  codememory " + name + " 0a1b 77de",
		Args:    wants(1, anyNumber, "ID"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runEach(cmd.Context(), p, args, did, func(ctx context.Context, svc codememory.Service, ref codememory.Ref) (codememory.Memory, error) {
				return svc.Edit(ctx, ref, e)
			})
		},
	}
}

// runEach does one thing to several memories. It stops at the first that fails
// and says which ones were done before.
func runEach(ctx context.Context, p *program, ids []string, did string,
	do func(context.Context, codememory.Service, codememory.Ref) (codememory.Memory, error),
) error {
	refs, err := p.refs(ids)
	if err != nil {
		return err
	}
	svc, done, err := p.connect(ctx)
	if err != nil {
		return err
	}
	defer done()
	changed := []codememory.Memory{}
	var failure error
	for _, ref := range refs {
		m, err := do(ctx, svc, ref)
		if err != nil {
			failure = err
			break
		}
		changed = append(changed, m)
		if !p.JSON && !p.Quiet {
			p.printf("%s %s\n", did, p.style().Cyan(codememory.ShownID(m.ID)))
		}
	}
	if p.JSON {
		err := p.printJSON(struct {
			Memories []codememory.Memory `json:"memories"`
		}{changed})
		return errors.Join(failure, err)
	}
	return failure
}

func (p *program) refs(ids []string) ([]codememory.Ref, error) {
	var refs []codememory.Ref
	for _, id := range ids {
		ref, err := p.ref(id)
		if err != nil {
			return nil, err
		}
		refs = append(refs, ref)
	}
	return refs, nil
}
