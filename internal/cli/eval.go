package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"codememory"
	"codememory/internal/cli/term"
	"codememory/internal/embedding"
	"codememory/internal/eval"
	"codememory/internal/service"
)

type evalOptions struct {
	Corpus   string
	Queries  string
	Collapse bool
	Floor    float64
	HasFloor bool // --floor was given
	Markdown bool
	Serve    bool
	Extract  string
}

func (o *evalOptions) addFlags(f *pflag.FlagSet) {
	f.StringVar(&o.Corpus, "corpus", "", "lines of {id, text, ts, session}: what can be found")
	f.StringVar(&o.Queries, "queries", "", "lines of {id, text, relevant[]}: what is asked and what answers it")
	f.BoolVar(&o.Collapse, "collapse", false, "score sessions: the best document of a session counts for it")
	f.Float64Var(&o.Floor, "floor", 0, "lowest score that counts as an answer, 0 to 1 (default calibrated)")
	f.BoolVar(&o.Markdown, "markdown", false, "print every metric as a markdown table")
	f.StringVar(&o.Extract, "extraction", "", "measure what becomes a memory by rules, on the labelled conversations in this folder")
	f.BoolVar(&o.Serve, "serve", false, "let another program ask: JSON lines on standard input and output")
}

func newEvalCommand(p *program) *cobra.Command {
	var o evalOptions
	cmd := &cobra.Command{
		Use:   "eval [FOLDER…]",
		Short: "Measure the search on labelled questions",
		Long: `Measure how well the search finds what answers a question, beside plain full-text
search in the same run, once in full and once with the floor below which nothing is
returned. A folder holds corpus.jsonl and queries.jsonl; --corpus and --queries name
the two files instead. Your own memories are not touched.

With --serve another program drives the search by lines of JSON:
{"op":"reset"}, {"op":"add","docs":[{"id":"a","text":"…"}]} and
{"op":"search","query":"…","limit":10}; each gets one line back.`,
		Example: `  codememory eval benchmarks/devbench
  codememory eval --corpus corpus.jsonl --queries queries.jsonl --collapse
  codememory eval --extraction internal/extract/testdata
  codememory eval --serve < commands.jsonl`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.HasFloor = cmd.Flags().Changed("floor")
			return runEval(cmd.Context(), p, o, args)
		},
	}
	o.addFlags(cmd.Flags())
	return cmd
}

func runEval(ctx context.Context, p *program, o evalOptions, folders []string) error {
	if o.Extract != "" {
		return p.evalExtraction(o)
	}
	engine, err := o.engine(p)
	if err != nil {
		return err
	}
	if o.Serve {
		return eval.Serve(ctx, p.in, p.out, engine)
	}
	sets, err := o.sets(folders)
	if err != nil {
		return err
	}
	progress := p.progress()
	var rows []eval.Row
	for i, set := range sets {
		progress.Set("eval", i, len(sets))
		measured, err := measure(ctx, engine, set)
		if err != nil {
			progress.Done()
			return err
		}
		rows = append(rows, measured...)
	}
	progress.Done()
	return p.printRows(rows, o.Markdown)
}

// engine is the product's search as it is configured.
func (o *evalOptions) engine(p *program) (*eval.Engine, error) {
	if o.HasFloor && !(o.Floor >= 0 && o.Floor <= 1) {
		return nil, usagef("--floor %v is outside 0..1", o.Floor)
	}
	loaded, _, err := p.settings()
	if err != nil {
		return nil, err
	}
	engine := &eval.Engine{Options: service.RankerOptions(loaded.Config.Search)}
	if o.HasFloor {
		engine.Floor = &o.Floor
	}
	c := loaded.Config.Embedding
	if c.Provider == "none" {
		return engine, nil
	}
	engine.Embedder, err = embedding.Open(embedding.Config{
		Provider: embedding.Provider(c.Provider), Model: c.Model, BaseURL: c.URL, APIKey: c.APIKey.Reveal(), Dim: c.Dimension,
		QueryTimeout: c.Timeout.Duration,
	})
	return engine, err
}

func (o *evalOptions) sets(folders []string) ([]eval.Set, error) {
	named := o.Corpus != "" || o.Queries != ""
	switch {
	case named && len(folders) > 0:
		return nil, usagef("give folders, or --corpus and --queries, not both")
	case named && (o.Corpus == "" || o.Queries == ""):
		return nil, usagef("--corpus and --queries belong together: give both")
	case named:
		set, err := o.readPair()
		return []eval.Set{set}, err
	case len(folders) == 0:
		return nil, usagef("FOLDER is missing: codememory eval FOLDER…, or give --corpus and --queries")
	}
	var sets []eval.Set
	for _, folder := range folders {
		set, err := eval.LoadSet(folder)
		if err != nil {
			return nil, unreadable(err)
		}
		set.Collapse = set.Collapse || o.Collapse
		sets = append(sets, set)
	}
	return sets, nil
}

func (o *evalOptions) readPair() (eval.Set, error) {
	set := eval.Set{Name: filepath.Base(o.Corpus), Collapse: o.Collapse}
	var err error
	if set.Documents, err = eval.ReadLines[eval.Document](o.Corpus); err != nil {
		return set, unreadable(err)
	}
	if set.Queries, err = eval.ReadLines[eval.Query](o.Queries); err != nil {
		return set, unreadable(err)
	}
	if len(set.Documents) == 0 || len(set.Queries) == 0 {
		return set, usagef("%s and %s must each hold at least one line", o.Corpus, o.Queries)
	}
	return set, nil
}

// unreadable is a missing file, or a file that holds something else.
func unreadable(err error) error {
	if coded := openError(err); codememory.CodeOf(coded) != codememory.Internal {
		return coded
	}
	return codememory.Errorf(codememory.Invalid, "%w", err)
}

// measure asks the product and the baseline the same questions.
func measure(ctx context.Context, engine *eval.Engine, set eval.Set) ([]eval.Row, error) {
	if err := engine.Reset(); err != nil {
		return nil, err
	}
	if err := engine.Add(ctx, set.Documents); err != nil {
		return nil, err
	}
	var rows []eval.Row
	floor := engine.Floor
	// The order shows without a floor; what the floor costs beside it.
	for _, run := range []struct {
		name  string
		floor *float64
	}{{"codememory", new(float64)}, {"codememory, with floor", floor}} {
		engine.Floor = run.floor
		m, err := eval.Ask(ctx, engine, set, set.Queries)
		if err != nil {
			return nil, err
		}
		rows = append(rows, eval.Row{Set: set.Name, System: run.name, Metrics: m})
	}
	engine.Floor = floor
	baseline := &eval.Baseline{}
	defer baseline.Close()
	plain, err := eval.Evaluate(ctx, baseline, set)
	if err != nil {
		return nil, err
	}
	return append(rows, eval.Row{Set: set.Name, System: "full text", Metrics: plain}), nil
}

// evalRow is a row of --json.
type evalRow struct {
	Set       string  `json:"set"`
	System    string  `json:"system"`
	Queries   int     `json:"queries"`
	AnyAt1    float64 `json:"any_at_1"`
	AnyAt5    float64 `json:"any_at_5"`
	AnyAt10   float64 `json:"any_at_10"`
	FracAt5   float64 `json:"frac_at_5"`
	FracAt10  float64 `json:"frac_at_10"`
	AllAt5    float64 `json:"all_at_5"`
	AllAt10   float64 `json:"all_at_10"`
	MRR       float64 `json:"mrr"`
	NDCG10    float64 `json:"ndcg_at_10"`
	Budget    float64 `json:"in_budget"`
	Abstained float64 `json:"abstained"`
	P50       float64 `json:"p50_ms"`
	P99       float64 `json:"p99_ms"`
	CPU       float64 `json:"cpu_ms"`
}

func (p *program) printRows(rows []eval.Row, markdown bool) error {
	if markdown {
		return eval.Report(p.out, rows)
	}
	if p.JSON {
		shown := []evalRow{}
		for _, r := range rows {
			shown = append(shown, evalRow{
				r.Set, r.System, r.Queries, r.AnyAt1, r.AnyAt5, r.AnyAt10, r.FracAt5, r.FracAt10, r.AllAt5, r.AllAt10,
				r.MRR, r.NDCG10, r.Budget, r.Abstained, millis(r.P50), millis(r.P99), millis(r.CPU),
			})
		}
		return p.printJSON(struct {
			Rows []evalRow `json:"rows"`
		}{shown})
	}
	table := term.NewTable("SET", "SYSTEM", "ASKED", "ANY@1", "ANY@5", "MRR", "NDCG@10", "NONE", "P50")
	for _, r := range rows {
		table.Row(r.Set, r.System, fmt.Sprint(r.Queries), share(r.AnyAt1), share(r.AnyAt5), share(r.MRR), share(r.NDCG10),
			share(r.Abstained), fmt.Sprintf("%.2f ms", millis(r.P50)))
	}
	return table.Write(p.out, p.columns(), p.style())
}

func share(x float64) string         { return fmt.Sprintf("%.3f", x) }
func millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
