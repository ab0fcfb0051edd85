package minilm

import (
	"testing"

	"codememory"
)

func TestMissingOrDamagedWeightsAreUnavailable(t *testing.T) {
	for name, packed := range map[string]string{"missing": "", "damaged": "not a model at all"} {
		_, err := loadSpace(packed)
		if codememory.CodeOf(err) != codememory.Unavailable {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
