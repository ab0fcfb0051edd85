package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"codememory"
	"codememory/internal/cli/term"
	"codememory/internal/config"
	"codememory/internal/paths"
	"codememory/internal/service"
)

// statusReport answers "is it working?" on one screen.
type statusReport struct {
	OK        bool                 `json:"ok"`
	Version   string               `json:"version"`
	Daemon    daemonState          `json:"daemon"`
	Embedding string               `json:"embedding"` // empty: search by words only
	Degraded  []string             `json:"degraded"`  // what does not work, and why
	Agents    []agentState         `json:"agents"`    // those that are used here
	Today     today                `json:"today"`
	Project   projectState         `json:"project"`
	Total     int                  `json:"total"` // memories on this machine
	Projects  int                  `json:"projects"`
	Problems  []codememory.Problem `json:"problems"`
	Outbound  []string             `json:"outbound"` // addresses outside this process that are called
	LLM       codememory.LLMStatus `json:"llm"`
	Config    string               `json:"config"`
	Data      string               `json:"data"`
}

// projectState is the project at hand.
type projectState struct {
	codememory.Project
	Memories   int `json:"memories"`
	Unembedded int `json:"unembedded"` // waiting for a vector
}

func newStatusCommand(p *program) *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Is it working?",
		Long: `Show on one screen whether CodeMemory works: what is wrong and what to do about it,
which agents are connected and when each was last heard of, what was captured and
learned today, the project at hand and its store, the embedding model, the daemon,
and every address that is called. It does not start the daemon.`,
		Example: "  codememory status\n  codememory status --json",
		Args:    wants(0, 0, "nothing"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return runStatus(cmd.Context(), p) },
	}
}

func runStatus(ctx context.Context, p *program) error {
	report, err := p.status(ctx)
	if err != nil {
		return err
	}
	if p.JSON {
		return p.printJSON(report)
	}
	p.printStatus(report)
	return nil
}

func (p *program) status(ctx context.Context) (statusReport, error) {
	loaded, layout, configErr := p.settings()
	if loaded == nil {
		return statusReport{}, configErr
	}
	r := statusReport{
		Version: p.version, Config: layout.ConfigFile, Data: layout.Data, Outbound: service.OutboundOf(loaded.Config),
		Problems: configProblems(loaded, layout, configErr), Daemon: p.daemonState(ctx, layout),
	}
	svc, done, err := p.connectRunning(ctx)
	if err != nil {
		return r, err
	}
	defer done()
	health, err := svc.Health(ctx)
	if err != nil {
		return r, err
	}
	r.Embedding, r.Degraded = health.EmbeddingModel, list(health.Reasons)
	if m, err := models(svc); err == nil {
		if r.LLM, err = m.LLM(ctx); err != nil {
			return r, err
		}
	}
	r.LLM.Roles, r.LLM.Endpoints, r.LLM.Dead = list(r.LLM.Roles), list(r.LLM.Endpoints), list(r.LLM.Dead)
	if err := p.projectStatus(ctx, svc, &r); err != nil {
		return r, err
	}
	if err := p.agentsStatus(ctx, svc, &r); err != nil {
		return r, err
	}
	r.OK = health.Ready && len(r.Degraded) == 0 && len(r.Problems) == 0 && r.Daemon.Problem == ""
	return r, nil
}

// projectStatus fills in what concerns the project and its store.
func (p *program) projectStatus(ctx context.Context, svc codememory.Service, r *statusReport) error {
	ref, err := p.projectRef()
	if err != nil {
		return err
	}
	stats, err := svc.Stats(ctx)
	if err != nil {
		return err
	}
	r.Total, r.Projects = stats.Total, stats.Projects
	if r.Project.Project, err = svc.Project(ctx, ref); err != nil {
		return err
	}
	projects, err := svc.Projects(ctx)
	if err != nil {
		return err
	}
	for _, known := range projects {
		if known.ID == r.Project.ID {
			r.Project.Memories, r.Project.Unembedded = known.Memories, known.Unembedded
			r.Problems = append(r.Problems, known.Problems...)
		}
	}
	return nil
}

// configProblems lists what is wrong with the settings.
func configProblems(loaded *config.Loaded, layout paths.Layout, err error) []codememory.Problem {
	problems := []codememory.Problem{}
	if err != nil {
		for _, e := range unjoin(err) {
			problems = append(problems, codememory.Problem{What: e.Error(), Todo: "correct it; the default counts until then"})
		}
	}
	for _, w := range loaded.Warnings {
		problems = append(problems, codememory.Problem{Path: w.File, Line: w.Line, What: w.Message})
	}
	for _, file := range layout.Shadowed {
		problems = append(problems, codememory.Problem{Path: file, What: "is not read", Todo: "move what it says to " + layout.ConfigFile})
	}
	return problems
}

// unjoin takes apart what errors.Join put together.
func unjoin(err error) []error {
	var joined interface{ Unwrap() []error }
	if errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return []error{err}
}

func (p *program) printStatus(r statusReport) {
	s := p.style()
	if r.OK {
		p.painted("", 0, "CodeMemory "+r.Version+" is working.", s.Green)
	} else {
		p.painted("", 0, "CodeMemory "+r.Version+" works, but look at this:", s.Yellow)
		p.printf("\n")
		p.printTrouble(r)
	}
	p.printf("\n")
	line := func(name, format string, args ...any) {
		p.hanging(s.Dim(term.Pad(name, 10))+" ", 11, fmt.Sprintf(format, args...))
	}
	line("today", "%s captured, %s new or changed", plural(r.Today.Turns, "turn", "turns"), plural(r.Today.Memories, "memory", "memories"))
	name := "agents"
	for _, sentence := range r.agentLines() {
		line(name, "%s", p.tildes(sentence))
		name = ""
	}
	line("project", "%s (%s), %s", r.Project.Name, p.tilde(r.Project.Root), plural(r.Project.Memories, "memory", "memories"))
	if r.Project.Unembedded > 0 {
		line("", "%s waiting for a vector, findable by words meanwhile", plural(r.Project.Unembedded, "memory", "memories"))
	}
	line("store", "%s", p.tilde(storeSentence(r.Project.Project)))
	line("machine", "%s in %s", plural(r.Total, "memory", "memories"), plural(r.Projects, "project", "projects"))
	embedding := r.Embedding
	if embedding == "" {
		embedding = "none: search by words only"
	}
	line("embedding", "%s", embedding)
	line("models", "%s", modelSentence(r.LLM))
	if len(r.Outbound) == 0 {
		line("outbound", "none: nothing leaves this machine")
	}
	for _, address := range r.Outbound {
		line("outbound", "%s", address)
	}
	line("daemon", "%s", r.Daemon.sentence(p.now()))
	file := r.Config
	if _, err := os.Stat(file); err != nil {
		file += " (not there: defaults)"
	}
	line("config", "%s", p.tilde(file))
	line("data", "%s", p.tilde(r.Data))
}

// modelSentence says who is asked and what is to be done.
func modelSentence(st codememory.LLMStatus) string {
	switch {
	case st.Problem != "":
		return "none is asked: " + st.Problem
	case !st.Configured:
		return `none is asked, none is needed ("codememory config explain llm.provider")`
	}
	var chains []string
	tasks := map[string][]string{}
	for _, r := range st.Roles {
		chain := strings.Join(r.Chain, " → ")
		if tasks[chain] == nil {
			chains = append(chains, chain)
		}
		tasks[chain] = append(tasks[chain], r.Role)
	}
	for i, chain := range chains {
		chains[i] += " for " + strings.Join(tasks[chain], ", ")
	}
	out := strings.Join(chains, "; ")
	if st.Waiting+st.Queued > 0 {
		out += fmt.Sprintf("; %s and %s to read", plural(st.Waiting, "turn", "turns"), plural(st.Queued, "job", "jobs"))
	}
	if len(st.Dead) > 0 {
		out += fmt.Sprintf("; %d given up: codememory extract --retry", len(st.Dead))
	}
	return out
}

// printTrouble names what is wrong, and what to do about it.
func (p *program) printTrouble(r statusReport) {
	for _, reason := range r.Degraded {
		p.hanging("  ! ", 4, reason)
	}
	if r.Daemon.Problem != "" {
		p.hanging("  ! ", 4, r.Daemon.Problem)
	}
	for _, problem := range r.Problems {
		p.hanging("  ! ", 4, p.tildes(problemLine(problem)))
		if problem.Todo != "" {
			p.hanging("    → ", 6, p.tildes(problem.Todo))
		}
	}
}

func storeSentence(project codememory.Project) string {
	switch {
	case project.Store == "":
		return `in the data directory ("codememory init" moves it into the project)`
	case project.Shared:
		return project.Store + " (shared: committed with the project)"
	default:
		return project.Store + " (private)"
	}
}

// daemonState is what can be found out about the daemon without starting it.
type daemonState struct {
	Running bool      `json:"running"`
	PID     int       `json:"pid,omitempty"`
	Port    int       `json:"port,omitempty"`
	Version string    `json:"version,omitempty"`
	Started time.Time `json:"started,omitzero"`
	Problem string    `json:"problem,omitempty"`
}

func (d daemonState) sentence(now time.Time) string {
	if !d.Running {
		return "not running (it starts when it is needed)"
	}
	return fmt.Sprintf("running, pid %d, port %d, %s, started %s", d.PID, d.Port, d.Version, ago(now, d.Started))
}
