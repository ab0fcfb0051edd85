package httpapi

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"codememory"

	"github.com/google/go-cmp/cmp"
)

const (
	projectTag = "opencode_project_62c1f4141e679940"
	userTag    = "opencode_user_eb2b6c0d061bbd5c"
)

// object is an answer as an older client sees it: without our types.
type object = map[string]any

func (s *server) object(method, path string, body any, want int) object {
	s.t.Helper()
	got := s.ask(method, path, body)
	if got.status != want {
		s.t.Fatalf("%s %s answered %d, want %d: %s", method, path, got.status, want, got.body)
	}
	var o object
	got.decode(s.t, &o)
	return o
}

func (s *server) remember(tag, text string, metadata object) string {
	s.t.Helper()
	o := s.object("POST", "/memories", object{
		"messages": []object{{"role": "user", "content": text}}, "user_id": tag, "metadata": metadata,
	}, 200)
	results := o["results"].([]any)
	if len(results) != 1 {
		s.t.Fatalf("%q gave %v", text, o)
	}
	return results[0].(object)["id"].(string)
}

func keys(o object) []string {
	var names []string
	for k := range o {
		names = append(names, k)
	}
	slices.Sort(names)
	return names
}

func TestHealthHasTheKeysOfBothSystems(t *testing.T) {
	s := start(t, openService(t))
	o := s.object("GET", "/health", nil, 200)
	for key, want := range map[string]any{"status": "ok", "ready": true, "llm": false, "ollama": false, "version": "1.2.3"} {
		if o[key] != want {
			t.Errorf("%s is %v, want %v", key, o[key], want)
		}
	}
	if _, ok := o["embedding_model"].(string); !ok {
		t.Errorf("embedding_model is %v", o["embedding_model"])
	}
}

func TestRetrieveAnswersLikeCodeMira(t *testing.T) {
	s := start(t, openService(t))
	root := t.TempDir()
	want := "The payment worker retries five times because the provider drops connections"
	for _, text := range []string{want, "Fixtures of the importer live in testdata and are never edited by hand"} {
		r := codememory.AddRequest{Project: root, Text: text, Category: codememory.HiddenConstraint}
		if got := s.ask("POST", "/v1/memories", r); got.status != 200 {
			t.Fatal(got)
		}
	}
	o := s.object("POST", "/retrieve", object{
		"query_expansion": "payment worker; retries; provider connections", "entities": []string{},
		"pinned_memory_ids": []string{}, "project_root": root,
	}, 200)
	if diff := cmp.Diff([]string{"degraded", "memories", "reasons"}, keys(o)); diff != "" {
		t.Errorf("other keys:\n%s", diff)
	}
	memories := o["memories"].([]any)
	if len(memories) == 0 {
		t.Fatalf("nothing found: %v", o)
	}
	first := memories[0].(object)
	if diff := cmp.Diff([]string{"category", "id", "importance", "text"}, keys(first)); diff != "" {
		t.Errorf("other keys:\n%s", diff)
	}
	id := first["id"].(string)
	if first["text"] != want || first["category"] != "hidden_constraint" || !regexp.MustCompile(`^[0-9a-f]{8}$`).MatchString(id) {
		t.Errorf("got %v", first)
	}
	// The id comes back as the plugin sends it, to be kept.
	again := s.object("POST", "/retrieve", object{
		"query_expansion": "unrelated words entirely", "entities": []string{}, "pinned_memory_ids": []string{id}, "project_root": root,
	}, 200)
	if kept := again["memories"].([]any); len(kept) != 1 || kept[0].(object)["id"] != id {
		t.Errorf("pinned %s, got %v", id, again)
	}
}

func TestRetrieveRefusesWhatIsIncomplete(t *testing.T) {
	s := start(t, openService(t))
	for _, body := range []object{{}, {"project_root": "/x"}, {"query_expansion": "x"}, {"query_expansion": " ", "project_root": "/x"}} {
		o := s.object("POST", "/retrieve", body, 400)
		if o["error"] != "query_expansion and project_root required" || o["detail"] != o["error"] {
			t.Errorf("%v gave %v", body, o)
		}
	}
}

func TestMemoriesComeAndGoByTag(t *testing.T) {
	s := start(t, openService(t))
	id := s.remember(projectTag, "Deployments run from the release branch only", object{"type": "project-config", "ticket": "OPS-7"})
	s.remember(projectTag, "The message bus is NATS because Kafka was too heavy", nil)
	mine := s.remember(userTag, "I prefer short functions over long ones", object{"type": "preference"})

	list := s.object("GET", "/memories?user_id="+projectTag, nil, 200)["results"].([]any)
	if len(list) != 2 {
		t.Fatalf("the project holds %v", list)
	}
	if texts := []any{list[0].(object)["memory"], list[1].(object)["memory"]}; texts[0] != "The message bus is NATS because Kafka was too heavy" {
		t.Errorf("not the last updated first: %v", texts)
	}
	row := list[1].(object)
	if diff := cmp.Diff([]string{"created_at", "id", "memory", "metadata", "updated_at", "user_id"}, keys(row)); diff != "" {
		t.Errorf("other keys:\n%s", diff)
	}
	if diff := cmp.Diff(object{"type": "project-config", "ticket": "OPS-7"}, row["metadata"].(object)); diff != "" || row["user_id"] != projectTag || row["id"] != id {
		t.Errorf("row %v\n%s", row, diff)
	}
	if other := s.object("GET", "/memories?user_id=opencode_project_ffffffffffffffff", nil, 200)["results"].([]any); len(other) != 0 {
		t.Errorf("another project holds %v", other)
	}
	user := s.object("GET", "/memories?limit=1&user_id="+userTag, nil, 200)["results"].([]any)
	if len(user) != 1 || user[0].(object)["id"] != mine {
		t.Errorf("the user holds %v", user)
	}

	if one := s.object("GET", "/memories/"+id, nil, 200); one["memory"] != "Deployments run from the release branch only" || one["user_id"] != projectTag {
		t.Errorf("got %v", one)
	}
	patched := s.object("PATCH", "/memories/"+id, object{"memory": "Deployments run from the stable branch only"}, 200)
	if patched["memory"] != "Deployments run from the stable branch only" || patched["id"] != id {
		t.Errorf("patched to %v", patched)
	}
	s.object("PATCH", "/memories/"+id, object{}, 400)
	s.object("PATCH", "/memories/ffffffffffffffffffffffffffffffff", object{"memory": "x y z"}, 404)

	done := s.object("DELETE", "/memories/"+id, nil, 200)
	if done["success"] != true || done["message"] == "" {
		t.Errorf("deleting said %v", done)
	}
	if left := s.object("GET", "/memories?user_id="+projectTag, nil, 200)["results"].([]any); len(left) != 1 {
		t.Errorf("after deleting: %v", left)
	}
	gone := s.object("DELETE", "/memories/ffffffffffffffffffffffffffffffff", nil, 404)
	if gone["detail"] == "" || gone["detail"] != gone["error"] {
		t.Errorf("deleting nothing said %v", gone)
	}
}

func TestAddingTwiceUpdates(t *testing.T) {
	s := start(t, openService(t))
	body := object{"messages": []object{{"role": "user", "content": "The cache is Redis 7"}}, "user_id": projectTag}
	for i, want := range []string{"ADD", "UPDATE"} {
		results := s.object("POST", "/memories", body, 200)["results"].([]any)
		if len(results) != 1 {
			t.Fatalf("%d: %v", i, results)
		}
		r := results[0].(object)
		if diff := cmp.Diff([]string{"event", "id", "memory"}, keys(r)); diff != "" || r["event"] != want || r["memory"] != "The cache is Redis 7" {
			t.Errorf("%d: %v\n%s", i, r, diff)
		}
	}
	if total := s.object("GET", "/memories?user_id="+projectTag, nil, 200)["total"]; total != 1.0 {
		t.Errorf("it holds %v", total)
	}
}

func TestAddingConversations(t *testing.T) {
	s := start(t, openService(t))
	conversation := []object{
		{"role": "user", "content": []object{{"type": "text", "text": "Rename the flag. We decided to drop the v1 API because nobody calls it."}}},
		{"role": "assistant", "content": "Always glad to help. I renamed the flag."},
	}
	results := s.object("POST", "/memories", object{"messages": conversation, "user_id": projectTag}, 200)["results"].([]any)
	if len(results) != 1 || results[0].(object)["memory"] != "We decided to drop the v1 API because nobody calls it." {
		t.Errorf("the conversation left %v", results)
	}
	small := []object{{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}}
	if o := s.object("POST", "/memories", object{"messages": small, "user_id": projectTag}, 200); len(o["results"].([]any)) != 0 {
		t.Errorf("small talk left %v", o)
	}
	o := s.object("POST", "/memories", object{"messages": conversation, "user_id": projectTag, "summary_mode": true}, 200)
	if r := o["results"].([]any); len(r) != 1 || !strings.HasPrefix(r[0].(object)["memory"].(string), "Asked: Rename the flag.") {
		t.Errorf("summary mode left %v", o)
	}
	readme := []object{{"role": "user", "content": "# Velodrome\n\nVelodrome plans bicycle races for small clubs.\n"}}
	o = s.object("POST", "/memories", object{"messages": readme, "user_id": projectTag, "init_mode": true}, 200)
	if r := o["results"].([]any); len(r) != 1 || r[0].(object)["memory"] != "Velodrome plans bicycle races for small clubs." {
		t.Errorf("init mode left %v", o)
	}
	counts := s.object("GET", "/projects", nil, 200)["projects"].([]any)[0].(object)["type_counts"].(object)
	if diff := cmp.Diff(object{"architecture": 1.0, "session-summary": 1.0, "project-brief": 1.0}, counts); diff != "" {
		t.Errorf("other types:\n%s", diff)
	}
}

func TestTagsAreChecked(t *testing.T) {
	s := start(t, openService(t))
	for _, tag := range []string{"", "../etc", "a b", "a/b", "ü", "a\x00", "tag:x"} {
		message := []object{{"role": "user", "content": "some text to keep"}}
		s.object("POST", "/memories", object{"messages": message, "user_id": tag}, 400)
		s.object("GET", "/memories?user_id="+url.QueryEscape(tag), nil, 400)
		s.object("POST", "/memories/search", object{"query": "x", "user_id": tag}, 400)
		s.object("POST", "/names", object{"user_id": tag, "name": "x"}, 400)
	}
	s.object("POST", "/memories", object{"user_id": projectTag}, 400)
	s.object("GET", "/memories?limit=-1&user_id="+projectTag, nil, 400)
	s.object("GET", "/memories?limit=x&user_id="+projectTag, nil, 400)
	s.object("POST", "/memories/search", object{"user_id": projectTag}, 400)
	s.object("POST", "/memories/search", object{"user_id": projectTag, "query": "x", "recency_weight": 2}, 400)
	s.object("POST", "/names", object{"user_id": projectTag, "name": " "}, 400)
}

func TestSearchAnswersLikeOpencodeMemory(t *testing.T) {
	s := start(t, openService(t))
	id := s.remember(projectTag, "The uploader retries with exponential backoff", object{"type": "error-solution"})
	s.remember(projectTag, "Colours of the dashboard come from the design tokens", object{"type": "preference"})
	s.remember(userTag, "The uploader of my own is written in Rust", nil)

	ask := func(more object) []any {
		t.Helper()
		body := object{"query": "how does the uploader retry", "user_id": projectTag}
		for k, v := range more {
			body[k] = v
		}
		return s.object("POST", "/memories/search", body, 200)["results"].([]any)
	}
	results := ask(object{"threshold": 0.01})
	if len(results) == 0 {
		t.Fatal("nothing found")
	}
	first := results[0].(object)
	if diff := cmp.Diff([]string{"chunk", "created_at", "date", "id", "memory", "metadata", "score"}, keys(first)); diff != "" {
		t.Errorf("other keys:\n%s", diff)
	}
	if first["id"] != id || first["metadata"].(object)["type"] != "error-solution" || !regexp.MustCompile(`^\d{4}-\d\d-\d\d$`).MatchString(first["date"].(string)) {
		t.Errorf("first is %v", first)
	}
	for _, r := range results {
		if strings.Contains(r.(object)["memory"].(string), "Rust") {
			t.Error("a memory of another tag was found")
		}
	}
	if score := first["score"].(float64); score <= 0 || score > 1 {
		t.Errorf("score %v", score)
	}
	if none := ask(object{"threshold": 1.01}); len(none) != 0 {
		t.Errorf("above the highest threshold: %v", none)
	}
	recent := ask(object{"threshold": 0.01, "recency_weight": 1})
	if len(recent) == 0 || recent[0].(object)["score"].(float64) < 0.99 {
		t.Errorf("by recency alone: %v", recent)
	}
	typed := ask(object{"threshold": 1.01, "types": []string{"preference", "error-solution"}})
	if len(typed) != 2 || typed[0].(object)["score"] != 0.25 {
		t.Errorf("by type: %v", typed)
	}
	if one := ask(object{"threshold": 0, "limit": 1}); len(one) != 1 {
		t.Errorf("limit 1 gave %d", len(one))
	}
}

func TestProjectsNamesAndStats(t *testing.T) {
	s := start(t, openService(t))
	if o := s.object("GET", "/projects", nil, 200); len(o["projects"].([]any)) != 0 {
		t.Errorf("an empty machine has %v", o)
	}
	for i := range 3 {
		s.remember(projectTag, fmt.Sprintf("Fact number %d about something else: %s", i, []string{"alpha", "beta", "gamma"}[i]), object{"type": "tech-context"})
	}
	s.remember(userTag, "I prefer tabs over spaces", object{"type": "preference"})
	if o := s.object("POST", "/names", object{"user_id": projectTag, "name": "Velodrome"}, 200); o["success"] != true {
		t.Errorf("naming said %v", o)
	}
	if o := s.object("GET", "/names", nil, 200); o[projectTag] != "Velodrome" {
		t.Errorf("the names are %v", o)
	}
	projects := s.object("GET", "/projects", nil, 200)["projects"].([]any)
	byScope := map[any]object{}
	for _, p := range projects {
		byScope[p.(object)["scope"]] = p.(object)
	}
	if len(projects) != 2 || len(byScope) != 2 {
		t.Fatalf("projects %v", projects)
	}
	p := byScope["project"]
	if diff := cmp.Diff([]string{"count", "last_updated", "name", "scope", "type_counts", "user_id"}, keys(p)); diff != "" {
		t.Errorf("other keys:\n%s", diff)
	}
	if p["user_id"] != projectTag || p["name"] != "Velodrome" || p["count"] != 3.0 || p["type_counts"].(object)["tech-context"] != 3.0 {
		t.Errorf("the project is %v", p)
	}
	if user := byScope["user"]["user_id"].(string); !strings.Contains(user, "_user_") {
		t.Errorf("the user's tag is %s", user)
	}
	want := object{
		"total": 4.0, "by_type": object{"tech-context": 3.0, "preference": 1.0},
		"by_scope": object{"project": 3.0, "user": 1.0}, "projects": 1.0, "users": 1.0,
	}
	if diff := cmp.Diff(want, s.object("GET", "/stats", nil, 200)); diff != "" {
		t.Errorf("other counts (-want +got):\n%s", diff)
	}
}

func TestSupersededMemoriesAreListedOnRequest(t *testing.T) {
	s := start(t, openService(t))
	old := s.remember(projectTag, "The API is served by Flask", nil)
	now := s.remember(projectTag, "Requests are handled by a Go server since March", nil)
	if got := s.ask("PATCH", "/v1/memories/"+now, codememory.Edit{Supersede: []codememory.Supersession{{ID: old, Reason: "rewritten"}}}); got.status != 200 {
		t.Fatal(got)
	}
	if list := s.object("GET", "/memories?user_id="+projectTag, nil, 200)["results"].([]any); len(list) != 1 {
		t.Errorf("by default: %v", list)
	}
	all := s.object("GET", "/memories?include_superseded=true&user_id="+projectTag, nil, 200)["results"].([]any)
	replaced := false
	for _, row := range all {
		replaced = replaced || row.(object)["id"] == old && row.(object)["metadata"].(object)["superseded_by"] == now
	}
	if len(all) != 2 || !replaced {
		t.Errorf("on request: %v", all)
	}
}

func TestSecretsDoNotComeBack(t *testing.T) {
	s := start(t, openService(t))
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	body := object{"messages": []object{{"role": "user", "content": "The deploy token is " + secret + " for now"}}, "user_id": projectTag}
	got := s.ask("POST", "/memories", body)
	list := s.ask("GET", "/memories?user_id="+projectTag, nil)
	if got.status != 200 || strings.Contains(got.body+list.body+s.log.String(), secret) {
		t.Errorf("stored %d %s, listed %s", got.status, got.body, list.body)
	}
	private := object{"messages": []object{{"role": "user", "content": "<private>my salary is a secret</private>"}}, "user_id": projectTag}
	if got := s.ask("POST", "/memories", private); got.status != 400 {
		t.Errorf("a wholly private message gave %d %s", got.status, got.body)
	}
}
