package eval

import (
	"bytes"
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestMetricsOfAKnownRanking(t *testing.T) {
	var r run
	r.add([]string{"x", "a", "y", "b"}, []int{100, 100, 2000, 10}, map[string]bool{"a": true, "b": true}, 0)
	r.add(nil, nil, map[string]bool{"a": true}, 0)
	got := r.metrics()
	ideal := 1 + 1/math.Log2(3)
	want := Metrics{
		Queries: 2, AnyAt5: 0.5, AnyAt10: 0.5, FracAt5: 0.5, FracAt10: 0.5, AllAt5: 0.5, AllAt10: 0.5, MRR: 0.25,
		NDCG10: (1/math.Log2(3) + 1/math.Log2(5)) / ideal / 2, Budget: 0.25, Abstained: 0.5,
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-9)); diff != "" {
		t.Error(diff)
	}
}

func TestSessionsAreScoredByTheirBestExchange(t *testing.T) {
	set := Set{
		Name: "s", Collapse: true,
		Documents: []Document{{ID: "S1#0", Session: "S1", Text: "alpha beta"}, {ID: "S1#1", Session: "S1", Text: "alpha gamma"}, {ID: "S2#0", Session: "S2", Text: "delta alpha alpha"}},
		Queries:   []Query{{ID: "q", Text: "alpha gamma", Relevant: []string{"S1#0"}, RelevantSessions: []string{"S1"}}},
	}
	m := measure(t, &Engine{Floor: always(0)}, set)
	if m.AnyAt1 != 1 || m.AllAt5 != 1 || m.MRR != 1 {
		t.Errorf("got %+v", m)
	}
}

func TestServeAnswersEveryLine(t *testing.T) {
	in := strings.Join([]string{
		`{"op":"reset"}`,
		`{"op":"add","docs":[{"id":"a","text":"We rotate refresh tokens because the gateway caches them"},{"id":"b","text":"Pizza on Friday"}]}`,
		`not json`,
		`{"op":"search","query":"gateway refresh tokens","limit":3}`,
		`{"op":"search","query":"gateway refresh tokens","limit":3,"floor":1.5}`,
		`{"op":"fly"}`,
	}, "\n")
	var out bytes.Buffer
	if err := Serve(t.Context(), strings.NewReader(in), &out, &Engine{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	dec := json.NewDecoder(&out)
	for dec.More() {
		var r reply
		if err := dec.Decode(&r); err != nil {
			t.Fatal(err)
		}
		line := "ok"
		if !r.OK {
			line = "error"
		}
		for _, h := range r.Hits {
			line += " " + h.ID
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"ok", "ok", "error", "ok a", "ok", "error"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestHandlerSpeaksTheSameOverHTTP(t *testing.T) {
	srv := httptest.NewServer(Handler(&Engine{}))
	defer srv.Close()
	post := func(path, body string) (int, reply) {
		res, err := http.Post(srv.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		var r reply
		_ = json.NewDecoder(res.Body).Decode(&r) // error pages are text
		return res.StatusCode, r
	}
	post("/reset", "")
	post("/add", `{"docs":[{"id":"a","text":"The gateway caches tokens"}]}`)
	if code, r := post("/search", `{"query":"gateway tokens"}`); code != 200 || len(r.Hits) != 1 || r.Hits[0].ID != "a" {
		t.Errorf("got %d %+v", code, r)
	}
	if code, _ := post("/search", `{`); code != 400 {
		t.Errorf("bad json gives %d", code)
	}
}
