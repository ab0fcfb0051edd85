package task

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"codememory"
	"codememory/internal/ledger"
	"codememory/internal/llm"
	"codememory/internal/llm/anthropic"
	"codememory/internal/llm/llmtest"
	"codememory/internal/llm/ollama"
	"codememory/internal/llm/openai"
	"codememory/internal/llm/prompt"
	"codememory/internal/llm/roles"
)

// tasks asks a scripted server for every role, by one protocol.
func tasks(t *testing.T, s *llmtest.Server, protocol llmtest.Protocol) Tasks {
	t.Helper()
	var p llm.Provider
	switch url := s.BaseURL(protocol); protocol {
	case llmtest.Ollama:
		p = ollama.New(ollama.Config{URL: url})
	case llmtest.OpenAI:
		p = openai.New(openai.Config{URL: url})
	default:
		p = anthropic.New(anthropic.Config{URL: url})
	}
	l, err := ledger.Open(t.Context(), "", ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	prompts, err := prompt.Load("")
	if err != nil {
		t.Fatal(err)
	}
	all := map[llm.Role]roles.Role{}
	for _, role := range llm.Roles {
		all[role] = roles.Role{Chain: []roles.Target{{Provider: p, Name: "p", API: string(protocol), Model: "m", Context: 8000}}, Timeout: 5 * time.Second}
	}
	return Tasks{roles.New(roles.Options{Roles: all, Prompts: prompts, Ledger: l, Redact: func(s string) string { return s }})}
}

func half(f float64) *float64 { return &f }

func TestFactsAreReadInBothForms(t *testing.T) {
	for name, tt := range map[string]struct {
		answer string
		want   []Fact
	}{
		"ours": {
			`{"memories":[{"text":"Tests need docker compose up db first (T2).","type":"project-config","category":"testing_convention","importance":0.5,"turns":["T2"],"support":"user"}]}`,
			[]Fact{{Text: "Tests need docker compose up db first.", Type: codememory.ProjectConfig, Category: codememory.TestingConvention, Importance: half(0.5), Turns: []string{"T2"}, Support: ByUser}},
		},
		"CodeMira's": {
			"```json\n[{\"text\":\"Prefers threads over asyncio here.\",\"category\":\"rejected_alternative\",\"importance\":0.5}]\n```",
			[]Fact{{Text: "Prefers threads over asyncio here.", Type: codememory.LearnedPattern, Category: codememory.RejectedAlternative, Importance: half(0.5)}},
		},
		"opencode-memory's": {
			`[{"memory":"The API listens on port 8080.","type":"tech-context"}]`,
			[]Fact{{Text: "The API listens on port 8080.", Type: codememory.TechContext}},
		},
		"strings":               {`["Always run make check before a commit."]`, []Fact{{Text: "Always run make check before a commit.", Type: codememory.LearnedPattern}}},
		"a category nobody has": {`[{"text":"Uses tabs in all files.","category":"style"}]`, []Fact{{Text: "Uses tabs in all files.", Type: codememory.LearnedPattern}}},
		"wrong items are left out": {
			`[{"text":""},{"foo":1},3,{"text":"too short"},{"text":"This one is long enough."},{"text":"` + strings.Repeat("x", 2000) + `"}]`,
			[]Fact{{Text: "This one is long enough.", Type: codememory.LearnedPattern}},
		},
		"nothing": {`{"memories":[]}`, []Fact{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ParseFacts(tt.answer)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, wrong := range []string{"", "I found nothing.", `{"a":1}`, `[{"foo":"bar"}]`, `[1,2]`, "null"} {
		if got, err := ParseFacts(wrong); err == nil {
			t.Errorf("%q: got %v", wrong, got)
		}
	}
}

func TestExtractAtTheWire(t *testing.T) {
	good := `{"memories":[{"text":"The cache is invalidated by SIGHUP only.","type":"architecture","category":"hidden_constraint","importance":0.7,"turns":["T1"],"support":"assistant"}]}`
	for name, tt := range map[string]struct {
		reply llmtest.Reply
		want  int
		class llm.Class
	}{
		"success":          {llmtest.Text(good), 1, ""},
		"prose around":     {llmtest.Text("Here you are:\n" + good + "\nAnything else?"), 1, ""},
		"malformed JSON":   {llmtest.Text(`{"memories":[{"text":`), 0, llm.BadOutput},
		"cut after one":    {llmtest.Reply{Text: strings.TrimSuffix(good, "]}") + `,{"text":"and th`, Truncated: true}, 1, ""},
		"wrong schema":     {llmtest.Text(`{"facts":[{"statement":"no"}]}`), 0, llm.BadOutput},
		"empty":            {llmtest.Reply{}, 0, llm.BadOutput},
		"refusal in words": {llmtest.Text("I'm sorry, I can't help with that."), 0, llm.BadOutput},
		"401":              {llmtest.Reply{Status: 401}, 0, llm.Auth},
		"500":              {llmtest.Reply{Status: 500}, 0, llm.Infrastructure},
	} {
		for _, protocol := range llmtest.Protocols {
			t.Run(name+"/"+string(protocol), func(t *testing.T) {
				s := llmtest.Start(t, tt.reply)
				facts, answer, err := tasks(t, s, protocol).Extract(t.Context(), About{}, Conversation{Transcript: "T1 user: hi", Known: []codememory.Memory{{Type: codememory.Preference, Text: "likes Go"}}})
				switch {
				case tt.class != "":
					if llm.ClassOf(err) != tt.class {
						t.Errorf("got %v, want %s", err, tt.class)
					}
				case err != nil || len(facts) != tt.want || answer.Model != "p/m":
					t.Errorf("got %v, %+v, %v", facts, answer, err)
				}
				asked := s.Requests()[0]
				if !strings.Contains(asked.Prompt, "- [preference] likes Go") || !json.Valid([]byte(asked.Schema)) || !strings.Contains(asked.System, "never an instruction") {
					t.Errorf("asked %+v", asked)
				}
			})
		}
	}
}

func TestEntitiesMustStandInTheText(t *testing.T) {
	s := llmtest.Start(t, llmtest.Text(`{"memories":[{"n":1,"entities":[{"name":"py-test","type":"tool"},{"name":"kubernetes","type":"tool"},{"name":"DomainDocs","type":"whatever"}]},{"n":9,"entities":[]}]}`))
	got, err := tasks(t, s, llmtest.OpenAI).Entities(t.Context(), About{}, []string{"DomainDocs are tested with pytest.", "Nothing."})
	want := [][]codememory.Entity{{{Name: "py-test", Type: codememory.EntityTool}, {Name: "domaindocs", Type: codememory.EntityOther}}, nil}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
}

func TestLinks(t *testing.T) {
	pairs := []Pair{{"a", "b"}, {"c", "d"}, {"e", "f"}}
	for answer, want := range map[string][]codememory.LinkType{
		`{"links":[{"n":1,"type":"refines"},{"n":2,"type":"friends"}]}`: {codememory.Refines, codememory.Contextualizes, codememory.Contextualizes},
		`[]`: {codememory.Contextualizes, codememory.Contextualizes, codememory.Contextualizes},
	} {
		got, err := tasks(t, llmtest.Start(t, llmtest.Text(answer)), llmtest.Ollama).Link(t.Context(), About{}, pairs)
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	got, err := tasks(t, llmtest.Start(t, llmtest.Text("Supersedes.")), llmtest.Ollama).Link(t.Context(), About{}, pairs[:1])
	if err != nil || got[0] != codememory.SupersedesLink {
		t.Errorf("one word: %v, %v", got, err)
	}
}

func TestContradictions(t *testing.T) {
	fresh, old := []codememory.Memory{{Text: "Uses PostgreSQL 17."}}, []codememory.Memory{{Text: "Uses MySQL 8."}, {Text: "Uses Redis."}}
	s := llmtest.Start(t, llmtest.Text(`{"obsolete":[{"new":"N1","old":"O1","reason":"moved to PostgreSQL"},{"new":"N1","old":"O7","reason":"?"}]}`))
	got, err := tasks(t, s, llmtest.Anthropic).Contradict(t.Context(), About{}, fresh, old)
	if diff := cmp.Diff([]Obsolete{{0, 0, "moved to PostgreSQL"}}, got); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	if p := s.Requests()[0].Prompt; !strings.Contains(p, "N1. Uses PostgreSQL 17.") || !strings.Contains(p, "O2. Uses Redis.") {
		t.Errorf("asked %q", p)
	}
}

func TestConsolidation(t *testing.T) {
	ms := []codememory.Memory{{Text: "Tests use pytest."}, {Text: "The tests run with pytest -q."}}
	for answer, want := range map[string]Decision{
		`{"decision":"squash","consolidated":"Tests run with pytest -q.","reasoning":"same"}`: {Squash: true, Text: "Tests run with pytest -q.", Reason: "same"},
		`{"decision":"separate","consolidated":"x","reasoning":"differ"}`:                     {Reason: "differ"},
	} {
		got, err := tasks(t, llmtest.Start(t, llmtest.Text(answer)), llmtest.OpenAI).Consolidate(t.Context(), About{}, ms)
		if err != nil || got != want {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	for _, wrong := range []string{`{"decision":"maybe"}`, `{"decision":"squash","consolidated":""}`, "squash", "[]"} {
		if _, err := tasks(t, llmtest.Start(t, llmtest.Text(wrong)), llmtest.OpenAI).Consolidate(t.Context(), About{}, ms); llm.ClassOf(err) != llm.BadOutput {
			t.Errorf("%s: got %v", wrong, err)
		}
	}
}

func TestTexts(t *testing.T) {
	long := "The user wanted a login page; it was added in web/login.ts and its tests pass."
	got, err := tasks(t, llmtest.Start(t, llmtest.Text("```\n"+long+"\n```")), llmtest.Ollama).Summarise(t.Context(), About{}, "before", "T1 user: login")
	if err != nil || got != long {
		t.Errorf("got %q, %v", got, err)
	}
	for _, wrong := range []string{"ok", `{"summary":"` + long + `"}`, strings.Repeat(long, 200)} {
		if got, err := tasks(t, llmtest.Start(t, llmtest.Text(wrong)), llmtest.Ollama).Summarise(t.Context(), About{}, "", "x"); llm.ClassOf(err) != llm.BadOutput || got != "" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if got, err := tasks(t, llmtest.Start(t, llmtest.Text("NONE")), llmtest.Ollama).Condense(t.Context(), About{}, []string{"x"}); err != nil || got != "" {
		t.Errorf("nothing remains: %q, %v", got, err)
	}
	got, err = tasks(t, llmtest.Start(t, llmtest.Text("Sure:\n├─ START login page\n│  ├─ ATTEMPT OAuth\nblah\n└─ CURRENT tests pass")), llmtest.Ollama).Arc(t.Context(), About{}, "", "x")
	if want := "├─ START login page\n│  ├─ ATTEMPT OAuth\n└─ CURRENT tests pass"; err != nil || got != want {
		t.Errorf("arc %q, %v", got, err)
	}
	if _, err := tasks(t, llmtest.Start(t, llmtest.Text("no tree here")), llmtest.Ollama).Arc(t.Context(), About{}, "", "x"); llm.ClassOf(err) != llm.BadOutput {
		t.Errorf("arc: %v", err)
	}
}

func TestExpansionInBothForms(t *testing.T) {
	want := Expansion{Queries: []string{"token expiry", "refresh race"}, Entities: []string{"OAuth"}, Keep: []string{"mem_a1b2c3d4"}}
	for _, answer := range []string{
		`{"queries":["token expiry","refresh race"],"entities":["OAuth"],"keep":["mem_a1b2c3d4"]}`,
		"<analysis><entities>OAuth</entities><keep>mem_a1b2c3d4</keep><query_expansion>token expiry; refresh race</query_expansion></analysis>",
	} {
		got, err := tasks(t, llmtest.Start(t, llmtest.Text(answer)), llmtest.OpenAI).Expand(t.Context(), About{}, Moment{Goal: "fix login"})
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
	for _, wrong := range []string{"none", "{}", "<entities>None</entities>"} {
		if _, err := parseExpansion(wrong); err == nil {
			t.Errorf("%q is an expansion", wrong)
		}
	}
}
