package npmcache

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// registry serves one package, after it has refused it so many times.
func registry(t *testing.T, refusals int32) *atomic.Int32 {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("npm is not installed")
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	tarball := tar.NewWriter(zip)
	const manifest = `{"name":"@acme/tool","version":"1.2.3"}`
	if err := tarball.WriteHeader(&tar.Header{Name: "package/package.json", Mode: 0o644, Size: int64(len(manifest))}); err != nil {
		t.Fatal(err)
	}
	fmt.Fprint(tarball, manifest)
	tarball.Close()
	zip.Close()
	var asked atomic.Int32
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".tgz"):
			w.Write(packed.Bytes())
		case asked.Add(1) <= refusals:
			http.Error(w, "the registry is not well", http.StatusBadRequest)
		default:
			fmt.Fprintf(w, `{"name":"@acme/tool","dist-tags":{"latest":"1.2.3"},"versions":{"1.2.3":{"name":"@acme/tool","version":"1.2.3","dist":{"tarball":"%s/tool.tgz"}}}}`, server.URL)
		}
	})
	t.Setenv("npm_config_registry", server.URL)
	t.Setenv("npm_config_cache", t.TempDir())
	return &asked
}

func TestPackageIsFetchedOnceInSpiteOfARefusal(t *testing.T) {
	asked := registry(t, 1)
	cache := t.TempDir()
	for range 2 {
		dir, err := fetch(t.Context(), cache, "@acme/tool", "1.2.3")
		if err != nil {
			t.Fatal(err)
		}
		if want := filepath.Join(cache, "acme-tool-1.2.3"); dir != want {
			t.Errorf("in %s, want %s", dir, want)
		}
		if _, err := os.Stat(filepath.Join(dir, "node_modules", "@acme", "tool", "package.json")); err != nil {
			t.Error(err)
		}
	}
	if n := asked.Load(); n != 2 {
		t.Errorf("the registry was asked %d times, want twice", n)
	}
	if held, err := filepath.Glob(filepath.Join(cache, "*[^k]")); err != nil || len(held) != 1 { // and a lock
		t.Errorf("the cache holds %v, %v", held, err)
	}
}

func TestPackageThatCannotBeFetchedLeavesNothing(t *testing.T) {
	registry(t, attempts)
	cache := t.TempDir()
	_, err := fetch(t.Context(), cache, "@acme/tool", "1.2.3")
	if err == nil || !strings.Contains(err.Error(), "@acme/tool 1.2.3 cannot be fetched with npm, tried 3 times") || !strings.Contains(err.Error(), "400") {
		t.Errorf("the error is %v", err)
	}
	if held, err := filepath.Glob(filepath.Join(cache, "*[^k]")); err != nil || len(held) > 0 { // but a lock
		t.Errorf("the cache holds %v, %v", held, err)
	}
}

func TestAnotherProcessMayBeFaster(t *testing.T) {
	registry(t, 0)
	dir := filepath.Join(t.TempDir(), "acme-tool-1.2.3")
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := install(t.Context(), dir, "@acme/tool@1.2.3"); err != nil {
		t.Error(err)
	}
}
