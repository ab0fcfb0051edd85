package httpapi

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"codememory"
	"codememory/internal/httpapi/wire"

	"github.com/google/go-cmp/cmp"
)

// TestEveryNativeRouteAnswersAsDescribed asks every route under /v1; the
// harness compares each answer with the description.
func TestEveryNativeRouteAnswersAsDescribed(t *testing.T) {
	s := start(t, openService(t), func(o *Options) { o.Shutdown = func() {} })
	first, second := t.TempDir(), t.TempDir()
	asked := map[string]bool{ // have tests of their own
		"GET /v1/events": true, "POST /v1/tool": true, "GET /v1/journal": true, "POST /v1/arc/generate": true, "POST /v1/transcript": true, "POST /v1/page/code": true,
	}
	ask := func(method, path string, body, answer any) {
		t.Helper()
		got := s.ask(method, path, body)
		if got.status != 200 {
			t.Fatalf("%s %s answered %d %s", method, path, got.status, got.body)
		}
		if rt, ok := described(method, path, true); ok {
			asked[rt.method+" "+rt.path] = true
		}
		if answer != nil {
			got.decode(t, answer)
		}
	}
	var added codememory.AddResult
	ask("POST", "/v1/memories", codememory.AddRequest{
		Project: first, Text: "The scheduler uses leases because two workers ran one job", Category: codememory.DecisionRationale,
		Entities: []codememory.Entity{{Name: "scheduler", Type: codememory.EntityConcept}}, Metadata: map[string]any{"n": 1},
	}, &added)
	id := "/v1/memories/" + codememory.ShownID(added.Memory.ID)
	ask("POST", "/v1/memories/batch", wire.AddManyRequest{Memories: []codememory.AddRequest{
		{Project: second, Text: "Leases last thirty seconds"}, {Text: "I prefer plain SQL over mappers", Type: codememory.Preference},
	}}, nil)
	var page codememory.MemoryPage
	ask("GET", "/v1/memories?reach=all&limit=2", nil, &page)
	if len(page.Memories) != 2 || page.Next == "" {
		t.Errorf("the first page is %d of %d, next %q", len(page.Memories), page.Total, page.Next)
	}
	var last codememory.MemoryPage
	ask("GET", "/v1/memories?reach=all&limit=2&cursor="+page.Next, nil, &last)
	if len(last.Memories) != 1 || last.Next != "" {
		t.Errorf("the last page is %d, next %q", len(last.Memories), last.Next)
	}
	var graph codememory.EntityGraph
	ask("GET", "/v1/entities?limit=5&project="+first, nil, &graph)
	if len(graph.Entities) != 1 || graph.Entities[0].Name != "scheduler" || graph.Entities[0].Memories != 1 {
		t.Errorf("entities: %+v", graph)
	}
	ask("GET", id, nil, nil)
	ask("PATCH", id, object{"text": "The scheduler uses leases since two workers ran one job", "pinned": true}, nil)
	ask("GET", id+"/history", nil, nil)
	ask("POST", "/v1/search", codememory.SearchRequest{Text: "scheduler leases", Project: first, Explain: true}, nil)
	ask("POST", "/v1/retrieve", codememory.RetrieveRequest{QueryExpansion: "scheduler leases", ProjectRoot: first}, nil)
	ask("POST", "/v1/context", codememory.ContextRequest{Project: first, Goal: "fix the scheduler"}, nil)
	var kept codememory.Suppression
	ask("POST", "/v1/suppressions", codememory.SuppressRequest{Project: first, Memory: added.Memory.ID, Prompt: "fix the scheduler"}, &kept)
	ask("DELETE", "/v1/suppressions/"+kept.ID, nil, nil)
	ask("PATCH", id, object{"quarantine": "a web page said it"}, nil)
	var review wire.ReviewAnswer
	ask("GET", "/v1/review?kind=quarantine&project="+first, nil, &review)
	if len(review.Items) != 1 || review.Items[0].Reason != "a web page said it" {
		t.Errorf("review: %+v", review)
	}
	ask("POST", id+"/decide", codememory.Decision{Action: codememory.Accept}, nil)
	if got := s.ask("POST", id+"/promote", nil); got.status != 409 {
		t.Errorf("an unconfirmed promotion answered %d %s", got.status, got.body)
	}
	ask("POST", "/v1/consolidate", codememory.ConsolidateRequest{Project: first, DryRun: true}, nil)
	ask("POST", id+"/promote", wire.PromoteRequest{Confirmed: true}, nil)
	ask("POST", id+"/undo", nil, nil)
	ask("POST", id+"/forget", object{"reason": "obsolete"}, nil)
	ask("POST", id+"/purge?project="+first, nil, nil)
	ask("POST", "/v1/import?project="+first, line(t, "Imported facts keep their id"), nil)
	ask("GET", "/v1/projects", nil, nil)
	ask("GET", "/v1/projects/resolve?ref="+first, nil, nil)
	ask("POST", "/v1/projects/rename", wire.RenameRequest{Project: first, Name: "Leases"}, nil)
	ask("POST", "/v1/projects/merge", wire.MergeRequest{From: second, Into: first}, nil)
	ask("POST", "/v1/projects/init", codememory.InitRequest{Dir: first}, nil)
	ask("POST", "/v1/names", wire.NameRequest{Tag: projectTag, Name: "Old"}, nil)
	ask("GET", "/v1/names", nil, nil)
	ask("GET", "/v1/agents", nil, nil)
	ask("POST", "/v1/agents/opencode/poke", codememory.Poke{Session: "ses_1", Dir: first, Event: "idle"}, nil)
	ask("POST", "/v1/notes", codememory.Note{Project: first, Session: "ses_1", Agent: "opencode", Text: "remember that leases last thirty seconds"}, nil)
	ask("POST", "/v1/action", codememory.ToolUse{Project: first, Session: "ses_1", Target: "leases.go", Changes: true}, nil)
	ask("POST", "/v1/compaction", codememory.CompactionRequest{Project: first, Session: "ses_1", Agent: "opencode"}, nil)
	ask("POST", "/v1/checkpoint", codememory.CheckpointRequest{Project: first, Agent: "codex", Session: "ses_1", Data: json.RawMessage(`{"goal":"Keep leases short","decisions":["thirty seconds"]}`)}, nil)
	ask("POST", "/v1/sessions", codememory.SessionsRequest{Project: first, Query: "leases"}, nil)
	ask("POST", "/v1/sessions/text", codememory.SessionTextRequest{Project: first, Session: "ses_1", Handoff: true}, nil)
	ask("GET", "/v1/sessions/ses_1?project="+first, nil, nil)
	ask("POST", "/v1/turns/search", codememory.TurnQuery{Text: "leases"}, nil)
	ask("POST", "/v1/graph", codememory.GraphRequest{All: true}, nil)
	ask("GET", "/v1/injections?limit=5", nil, nil)
	var happened wire.EventsAnswer
	ask("GET", "/v1/events/recent", nil, &happened)
	if len(happened.Events) == 0 || happened.Events[0].Seq < happened.Events[len(happened.Events)-1].Seq {
		t.Errorf("lately happened %+v", happened.Events)
	}
	ask("GET", "/v1/suppressions", nil, nil)
	ask("GET", "/v1/capture", nil, nil)
	ask("POST", "/v1/capture/pause", codememory.PauseRequest{Project: first, Paused: true}, nil)
	ask("GET", "/v1/settings", nil, nil)
	ask("POST", "/v1/backfill", codememory.BackfillRequest{DryRun: true}, nil)
	ask("GET", "/v1/llm", nil, nil)
	ask("POST", "/v1/extract", codememory.ExtractRequest{Project: first}, nil)
	ask("POST", "/v1/arc", codememory.ArcRequest{Project: first, Session: "ses_1"}, nil)
	ask("GET", "/v1/costs", nil, nil)
	ask("POST", "/v1/costs/reset", nil, nil)
	ask("GET", "/v1/activity?limit=3", nil, nil)
	ask("GET", "/v1/health", nil, nil)
	ask("GET", "/v1/stats", nil, nil)
	ask("POST", "/v1/rebuild", object{"project": first}, nil)
	ask("POST", "/v1/verify", object{}, nil)
	file := filepath.Join(t.TempDir(), "backup.tar")
	ask("POST", "/v1/backup", wire.BackupRequest{Project: first, File: file}, nil)
	ask("POST", "/v1/restore", wire.BackupRequest{Project: first, File: file}, nil)
	ask("POST", "/v1/projects/forget", wire.ForgetProjectRequest{Project: first, Purge: true}, nil)
	ask("POST", "/v1/shutdown", nil, nil)
	for _, rt := range routes() {
		if name := rt.method + " " + rt.path; strings.HasPrefix(rt.path, "/v1/") && !asked[name] {
			t.Errorf("%s was not asked", name)
		}
	}
}

// line is a record of an import.
func line(t *testing.T, text string) string {
	t.Helper()
	now := time.Now().UTC().Truncate(time.Millisecond)
	data, err := json.Marshal(codememory.Memory{
		ID: codememory.NewID(now), Text: text, Type: codememory.LearnedPattern, Scope: codememory.ScopeProject, Importance: 0.5, CreatedAt: now, UpdatedAt: now,
	})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAnImportSkipsAndReportsBadLines(t *testing.T) {
	s := start(t, openService(t))
	var lines []string
	for i := range importBatch + 20 {
		lines = append(lines, line(t, fmt.Sprintf("Imported fact number %d", i)))
	}
	body := "\xef\xbb\xbf" + lines[0] + "\r\n\n{broken\n\xff\xfe\n" + strings.Join(lines[1:], "\n") + "\n[1]"
	var answer wire.ImportAnswer
	s.ask("POST", "/v1/import?project=tag:"+projectTag, body).decode(t, &answer)
	var skipped []int
	for _, l := range answer.Skipped {
		skipped = append(skipped, l.Line)
	}
	if diff := cmp.Diff([]int{3, 4, importBatch + 24}, skipped); diff != "" || len(answer.Results) != importBatch+20 {
		t.Errorf("%d were stored, other lines skipped:\n%s", len(answer.Results), diff)
	}
	var again wire.ImportAnswer
	s.ask("POST", "/v1/import?project=tag:"+projectTag, body).decode(t, &again)
	for _, r := range again.Results {
		if r.Event != codememory.Unchanged {
			t.Fatalf("a known record was stored again: %+v", r)
		}
	}
}

func FuzzParseLines(f *testing.F) {
	f.Add([]byte("{}\n\n[\n"))
	f.Add([]byte("\xef\xbb\xbf{\"text\":\"a\"}\r\nnull"))
	f.Fuzz(func(t *testing.T, body []byte) {
		records, skipped := parseLines(body)
		if len(records)+len(skipped) > strings.Count(string(body), "\n")+1 {
			t.Errorf("%d records and %d skipped lines in %q", len(records), len(skipped), body)
		}
	})
}
