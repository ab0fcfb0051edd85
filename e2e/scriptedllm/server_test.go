package scriptedllm

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func ask(t *testing.T, s *Server, body string) string {
	t.Helper()
	response, err := http.Post(s.URL()+"/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.Status + " " + string(data)
}

func TestModelFollowsTheScript(t *testing.T) {
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const script = `{"role":"user","content":[{"type":"text","text":"please\n@@tool bash {\"command\":\"ls\"}\n@@par\n@@tool read {}\n@@tool edit {}\n@@text all done\n@@usage 99"}]}`
	const round = `{"role":"assistant","tool_calls":[{}]},{"role":"tool","content":"x"}`
	const hud = `{"role":"user","content":"a block"}`
	tests := map[string]struct {
		body  string
		wants []string
	}{
		"the first round has two calls":          {`{"messages":[` + script + `]}`, []string{`"name":"bash"`, `"name":"read"`, `{\"command\":\"ls\"}`}},
		"a round later comes the next":           {`{"stream":true,"messages":[` + script + `,` + round + `,` + hud + `]}`, []string{`"name":"edit"`, "data: [DONE]"}},
		"then the text, with the usage":          {`{"messages":[` + script + `,` + round + `,` + round + `]}`, []string{"all done", `"prompt_tokens":99`}},
		"titles are told by the system prompt":   {`{"messages":[{"role":"system","content":"You are a title generator."}]}`, []string{"Scripted title"}},
		"so are compactions":                     {`{"messages":[{"role":"system","content":"You are a context summarization agent"}]}`, []string{"SCRIPTED-SUMMARY"}},
		"without a script there is an echo":      {`{"messages":[{"role":"user","content":"hi"}]}`, []string{"echo"}},
		"anything else gets the list of models":  {`{}`, []string{`"object":"list"`}},
		"an overflow is an error the first time": {`{"messages":[{"role":"user","content":"@@overflow"}]}`, []string{"400", "context_length_exceeded"}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got := ask(t, s, tt.body)
			for _, want := range tt.wants {
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want %s", got, want)
				}
			}
		})
	}
	if got := ask(t, s, `{"messages":[{"role":"user","content":"@@overflow"}]}`); !strings.Contains(got, "echo") {
		t.Errorf("the second time: %s", got)
	}
	if n := len(s.Since(0, Title)); n != 1 || s.Count() != 8 {
		t.Errorf("%d titles among %d requests", n, s.Count())
	}
}
