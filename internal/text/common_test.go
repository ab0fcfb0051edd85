package text

import "testing"

func TestCommonnessOrdersWordsByHowOrdinaryTheyAre(t *testing.T) {
	the, function, gateway, unknown := Commonness("the"), Commonness(Stem("function")), Commonness("gateway"), Commonness("zanzibar")
	if !(the > function && function > gateway && gateway >= unknown && unknown == 0 && the < 1) {
		t.Errorf("the %v, function %v, gateway %v, unknown %v", the, function, gateway, unknown)
	}
}
