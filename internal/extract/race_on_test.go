//go:build race

package extract

// raceOn reports that the race detector runs, which makes patterns slow.
const raceOn = true
