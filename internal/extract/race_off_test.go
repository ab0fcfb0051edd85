//go:build !race

package extract

const raceOn = false
