// Package distill has models read what was captured: it keeps the turns that
// nobody has read yet, takes them in batches when a session is idle, compacted
// or over, and makes memories, summaries and arcs of them.
//
// What a model says is not believed blindly: a fact must be found again in the
// turns it claims to come from, and what rests on the output of a tool alone is
// set aside for a person. No lock is held while a model works; a job is leased,
// and whoever lost his lease stores nothing.
package distill
