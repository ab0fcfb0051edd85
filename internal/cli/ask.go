package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ask puts a question to the user; anything but yes is no.
func (p *program) ask(question string) (bool, error) {
	fmt.Fprintf(p.err, "%s [y/N] ", question)
	line, err := bufio.NewReader(p.in).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, fmt.Errorf("read the answer: %w", err)
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return true, nil
	default:
		return false, nil
	}
}
