package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Sum counts tests. One with subtests counts as its subtests; a package that
// fails without a failing test, because it does not build or panics outside of
// one, counts as a failed test.
type Sum struct {
	Passed, Failed, Skipped int
}

// String is the closing line.
func (s Sum) String() string { return fmt.Sprintf("%d passed, %d failed", s.Passed, s.Failed) }

// event is one line of go test -json, as `go doc test2json` describes it.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build that fails
	Test       string
	Output     string
}

// test names one test of one package; the empty name is the package itself.
type test struct{ pkg, name string }

// Summarize copies from in to out what a person needs of a test run and counts it.
func Summarize(in io.Reader, out io.Writer) (Sum, error) {
	var sum Sum
	said := map[test][]string{}     // what each running test printed
	parents := map[test]bool{}      // have subtests
	failedTests := map[string]int{} // per package
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadString('\n')
		if line != "" {
			var e event
			if json.Unmarshal([]byte(line), &e) != nil || e.Action == "" {
				fmt.Fprint(out, line) // the go command itself speaks
			} else {
				sum.add(e, out, said, parents, failedTests)
			}
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			return sum, err
		}
	}
	if sum.Skipped > 0 {
		fmt.Fprintf(out, "%d skipped\n", sum.Skipped)
	}
	return sum, nil
}

func (s *Sum) add(e event, out io.Writer, said map[test][]string, parents map[test]bool, failedTests map[string]int) {
	at := test{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(out, e.Output)
	case "run":
		if slash := strings.LastIndexByte(e.Test, '/'); slash > 0 {
			parents[test{e.Package, e.Test[:slash]}] = true
		}
	case "output":
		if e.Test == "" && isClosing(e.Output) {
			fmt.Fprint(out, e.Output)
		} else {
			said[at] = append(said[at], e.Output)
		}
	case "pass", "skip":
		delete(said, at)
		switch {
		case e.Test == "" || parents[at]:
		case e.Action == "skip":
			s.Skipped++
		default:
			s.Passed++
		}
	case "fail":
		fmt.Fprint(out, strings.Join(said[at], ""))
		delete(said, at)
		switch {
		case e.Test == "" && failedTests[e.Package] == 0, e.Test != "" && !parents[at]:
			s.Failed++
		}
		if e.Test != "" {
			failedTests[e.Package]++
		}
	}
}

// isClosing reports whether a line is the one that go test ends a package with.
func isClosing(line string) bool {
	for _, start := range []string{"ok  \t", "FAIL\t", "?   \t"} {
		if strings.HasPrefix(line, start) {
			return true
		}
	}
	return false
}
