package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// shortestText is the number of bytes below which a text says too little.
const shortestText = 40

// readCorpus returns up to perSource texts of each source, evenly spread.
func readCorpus(sources []string, perSource int) ([]string, error) {
	var all []string
	for _, source := range sources {
		var texts []string
		err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			found, err := readTexts(path)
			if err != nil {
				return fmt.Errorf("read %s: %w", path, err)
			}
			texts = append(texts, found...)
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, spread(texts, perSource)...)
	}
	return all, nil
}

func spread(texts []string, n int) []string {
	if len(texts) <= n {
		return texts
	}
	out := make([]string, n)
	for i := range out {
		out[i] = texts[i*len(texts)/n]
	}
	return out
}

func readTexts(path string) ([]string, error) {
	read := map[string]func([]byte) ([]string, error){
		".jsonl": lineTexts, ".json": dialogueTexts, ".go": commentTexts, ".txt": paragraphs, ".md": paragraphs,
	}[filepath.Ext(path)]
	if read == nil || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") || strings.Contains(path, "vendor") {
		return nil, nil
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	texts, err := read(b)
	kept := texts[:0]
	for _, t := range texts {
		if len(t) >= shortestText {
			kept = append(kept, t)
		}
	}
	return kept, err
}

func lineTexts(b []byte) ([]string, error) {
	var texts []string
	lines := bufio.NewScanner(bytes.NewReader(b))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var line struct{ Text string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return nil, err
		}
		texts = append(texts, line.Text)
	}
	return texts, lines.Err()
}

func dialogueTexts(b []byte) ([]string, error) {
	var dialogue struct{ Sessions []struct{ Text string } }
	if err := json.Unmarshal(b, &dialogue); err != nil {
		return nil, nil // some other JSON beside the corpus
	}
	var texts []string
	for _, s := range dialogue.Sessions {
		turns, _ := paragraphs([]byte(s.Text))
		texts = append(texts, turns...)
	}
	return texts, nil
}

func paragraphs(b []byte) ([]string, error) {
	return strings.Split(string(b), "\n\n"), nil
}

// commentTexts returns the doc comments of a Go file.
func commentTexts(b []byte) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", b, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, nil // the standard library holds files that are wrong on purpose
	}
	var texts []string
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			texts = append(texts, d.Doc.Text())
		case *ast.GenDecl:
			texts = append(texts, d.Doc.Text())
		}
	}
	return texts, nil
}
