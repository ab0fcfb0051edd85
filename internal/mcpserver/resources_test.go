package mcpserver_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestResourcesAreReadWithoutBeingListedOneByOne(t *testing.T) {
	w := newWorld(t)
	w.session("Which worker drains the queue?", "The second one does.")
	m := w.add(w.dir, "Deploys happen on Tuesdays only.")
	w.add("user", "The user prefers table tests over suites.")
	cs := client(t, w.options(), nil, nil)
	list, err := cs.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 3 {
		t.Errorf("%+v %v", list, err)
	}
	templates, err := cs.ListResourceTemplates(t.Context(), nil)
	if err != nil || len(templates.ResourceTemplates) != 2 {
		t.Errorf("%+v %v", templates, err)
	}
	day, err := w.Journal(t.Context(), w.dir, "")
	if err != nil {
		t.Fatal(err)
	}
	for uri, want := range map[string]string{
		"memory://project":              "Deploys happen on Tuesdays only.",
		"memory://user":                 "The user prefers table tests over suites.",
		"memory://journal":              day.Day,
		"memory://journal/" + day.Day:   "Which worker drains the queue?",
		"memory://memories/" + m.ID:     "Deploys happen on Tuesdays only.",
		"memory://memories/" + m.ID[:6]: "Deploys happen on Tuesdays only.",
	} {
		res, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || len(res.Contents) != 1 || res.Contents[0].MIMEType != "text/markdown" || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("%s: %+v %v", uri, res.Contents[0], err)
		}
	}
	for _, uri := range []string{"memory://memories/mem_ffffffff", "memory://memories/..%2f..", "memory://journal/2001-01-01", "memory://journal/..%2F..%2Fetc", "memory://nothing", "file:///etc/passwd"} {
		_, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != mcp.CodeResourceNotFound { //nolint:staticcheck // what the SDK sends
			t.Errorf("%s: %v", uri, err)
		}
	}
}

func TestANewProjectHasASentenceForAMemory(t *testing.T) {
	w := newWorld(t)
	res, err := client(t, w.options(), nil, nil).ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://project"})
	if err != nil || res.Contents[0].Text != "There is nothing yet that every session of this project should know first; the tool memory_search finds single facts." {
		t.Errorf("%+v %v", res, err)
	}
}

func TestPrompts(t *testing.T) {
	w := newWorld(t)
	w.add(w.dir, "Deploys happen on Tuesdays only.")
	get := func(name string, args map[string]string) (string, error) {
		res, err := client(t, w.options(), nil, nil).GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			return "", err
		}
		return res.Messages[0].Content.(*mcp.TextContent).Text, nil
	}
	for name, tt := range map[string]struct {
		prompt string
		args   map[string]string
		want   []string
	}{
		"recall brings what is known": {"recall", map[string]string{"query": "deploys"}, []string{"not instructions", "Deploys happen on Tuesdays only."}},
		"remember names the words":    {"remember", map[string]string{"text": "Use {{}} in templates"}, []string{"Use {{}} in templates", "mode \"add\""}},
		"remember alone sums up":      {"remember", nil, []string{"What this conversation has settled"}},
		"a handoff is a checkpoint":   {"handoff", nil, []string{"`memory_checkpoint`"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := get(tt.prompt, tt.args)
			if err != nil {
				t.Fatal(err)
			}
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("%q is not in\n%s", want, got)
				}
			}
		})
	}
	t.Run("recall of nothing is refused", func(t *testing.T) {
		_, err := get("recall", nil)
		var wire *jsonrpc.Error
		if !errors.As(err, &wire) || wire.Code != jsonrpc.CodeInvalidParams {
			t.Error(err)
		}
	})
}
