// Command testsum reads what `go test -json` writes, shows how each package
// ended and all that failed, and closes with one line that counts the tests.
package main

import (
	"fmt"
	"os"
)

func main() {
	sum, err := Summarize(os.Stdin, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "testsum:", err)
		os.Exit(2)
	}
	fmt.Println(sum)
	if sum.Failed > 0 || sum.Passed == 0 {
		os.Exit(1)
	}
}
