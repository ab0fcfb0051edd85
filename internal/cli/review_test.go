package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"codememory"
)

// deciding is a service that notes what was decided.
type deciding struct {
	codememory.LifecycleService
	did []string
}

func (d *deciding) Decide(_ context.Context, ref codememory.Ref, x codememory.Decision) (codememory.Memory, error) {
	d.did = append(d.did, strings.TrimSpace(string(x.Action)+" "+ref.ID[:1]+" "+strings.Join(shorts(x.Others), ",")))
	return codememory.Memory{}, nil
}

func (d *deciding) Promote(_ context.Context, ref codememory.Ref, confirmed bool) (codememory.Promotion, error) {
	if confirmed {
		d.did = append(d.did, "promote "+ref.ID[:1])
	}
	return codememory.Promotion{}, nil
}

func shorts(ids []string) []string {
	var out []string
	for _, id := range ids {
		out = append(out, id[:1])
	}
	return out
}

func TestReviewDecidesWithOneKeyEach(t *testing.T) {
	a, b := known("a", "one"), known("b", "two")
	items := map[codememory.ReviewKind][]codememory.Memory{
		codememory.ReviewQuarantine: {a}, codememory.ReviewUnsure: {a}, codememory.ReviewPromotion: {a},
		codememory.ReviewConflict: {a, b}, codememory.ReviewDuplicate: {a, b},
	}
	for _, tt := range []struct {
		kind codememory.ReviewKind
		keys string
		want []string
		more bool
	}{
		{codememory.ReviewQuarantine, "a", []string{"accept a"}, true},
		{codememory.ReviewQuarantine, "zF", []string{"reject a"}, true}, // z means nothing here
		{codememory.ReviewUnsure, "s", nil, true},
		{codememory.ReviewUnsure, "q", nil, false},
		{codememory.ReviewUnsure, "", nil, false}, // the input ended
		{codememory.ReviewConflict, "2", []string{"keep b a"}, true},
		{codememory.ReviewConflict, "9a1", []string{"keep a b"}, true},
		{codememory.ReviewDuplicate, "b", []string{"separate a b"}, true},
		{codememory.ReviewPromotion, "a", []string{"promote a"}, true},
	} {
		var out, errs bytes.Buffer
		p := newProgram(strings.NewReader(""), &out, &errs)
		d, keys := &deciding{}, strings.NewReader(tt.keys)
		v := reviewer{program: p, service: d, key: keys.ReadByte}
		more, err := v.one(t.Context(), 1, 1, codememory.ReviewItem{Kind: tt.kind, Reason: "why", Memories: items[tt.kind]})
		if err != nil || more != tt.more {
			t.Errorf("%s %q: more %v, %v", tt.kind, tt.keys, more, err)
		}
		if diff := cmp.Diff(tt.want, d.did); diff != "" {
			t.Errorf("%s %q:\n%s", tt.kind, tt.keys, diff)
		}
		if keys.Len() > 0 {
			t.Errorf("%s %q: keys were left", tt.kind, tt.keys)
		}
	}
}
