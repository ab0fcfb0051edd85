// Command bench measures what CodeMemory promises to take: the time of a
// search with the embedding of its question, of saving a memory and of
// starting, and the memory, the disk and the idle time of the daemon. It works
// on stores of its own in a temporary folder, through the real daemon and the
// real command line, and prints one table. Being over budget is no failure.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"time"
)

type settings struct {
	n, large, queries int
	idle              time.Duration
	only              *regexp.Regexp
	binary            string
	real              bool
	asJSON            bool
	profiles          string
	dir               string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, s, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (settings, error) {
	s := settings{idle: 10 * time.Second}
	f := flag.NewFlagSet("bench", flag.ExitOnError)
	f.IntVar(&s.n, "n", 10_000, "memories in the store")
	f.IntVar(&s.large, "large", 100_000, "memories in the large store")
	f.IntVar(&s.queries, "queries", 300, "questions per benchmark")
	f.StringVar(&s.binary, "binary", "", "codememory to measure (default: build ./cmd/codememory)")
	f.BoolVar(&s.real, "real", false, "encode the stored memories for real: a minute for 10,000")
	f.BoolVar(&s.asJSON, "json", false, "print JSON instead of a table")
	f.StringVar(&s.profiles, "profiles", "", "folder for profiles, of processor and memory, of the benchmarks in process; their processor times are then rough")
	f.StringVar(&s.dir, "dir", "", "where to put the stores (default: the system's temporary folder)")
	quick := f.Bool("quick", false, "small sizes, to see that everything runs")
	only := f.String("run", "", "regular expression of the benchmarks to run: "+strings.Join(names(), ", "))
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if *quick {
		s.n, s.large, s.queries, s.idle = 500, 2000, 30, 2*time.Second
	}
	if s.n < 1 || s.large < 1 || s.queries < 1 || f.NArg() > 0 {
		return s, fmt.Errorf("give positive numbers, and flags only")
	}
	var err error
	s.only, err = regexp.Compile(*only)
	return s, err
}

// run prints the report of the chosen benchmarks.
func run(ctx context.Context, s settings, out io.Writer) (err error) {
	if _, err := cpuTime(os.Getpid()); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(s.dir, "codememory-bench-")
	if err != nil {
		return err
	}
	b := &bench{settings: s, dir: dir, worlds: map[int]*world{}}
	defer func() {
		b.close()
		if e := os.RemoveAll(dir); err == nil {
			err = e
		}
	}()
	r := report{Machine: fmt.Sprintf("%s, %d cores", machine(dir), runtime.NumCPU()), Go: runtime.Version(), Date: time.Now(), LoadBefore: load()}
	if err := b.build(ctx); err != nil {
		return err
	}
	for _, x := range benchmarks() {
		if !s.only.MatchString(x.name) {
			continue
		}
		fmt.Fprintf(os.Stderr, "bench: %s\n", x.name)
		b.current = x.name
		rows, err := x.run(ctx, b)
		if err != nil {
			return fmt.Errorf("%s: %w", x.name, err)
		}
		for i := range rows {
			rows[i].Name = x.name
		}
		r.Rows = append(r.Rows, rows...)
	}
	if len(r.Rows) == 0 {
		return fmt.Errorf("-run matches none of %s", strings.Join(names(), ", "))
	}
	r.LoadAfter = load()
	if s.asJSON {
		return r.json(out)
	}
	return r.markdown(out)
}

// bench is a run in progress.
type bench struct {
	settings
	dir     string
	worlds  map[int]*world
	mixer   *mixer
	current string // name of the running benchmark
}

// build makes the program to measure as releases are made.
func (b *bench) build(ctx context.Context) (err error) {
	if b.binary != "" {
		b.binary, err = filepath.Abs(b.binary)
		return err
	}
	b.binary = filepath.Join(b.dir, "codememory")
	cmd := command(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", b.binary, "./cmd/codememory")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd.Run()
}

func (b *bench) close() {
	for _, w := range b.worlds {
		w.stopDaemon()
	}
}

// benchmark is one entry of the table, or a few that need the same preparation.
type benchmark struct {
	name string
	run  func(ctx context.Context, b *bench) ([]row, error)
}

// benchmarks returns them in the order in which they disturb each other least: what
// reads a store before what adds to it, what needs the daemon together.
func benchmarks() []benchmark {
	atN := func(b *bench) int { return b.n }
	atLarge := func(b *bench) int { return b.large }
	return []benchmark{
		{"binary", binarySize},
		{"version", version},
		{"database", databaseBytes},
		{"start", coldStart(atN)},
		{"retrieve", retrieve(atN, 8, 20, 8)},
		{"search", search},
		{"memory", daemonMemory(atN, 60)},
		{"idle", idle},
		{"context", wholeContext},
		{"cli-search", withDaemon("`codememory search`, whole process, warm daemon", func(w *world) []string { return []string{"search", w.question()} })},
		{"in-process", inProcess(atN)},
		{"remember", rememberDaemon},
		{"cli-remember", withDaemon("`codememory remember`, whole process, warm daemon", func(w *world) []string { return []string{"remember", w.corpus.memory()} })},
		{"batch", rememberBatch},
		{"in-process-remember", rememberService},
		{"large-start", coldStart(atLarge)},
		{"large-retrieve", retrieve(atLarge, 0, 50, 0)},
		{"large-memory", daemonMemory(atLarge, 0)},
		{"large-in-process", inProcess(atLarge)},
		{"large-rebuild", rebuild},
	}
}

func names() []string {
	var all []string
	for _, x := range benchmarks() {
		all = append(all, x.name)
	}
	return all
}
