package cli

import (
	"context"
	"encoding/json"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
	"codememory/internal/session"
)

type sessionsOptions struct {
	All   bool
	Agent string
	Limit int
}

func newSessionsCommand(p *program) *cobra.Command {
	var o sessionsOptions
	cmd := &cobra.Command{
		Use:   "sessions [QUERY…]",
		Short: "List or find what agents worked on",
		Long: `List the sessions of a project, newest first, or find some by plain words: what they
were about, files, agents ("in codex") and dates ("last week"). Each is a markdown
file with the goal, what was done, touched and left open.`,
		Example: `  codememory sessions
  codememory sessions token refresh last week
  codememory sessions show ses_6f2a…`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runSessions(cmd.Context(), p, o, strings.Join(args, " "))
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.All, "all-projects", false, "sessions of every project")
	f.StringVar(&o.Agent, "agent", "", "only this agent's sessions")
	f.IntVar(&o.Limit, "limit", 10, "most sessions to show")
	cmd.AddCommand(&cobra.Command{
		Use: "show SESSION", Short: "Read the record of a session",
		Long: `Print the record of a session: its goal, what was done and left open, the files and the
last turns. Any unique beginning of its id is enough.`,
		Example: "  codememory sessions show ses_6f2a…\n  codememory sessions show ses_6f2a… --json",
		Args:    wants(1, 1, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.sessionText(cmd.Context(), codememory.SessionTextRequest{Session: args[0]})
		},
	}, newSessionsPathCommand(p), newSessionsExportCommand(p))
	return cmd
}

func runSessions(ctx context.Context, p *program, o sessionsOptions, query string) error {
	if o.Limit < 1 {
		return usagef("--limit %d: at least 1", o.Limit)
	}
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	return p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		found, err := a.Sessions(ctx, codememory.SessionsRequest{Project: ref, All: o.All, Query: query, Agent: o.Agent, Limit: o.Limit})
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(struct {
				Sessions []codememory.SessionEntry `json:"sessions"`
			}{list(found)})
		}
		if len(found) == 0 {
			p.say("%s", session.NoneFound)
			return nil
		}
		s := p.style()
		for _, e := range found {
			id := term.OneLine(e.ID)
			p.painted(s.Cyan(id)+"  ", term.Width(id)+2, stamp(e.ActiveAt)+" · "+e.Agent+", "+e.Status, s.Dim)
			p.paragraph(2, term.OneLine(e.Goal))
			if len(e.Pending) > 0 {
				p.paragraph(2, "left open: "+term.OneLine(strings.Join(e.Pending, "; ")))
			}
		}
		return nil
	})
}

func newHandoffCommand(p *program) *cobra.Command {
	var to string
	cmd := &cobra.Command{
		Use:   "handoff SESSION",
		Short: "What another agent needs to go on with a session",
		Long: `Print the goal, the state, what was decided and what is left of a session, for
another agent to go on with it.`,
		Example: `  codememory handoff ses_6f2a… --to codex
  codex "$(codememory handoff ses_6f2a… --to codex)"`,
		Args: wants(1, 1, "SESSION"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.sessionText(cmd.Context(), codememory.SessionTextRequest{Session: args[0], Handoff: true, To: to})
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "the agent that goes on")
	return cmd
}

// goOn is what is asked of the agent that gets a handoff, which itself is data.
const goOn = "Go on with this session: see how far it got, then do what is left."

func (p *program) sessionText(ctx context.Context, r codememory.SessionTextRequest) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	r.Project = ref
	return p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		text, err := a.SessionText(ctx, r)
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(struct {
				Text string `json:"text"`
			}{text})
		}
		p.printDocument(text)
		if r.Handoff {
			p.printf("\n%s\n", goOn)
		}
		return nil
	})
}

func newCheckpointCommand(p *program) *cobra.Command {
	var agent, id string
	cmd := &cobra.Command{
		Use:   "checkpoint",
		Short: "Add to the record of a session",
		Long: `Read a checkpoint as JSON on standard input and add it to the record of a session:
goal, slug, work_completed, work_pending (replaces what was pending), work_summary,
decisions, plan_files, references, status. A wrong field is named and nothing is stored.`,
		Example: `  echo '{"session_id":"ses_1","goal":"Ship it"}' | codememory checkpoint
  codememory checkpoint --agent codex < checkpoint.json`,
		Args: wants(0, 0, "nothing"),
		RunE: func(cmd *cobra.Command, _ []string) error { return runCheckpoint(cmd.Context(), p, agent, id) },
	}
	f := cmd.Flags()
	f.StringVar(&agent, "agent", "", "the agent whose session it is, when the checkpoint does not say it")
	f.StringVar(&id, "session-id", "", "the session, when the checkpoint does not say it")
	f.Bool("from-stdin", true, "read the checkpoint from standard input")
	return cmd
}

func runCheckpoint(ctx context.Context, p *program, agent, id string) error {
	const most = 1 << 20
	if term.IsTerminal(p.in) {
		p.say("Type the checkpoint as JSON; Ctrl-D ends it.")
	}
	data, err := io.ReadAll(io.LimitReader(p.in, most))
	if err != nil {
		return err
	}
	if !json.Valid(data) {
		return usagef(`the checkpoint on standard input is not JSON, nothing was stored: "codememory checkpoint --help" shows one`)
	}
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	return p.withAgents(ctx, func(_ codememory.Service, a codememory.AgentService) error {
		e, err := a.Checkpoint(ctx, codememory.CheckpointRequest{Project: ref, Agent: agent, Session: id, Data: data})
		if err != nil {
			return err
		}
		if p.JSON {
			return p.printJSON(e)
		}
		p.printf("%s\n", p.tilde(e.Path))
		return nil
	})
}
