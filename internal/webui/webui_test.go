package webui

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// Every file that a page names is there, and none is loaded from elsewhere.
func TestPagesHoldTogether(t *testing.T) {
	named := regexp.MustCompile(`(?:from|src=|href=)\s*"([./][^"]*)"`)
	outside := regexp.MustCompile(`["'(]https?://`)
	server := httptest.NewServer(Handler())
	defer server.Close()
	files := 0
	err := fs.WalkDir(assets, "assets", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(file, "/lib/") {
			return err
		}
		files++
		data, err := assets.ReadFile(file)
		if err != nil {
			return err
		}
		text := string(data)
		if m := outside.FindString(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", "")); m != "" {
			t.Errorf("%s loads from elsewhere: %s", file, m)
		}
		for _, banned := range []string{"innerHTML", "dangerouslySetInnerHTML", "insertAdjacentHTML", "document.write", "eval("} {
			if strings.Contains(text, banned) {
				t.Errorf("%s uses %s: stored text could become markup", file, banned)
			}
		}
		base := "/ui/" + strings.TrimPrefix(file, "assets/")
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if m[1] == "/" || strings.HasPrefix(m[1], "/#") {
				continue
			}
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+base, nil)
			if err != nil {
				return err
			}
			if request.URL, err = request.URL.Parse(m[1]); err != nil {
				return err
			}
			response, err := server.Client().Do(request)
			if err != nil {
				return err
			}
			_ = response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("%s names %s, which answers %d", file, m[1], response.StatusCode)
			}
		}
		return nil
	})
	if err != nil || files < 15 {
		t.Errorf("%d files, %v", files, err)
	}
}
