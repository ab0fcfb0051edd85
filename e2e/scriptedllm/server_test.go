package scriptedllm

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func ask(t *testing.T, s *Server, body string) string {
	t.Helper()
	return post(t, s, "/v1/chat/completions", body)
}

func post(t *testing.T, s *Server, path, body string) string {
	t.Helper()
	response, err := http.Post(s.Root()+path, "application/json", strings.NewReader(body))
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

func TestEveryProtocolFollowsTheSameScript(t *testing.T) {
	const script = `please\n@@tool Write {\"path\":\"a\"}\n@@par\n@@tool mcp__memory__search {}\n@@tool apply_patch \"*** Begin Patch\"\n@@text all done\n@@usage 99`
	tests := map[string]struct {
		path                string
		begin, round, close string // of a request in which the user gives the script, and two calls come back
		system              string
		first, last         []string
	}{
		"Messages": {
			path:   "/v1/messages",
			begin:  `{"stream":true,"system":[{"type":"text","text":"SYSTEM"}],"tools":[{"name":"Write"}],"messages":[{"role":"user","content":[{"type":"text","text":"` + script + `"}]}`,
			round:  `,{"role":"assistant","content":[{"type":"tool_use"},{"type":"tool_use"}]},{"role":"user","content":[{"type":"tool_result","content":"RESULT"},{"type":"tool_result","content":[{"type":"text","text":"@@text not a script"}]},{"type":"text","text":"a reminder"}]}`,
			close:  `]}`,
			first:  []string{"event: message_start", `"partial_json":"{\"path\":\"a\"}"`, `"name":"mcp__memory__search"`, `"stop_reason":"tool_use"`, "event: message_stop"},
			last:   []string{`"text":"all done"`, `"input_tokens":99`, `"stop_reason":"end_turn"`},
			system: "SYSTEM",
		},
		"Responses": {
			path:   "/v1/responses",
			begin:  `{"stream":true,"instructions":"SYSTEM","tools":[{"name":"Write"}],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"` + script + `"}]}`,
			round:  `,{"type":"function_call","call_id":"call_ID_0"},{"type":"function_call_output","call_id":"call_ID_0","output":"RESULT"},{"type":"custom_tool_call","call_id":"call_ID_1"},{"type":"custom_tool_call_output","output":"@@text not a script"}`,
			close:  `]}`,
			first:  []string{"event: response.created", `"arguments":"{\"path\":\"a\"}"`, `"namespace":"mcp__memory"`, `"name":"search"`, "event: response.completed"},
			last:   []string{`"delta":"all done"`, `"input_tokens":99`},
			system: "SYSTEM",
		},
		"Gemini": {
			path:   "/v1beta/models/gemini-2.5-pro:streamGenerateContent",
			begin:  `{"systemInstruction":{"parts":[{"text":"SYSTEM"}]},"tools":[{"functionDeclarations":[{"name":"Write"}]}],"contents":[{"role":"user","parts":[{"text":"` + script + `"}]}`,
			round:  `,{"role":"model","parts":[{"functionCall":{}},{"functionCall":{}}]},{"role":"user","parts":[{"functionResponse":{"response":{"output":"RESULT"}}},{"functionResponse":{"response":{"output":"@@text not a script"}}}]}`,
			close:  `]}`,
			first:  []string{`"args":{"path":"a"}`, `"name":"mcp__memory__search"`, "data: "},
			last:   []string{`"text":"all done"`, `"promptTokenCount":99`, `"modelVersion":"gemini-2.5-pro"`},
			system: "SYSTEM",
		},
		"Chat Completions": {
			path:   "/v1/chat/completions",
			begin:  `{"stream":true,"tools":[{"function":{"name":"Write"}}],"messages":[{"role":"system","content":"SYSTEM"},{"role":"user","content":"` + script + `"}`,
			round:  `,{"role":"assistant","tool_calls":[{},{}]},{"role":"tool","content":"RESULT"},{"role":"tool","content":"@@text not a script"}`,
			close:  `]}`,
			first:  []string{`"arguments":"{\"path\":\"a\"}"`, `"name":"mcp__memory__search"`, "[DONE]"},
			last:   []string{`"content":"all done"`, `"prompt_tokens":99`},
			system: "SYSTEM",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := Start()
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			wants := func(got string, wants ...string) {
				t.Helper()
				for _, want := range wants {
					if !strings.Contains(got, want) {
						t.Errorf("got %s, want %s", got, want)
					}
				}
			}
			one, two := strings.ReplaceAll(tt.round, "ID", "1"), strings.ReplaceAll(tt.round, "ID", "2")
			wants(post(t, s, tt.path, tt.begin+tt.close), tt.first...)
			wants(post(t, s, tt.path, tt.begin+one+tt.close), "apply_patch")
			wants(post(t, s, tt.path, tt.begin+one+two+tt.close), tt.last...)
			wants(post(t, s, tt.path, strings.Replace(tt.begin, script, "@@overflow", 1)+tt.close), "error")
			r := s.Since(1)[0]
			if r.System() != tt.system || !strings.HasPrefix(r.Users(), "please") || !strings.Contains(r.Results(), "RESULT") || len(r.Tools) != 1 || r.Tools[0].Name != "Write" {
				t.Errorf("read as %+v", r)
			}
		})
	}
}

func TestRoundsBeforeACompactionCount(t *testing.T) {
	r := Request{Messages: []Message{{Role: "user", Text: "@@tool a\n@@tool b\n@@text done"}, {Role: "user", Text: "It goes on.\nSCRIPTED-SUMMARY 4 of 1 rounds: goal"}, {Role: "assistant", ToolCalls: 1}}}
	r.Messages = append(r.Messages, Message{Role: "system", Text: "SCRIPTED-SUMMARY 5 of 1 rounds"}, Message{Role: "user", Text: "<codememory>SCRIPTED-SUMMARY 5 of 1 rounds</codememory>"})
	if _, rounds := scriptOf(r); rounds != 2 {
		t.Errorf("%d rounds", rounds)
	}
}

func TestOtherRequestsAreListed(t *testing.T) {
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if got := post(t, s, "/v1/messages/count_tokens", `{"messages":[]}`); !strings.Contains(got, "input_tokens") {
		t.Error(got)
	}
	if got := s.Others(); len(got) != 1 || got[0] != "POST /v1/messages/count_tokens" || s.Count() != 0 {
		t.Errorf("%q besides %d requests", got, s.Count())
	}
}
