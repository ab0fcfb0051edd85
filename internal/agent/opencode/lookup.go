package opencode

import "context"

// Counts returns how many projects, messages and todos OpenCode knows.
func (r *Reader) Counts(ctx context.Context) (projects, messages, todos int, err error) {
	s, err := r.Summary(ctx)
	return s.Projects, s.Messages, s.Todos, err
}

// SessionOf returns the session that a message is part of.
func (r *Reader) SessionOf(ctx context.Context, message string) (string, error) {
	m, err := r.Message(ctx, message)
	return m.Session, err
}
