//go:build e2e

package e2e

import (
	"encoding/json"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"codememory/e2e/npmcache"
)

// node runs a program out of an npm package with Node 22 and returns what it
// printed and its exit code.
func (w *world) node(dir, name, version, script string, args ...string) (out, errs string, code int) {
	w.Helper()
	script = filepath.Join(npmcache.Modules(w, name, version), filepath.FromSlash(name), filepath.FromSlash(script))
	cmd := exec.CommandContext(w.Context(), npmcache.Node(w), append([]string{script}, args...)...)
	cmd.Dir, cmd.Env = dir, append(w.environ(), "PWD="+dir, "NO_COLOR=1")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if cmd.ProcessState == nil {
		w.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// endpoint starts the daemon and returns where it listens and its token.
func (w *world) endpoint(dir string) (*url.URL, string) {
	w.Helper()
	if _, err := w.codememory(dir, "list"); err != nil {
		w.Fatal(err)
	}
	data := filepath.Join(w.home, ".local", "share", "codememory")
	file, err := os.ReadFile(filepath.Join(data, "daemon.json"))
	if err != nil {
		w.Fatal(err)
	}
	var info struct{ Port json.Number }
	if err := json.Unmarshal(file, &info); err != nil {
		w.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(data, "token"))
	if err != nil {
		w.Fatal(err)
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:" + info.Port.String()}, strings.TrimSpace(string(token))
}

// withToken returns the address of a proxy on loopback that adds the token to
// each request, for clients that cannot send a header. It stands for the daemon
// under its own address; a foreign Host or Origin reaches the daemon as it is.
func (w *world) withToken(daemon *url.URL, token string) string {
	proxy := httptest.NewUnstartedServer(nil)
	own := proxy.Listener.Addr().String()
	proxy.Config.Handler = &httputil.ReverseProxy{FlushInterval: -1, Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(daemon)
		if r.In.Host != own {
			r.Out.Host = r.In.Host
		}
		if r.In.Header.Get("Origin") == "http://"+own {
			r.Out.Header.Set("Origin", daemon.String())
		}
		r.Out.Header.Set("Authorization", "Bearer "+token)
	}}
	proxy.Start()
	w.Cleanup(proxy.Close)
	return proxy.URL
}
