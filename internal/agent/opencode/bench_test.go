package opencode_test

import (
	"fmt"
	"strings"
	"testing"

	"codememory"
	"codememory/internal/agent/opencode/opencodetest"
)

// longSession writes a session of n messages, half of them of the agent, each
// of those with a tool that has an output of 2 KB.
func longSession(s *scene, n int) *opencodetest.Session {
	ses := s.Session("/home/dev/app", "long")
	output := strings.Repeat("some output of a tool\n", 100)
	s.Batch(func() {
		for i := range n / 4 {
			user := ses.User(fmt.Sprint("question ", i))
			for range 2 {
				m := ses.Assistant(user)
				m.Tool("bash", data{"command": "go test ./..."}).Complete(output, data{"exit": 0, "output": output})
				m.Finish("tool-calls")
			}
			m := ses.Assistant(user)
			m.Text("this is the answer")
			m.Finish("stop")
		}
	})
	return ses
}

func BenchmarkTurnsOf1000Messages(b *testing.B) {
	s := newScene(b)
	ses := longSession(s, 1000)
	for b.Loop() {
		got, err := s.r.Turns(b.Context(), ses.ID, 2000)
		if err != nil || len(got) != 250 {
			b.Fatalf("%d turns, %v", len(got), err)
		}
	}
}

// manyParts writes 100,000 parts of 1 KB in 1,000 sessions.
func manyParts(s *scene) []*opencodetest.Session {
	var sessions []*opencodetest.Session
	text := strings.Repeat("some text ", 100)
	s.Batch(func() {
		for i := range 1000 {
			ses := s.Session("/home/dev/app", fmt.Sprint("session ", i))
			sessions = append(sessions, ses)
			for range 10 {
				ses.Turn("question", "answer")
			}
		}
	})
	for _, ses := range sessions {
		s.Exec(`WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 60)
			INSERT INTO part SELECT printf('prt_%s_%03d', m.session_id, n.value), m.id, m.session_id, m.time_created, m.time_updated, json_object('type', 'text', 'text', ?)
			FROM n, (SELECT * FROM message WHERE session_id = ? LIMIT 1) m`, text, ses.ID)
	}
	return sessions
}

func BenchmarkChanged100kParts(b *testing.B) {
	for _, events := range []bool{true, false} {
		s := newScene(b)
		s.NoEvents = !events
		sessions := manyParts(s)
		name := map[bool]string{true: "events", false: "no events"}[events]
		_, _, mark := changed(b, s.r, "")
		b.Run(name+"/nothing changed", func(b *testing.B) {
			for b.Loop() {
				if got, _, next := changed(b, s.r, mark); len(got) > 0 || next != mark {
					b.Fatal(got)
				}
			}
		})
		b.Run(name+"/one session changed", func(b *testing.B) {
			_, m := sessions[500].Turn("q", "a")
			part := m.Text("x")
			for b.Loop() {
				part.Save()
				var got []string
				if got, _, mark = changed(b, s.r, mark); len(got) != 1 {
					b.Fatal(got)
				}
			}
		})
		b.Run(name+"/from the beginning", func(b *testing.B) {
			for b.Loop() {
				if got, _, _ := changed(b, s.r, ""); len(got) != 1000 {
					b.Fatal(len(got))
				}
			}
		})
		b.Run(name+"/list 20 of 1000 sessions", func(b *testing.B) {
			for b.Loop() {
				if got, err := s.r.Sessions(b.Context(), codememory.SessionQuery{Limit: 20}); err != nil || len(got) != 20 {
					b.Fatal(err)
				}
			}
		})
		b.ReportMetric(float64(len(mark)), "mark-bytes")
	}
}
