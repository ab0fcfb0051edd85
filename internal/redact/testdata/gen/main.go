// Command gen writes ../gitleaks_vectors.jsonl.gz: the true and false positives
// with which gitleaks checks its own rules. It copies the gitleaks module to a
// temporary directory, replaces the function that checks a rule by one that
// writes the vectors down, and runs gitleaks' own generator there.
package main

import (
	"compress/gzip"
	_ "embed"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
)

const module = "github.com/zricethezav/gitleaks/v8@v8.30.1"

//go:embed validate.go.txt
var validate []byte

func main() {
	if err := run("../gitleaks_vectors.jsonl.gz"); err != nil {
		log.Fatal(err)
	}
}

func run(target string) error {
	tmp, err := os.MkdirTemp("", "gitleaks-vectors-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	listing, err := exec.Command("go", "mod", "download", "-json", module).Output()
	if err != nil {
		return fmt.Errorf("download %s: %w", module, err)
	}
	var downloaded struct{ Dir string }
	if err := json.Unmarshal(listing, &downloaded); err != nil {
		return err
	}
	tree := filepath.Join(tmp, "gitleaks")
	if err := os.CopyFS(tree, os.DirFS(downloaded.Dir)); err != nil {
		return err
	}
	checks := filepath.Join(tree, "cmd", "generate", "config", "utils", "validate.go")
	if err := os.WriteFile(checks, validate, 0o644); err != nil {
		return err
	}
	vectors := filepath.Join(tmp, "vectors.jsonl")
	generate := exec.Command("go", "run", ".", filepath.Join(tmp, "gitleaks.toml"))
	generate.Dir = filepath.Join(tree, "cmd", "generate", "config")
	generate.Env = append(os.Environ(), "VECTORS="+vectors, "GOWORK=off")
	generate.Stderr = os.Stderr
	if err := generate.Run(); err != nil {
		return fmt.Errorf("run gitleaks' generator: %w", err)
	}
	return compress(vectors, target)
}

func compress(source, target string) error {
	data, err := os.ReadFile(source)
	if err != nil {
		return err
	}
	out, err := os.Create(target)
	if err != nil {
		return err
	}
	defer out.Close()
	w, err := gzip.NewWriterLevel(out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return out.Close()
}
