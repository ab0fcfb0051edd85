package wire

import (
	"net/url"
	"testing"
	"time"

	"codememory"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestListRequestSurvivesTheAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		want := codememory.ListRequest{
			Project: text.Draw(t, "project"),
			Reach:   rapid.SampledFrom([]codememory.Reach{"", codememory.ReachAll, codememory.ReachUser}).Draw(t, "reach"),
			Filter: codememory.Filter{
				Entity: text.Draw(t, "entity"),
				Path:   text.Draw(t, "path"),
				Pinned: rapid.Bool().Draw(t, "pinned"),
				Since:  time.Unix(rapid.Int64Range(1, 1<<33).Draw(t, "since"), rapid.Int64Range(0, 1e9-1).Draw(t, "ns")).UTC(),
			},
			PageRequest: codememory.PageRequest{Limit: rapid.IntRange(-5, 500).Draw(t, "limit"), Cursor: text.Draw(t, "cursor")},
		}
		if rapid.Bool().Draw(t, "lists") {
			want.Filter.States = codememory.AnyState
			want.Filter.Types = []codememory.Type{codememory.Preference, codememory.Progress}
			want.Filter.Agents = []string{text.Draw(t, "agent"), "cursor"}
		}
		values, err := url.ParseQuery(EncodeQuery(NewListQuery(want)).Encode())
		if err != nil {
			t.Fatal(err)
		}
		var q ListQuery
		if err := DecodeQuery(values, &q); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, q.Request()); diff != "" {
			t.Fatalf("read back differently (-want +got):\n%s", diff)
		}
	})
}

func TestDecodeQueryRefuses(t *testing.T) {
	for name, query := range map[string]string{
		"a number in words": "limit=ten",
		"a time in words":   "since=yesterday",
		"neither yes or no": "pinned=perhaps",
	} {
		t.Run(name, func(t *testing.T) {
			values, _ := url.ParseQuery(query)
			err := DecodeQuery(values, new(ListQuery))
			if err == nil || codememory.CodeOf(err) != codememory.Invalid {
				t.Errorf("got %v, want it invalid", err)
			}
		})
	}
}

func TestProofIsOfThisTokenQuestionAndAddress(t *testing.T) {
	proof := Proof("token", "nonce", "127.0.0.1:9473")
	if !CheckProof(proof, "token", "nonce", "127.0.0.1:9473") {
		t.Error("a true proof was refused")
	}
	for name, ok := range map[string]bool{
		"another token":     CheckProof(proof, "other", "nonce", "127.0.0.1:9473"),
		"another challenge": CheckProof(proof, "token", "other", "127.0.0.1:9473"),
		"another address":   CheckProof(proof, "token", "nonce", "127.0.0.1:1"),
		"shifted borders":   CheckProof(proof, "token", "nonce127.0.0.1:9473", ""),
		"no proof":          CheckProof("", "token", "nonce", "127.0.0.1:9473"),
	} {
		if ok {
			t.Errorf("%s: accepted", name)
		}
	}
}
