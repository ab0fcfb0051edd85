package project

import "testing"

func FuzzDecodeState(f *testing.F) {
	for _, seed := range []string{
		``, `{"version":1}`, `{"version":1,"projects":[null]}`,
		`{"version":1,"projects":[{"id":"p0123456789abcdef","merged_into":"p0123456789abcdef"}]}`,
		`{"version":1,"projects":[{"id":"p0123456789abcdef","name":"a","aliases":["tag:x_project_0123456789abcdef","path:","x"],"roots":[{"path":"","git_dir":"."}]},{"id":"p1123456789abcdef","name":"A"}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeState(data)
		if err != nil {
			return
		}
		snap := newSnapshot(s, data)
		for id := range snap.byID {
			if rec := snap.live(id); rec != nil {
				rec.project(snap.names[rec.ID])
			}
		}
		written, err := s.encode()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := decodeState(written); err != nil {
			t.Errorf("what was written cannot be read: %v\n%s", err, written)
		}
	})
}
