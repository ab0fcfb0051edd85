// Package codememory holds the nouns of CodeMemory, the interfaces between its
// parts and its one error type. It imports nothing but the standard library and
// does no I/O: everything that touches a disk, a socket or a model is an
// adapter under internal/ that implements or uses what is declared here.
package codememory
