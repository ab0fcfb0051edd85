// Package term writes for people at a terminal: columns that fit its width,
// colour only where it is wanted, text that cannot drive the terminal, and a
// one-line progress counter.
package term
