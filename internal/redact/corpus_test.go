package redact

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// findIn redacts every text file under root and returns how many bytes it read
// and what it found, with the text before it.
func findIn(t *testing.T, r *Redactor, root string) (size int, hits []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		if strings.Contains(text[:min(len(text), 1000)], "\x00") {
			return nil
		}
		size += len(text)
		_, found := r.Text(text)
		for _, f := range found {
			hits = append(hits, path+": "+f.Rule+" after "+text[max(0, f.Start-40):f.Start])
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return size, hits
}

func TestTranscriptsAndNotesWithoutSecretsStayAsTheyAre(t *testing.T) {
	size, hits := findIn(t, newRedactor(t), "testdata/benign")
	if size < 200_000 {
		t.Fatalf("read only %d bytes", size)
	}
	for _, hit := range hits {
		t.Errorf("%q", hit)
	}
}

func TestLockFileStaysAsItIs(t *testing.T) {
	size, hits := findIn(t, newRedactor(t), "../../go.sum")
	if size == 0 || len(hits) > 0 {
		t.Errorf("%d bytes, hits %q", size, hits)
	}
}

// TestSourceCodeStaysAsItIs reads a part of Go's own library. What is found
// there are passwords and headers in examples and tests.
func TestSourceCodeStaysAsItIs(t *testing.T) {
	if testing.Short() {
		t.Skip("reads tens of megabytes")
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	r := newRedactor(t)
	total, count := 0, 0
	for _, dir := range []string{"doc", "src/encoding", "src/go", "src/net", "src/os", "src/runtime", "src/text"} {
		root := filepath.Join(strings.TrimSpace(string(out)), filepath.FromSlash(dir))
		if _, err := os.Stat(root); err != nil {
			continue
		}
		size, hits := findIn(t, r, root)
		total += size
		count += len(hits)
		for _, hit := range hits {
			t.Logf("%q", hit)
		}
	}
	t.Logf("%d hits in %.1f MB", count, float64(total)/1e6)
	if perMB := float64(count) * 1e6 / float64(total); total > 0 && perMB > 1 {
		t.Errorf("%.2f hits per MB of source code, want at most 1", perMB)
	}
}
