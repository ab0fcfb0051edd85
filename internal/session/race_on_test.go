//go:build race

package session

// raceFactor is how much slower the race detector makes us.
const raceFactor = 10
