//go:build e2e

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"codememory/e2e/npmcache"
)

// openCodeVersions are the releases that are tested: the current one, and the
// newest of the minor version before.
var openCodeVersions = []string{"1.18.33", "1.17.19"}

// openCodeBinary returns the program of a release.
func openCodeBinary(t *testing.T, version string) string {
	t.Helper()
	name := "opencode-" + runtime.GOOS + "-" + npmcache.Arch()
	return filepath.Join(npmcache.Modules(t, name, version), name, "bin", "opencode")
}

// openCodeWorld is a world with OpenCode.
func openCodeWorld(t *testing.T, version string) *world {
	t.Helper()
	binary := openCodeBinary(t, version)
	w := newWorld(t)
	w.opencode = binary
	w.env["OPENCODE_DISABLE_AUTOUPDATE"], w.env["OPENCODE_DISABLE_MODELS_FETCH"], w.env["OPENCODE_DISABLE_LSP_DOWNLOAD"] = "1", "1", "1"
	w.configureOpenCode()
	return w
}

// configureOpenCode points OpenCode to the scripted model.
func (w *world) configureOpenCode() {
	w.Helper()
	model := map[string]any{"name": "M", "tool_call": true, "limit": map[string]any{"context": 128000, "output": 8000}}
	small := map[string]any{"name": "Small", "limit": map[string]any{"context": 32000, "output": 2000}}
	config, err := json.Marshal(map[string]any{
		"$schema": "https://opencode.ai/config.json", "model": "scripted/m", "small_model": "scripted/small",
		"autoupdate": false, "share": "disabled", "permission": "allow",
		"provider": map[string]any{"scripted": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "name": "Scripted",
			"options": map[string]any{"baseURL": w.model.URL(), "apiKey": "test"},
			"models":  map[string]any{"m": model, "small": small},
		}},
	})
	if err != nil {
		w.Fatal(err)
	}
	dir := w.folder(".config/opencode")
	if err := os.WriteFile(filepath.Join(dir, "opencode.json"), config, 0o644); err != nil {
		w.Fatal(err)
	}
}

// openCode is a running `opencode serve`.
type openCode struct {
	*testing.T
	url string
	dir string // the project
}

// serve starts OpenCode in the project of a world and waits until it listens.
func (w *world) serve(dir string, extra ...string) *openCode {
	w.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	cmd := exec.Command(w.opencode, "serve", "--port", fmt.Sprint(port), "--hostname", "127.0.0.1")
	cmd.Dir = dir
	cmd.Env = append(w.environ(), "PWD="+dir)
	cmd.Env = append(cmd.Env, extra...)
	var output lockedBuffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
		if w.Failed() {
			w.Logf("OpenCode said:\n%s", output.String())
		}
	})
	o := &openCode{w.T, fmt.Sprintf("http://127.0.0.1:%d", port), dir}
	w.await(60*time.Second, "OpenCode listens", func() bool {
		client := http.Client{Timeout: 2 * time.Second} // a request that comes too early is never answered
		response, err := client.Get(o.url + "/global/health")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
	return o
}

// call does one request to OpenCode's own interface.
func (o *openCode) call(method, path string, in, out any) {
	o.Helper()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			o.Fatal(err)
		}
		body = bytes.NewReader(data)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, o.url+path, body)
	if err != nil {
		o.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("X-OpenCode-Directory", o.dir)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		o.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		o.Fatal(err)
	}
	if response.StatusCode >= 300 {
		o.Fatalf("%s %s: %s %s", method, path, response.Status, data)
	}
	if out != nil {
		if err := json.Unmarshal(data, out); err != nil {
			o.Fatalf("%s %s: %v in %s", method, path, err, data)
		}
	}
}

// turn is what OpenCode stored of an answer.
type turn struct {
	Info struct {
		ID       string `json:"id"`
		Role     string `json:"role"`
		ParentID string `json:"parentID"`
		Summary  any    `json:"summary"`
		Error    any    `json:"error"`
	} `json:"info"`
	Parts []part `json:"parts"`
}

type part struct {
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"`
	Tool      string `json:"tool"`
	State     struct {
		Status string `json:"status"`
		Output string `json:"output"`
		Error  string `json:"error"`
	} `json:"state"`
}

func (t turn) text() string {
	var b strings.Builder
	for _, p := range t.Parts {
		if p.Type == "text" {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

// session makes a conversation. With a title OpenCode asks for none.
func (o *openCode) session(title string) string {
	o.Helper()
	in := map[string]any{}
	if title != "" {
		in["title"] = title
	}
	var s struct {
		ID string `json:"id"`
	}
	o.call("POST", "/session", in, &s)
	return s.ID
}

// prompt sends a message of the user and waits for the end of the turn.
func (o *openCode) prompt(session string, lines ...string) turn {
	o.Helper()
	var answer turn
	o.call("POST", "/session/"+session+"/message", map[string]any{
		"parts": []any{map[string]any{"type": "text", "text": strings.Join(lines, "\n")}},
	}, &answer)
	if answer.Info.Error != nil {
		o.Fatalf("the turn failed: %v", answer.Info.Error)
	}
	return answer
}

func (o *openCode) messages(session string) []turn {
	o.Helper()
	var list []turn
	o.call("GET", "/session/"+session+"/message", nil, &list)
	return list
}

// toolOutput returns what the last call of a tool in a session gave.
func (o *openCode) toolOutput(session, tool string) string {
	o.Helper()
	found := ""
	for _, m := range o.messages(session) {
		for _, p := range m.Parts {
			if p.Type == "tool" && p.Tool == tool {
				found = p.State.Output + p.State.Error
			}
		}
	}
	return found
}
