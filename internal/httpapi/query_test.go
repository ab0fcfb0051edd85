package httpapi

import "testing"

// A field without the tag is dropped on both sides of the wire in silence.
func TestEveryFieldOfAQueryHasItsNameInTheAddress(t *testing.T) {
	for _, rt := range routes() {
		if rt.query == nil {
			continue
		}
		for i := range rt.query.NumField() {
			if f := rt.query.Field(i); f.Tag.Get("query") == "" {
				t.Errorf("%s %s: %s of its query never arrives", rt.method, rt.path, f.Name)
			}
		}
	}
}
