package text

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed common.txt
var commonList string

// Commonness is the share of short technical English texts that hold a word of
// this stem, 0 for words outside the table. It tells rare words from common
// ones where a collection is too small to show it.
func Commonness(stem string) float64 { return common()[stem] }

var common = sync.OnceValue(func() map[string]float64 {
	m := make(map[string]float64, 4096)
	for line := range strings.SplitSeq(commonList, "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		share := 0.0
		for field := range strings.FieldsSeq(line) {
			if share == 0 {
				p, err := strconv.ParseFloat(field, 64)
				if err != nil {
					break
				}
				share = p
				continue
			}
			m[field] = share
		}
	}
	return m
})
