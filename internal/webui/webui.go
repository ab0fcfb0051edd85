// Package webui holds the files of the web pages and serves them. The pages
// are plain ES modules and one style sheet, embedded as they are written: there
// is no build step and nothing is loaded from elsewhere. What the pages show
// they ask of the API like any other client.
package webui

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"net/http"
	"path"
	"strings"
)

//go:embed assets
var assets embed.FS

// Handler serves the page at / and its files below /ui/. Whoever mounts it
// decides who may ask and under which policy.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(path.Clean(r.URL.Path), "/ui/")
		if r.URL.Path == "/" {
			name = "index.html"
		}
		data, err := assets.ReadFile(path.Join("assets", name))
		if err != nil {
			http.Error(w, "not found", http.StatusNotFound)
			return
		}
		sum := sha256.Sum256(data)
		tag := `"` + hex.EncodeToString(sum[:8]) + `"`
		w.Header().Set("ETag", tag)
		w.Header().Set("Cache-Control", "no-cache") // asked again each time, answered from the cache if unchanged
		w.Header().Set("Content-Type", contentType(name))
		if r.Header.Get("If-None-Match") == tag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		if r.Method != http.MethodHead {
			_, _ = w.Write(data) // the caller may have left
		}
	})
}

// contentType does not ask the system, whose table may be wrong or missing.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".txt":
		return "text/plain; charset=utf-8"
	}
	return "application/octet-stream"
}
