//go:build !race

package session

const raceFactor = 1
