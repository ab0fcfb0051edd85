package cli

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"strings"
	"time"
	"unicode/utf16"

	"codememory"
	"codememory/internal/cli/term"
)

// clipboardTime is how long a program may take to take a text.
const clipboardTime = 5 * time.Second

// copyText puts a text on the user's clipboard: with the platform's own program
// or, in a terminal without one such as over ssh, by asking the terminal.
func (p *program) copyText(ctx context.Context, text string) error {
	var problems []string
	for _, c := range clipboardPrograms(runtime.GOOS, p.getenv) {
		err := giveTo(ctx, c, text)
		if err == nil {
			return nil
		}
		problems = append(problems, err.Error())
	}
	for _, out := range []io.Writer{p.err, p.out} {
		if term.IsTerminal(out) {
			return askTerminal(out, text)
		}
	}
	if problems == nil {
		problems = []string{"there is no display, and this is no terminal"}
	}
	return codememory.Errorf(codememory.Unavailable, "cannot copy to the clipboard: %s", strings.Join(problems, "; "))
}

// giveTo runs a program with the text as its input.
func giveTo(ctx context.Context, command []string, text string) error {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return fmt.Errorf("%s is not installed", command[0])
	}
	ctx, cancel := context.WithTimeout(ctx, clipboardTime)
	defer cancel()
	// Some stay to serve the text, so nothing may wait for their output.
	cmd := exec.CommandContext(ctx, path, command[1:]...)
	cmd.Stdin = strings.NewReader(text)
	if command[0] == windowsClip {
		cmd.Stdin = bytes.NewReader(utf16Text(text))
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", command[0], err)
	}
	return nil
}

// windowsClip takes plain bytes for the console's code page, but knows UTF-16
// by its mark.
const windowsClip = "clip.exe"

func utf16Text(text string) []byte {
	out := []byte{0xFF, 0xFE}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return out
}

// clipboardPrograms are the programs to try, in their order.
func clipboardPrograms(system string, env func(string) string) [][]string {
	switch system {
	case "darwin":
		return [][]string{{"pbcopy"}}
	case "windows":
		return [][]string{{windowsClip}}
	}
	var list [][]string
	if env("WAYLAND_DISPLAY") != "" {
		list = append(list, []string{"wl-copy"})
	}
	if env("DISPLAY") != "" {
		list = append(list, []string{"xclip", "-selection", "clipboard"}, []string{"xsel", "--clipboard", "--input"})
	}
	if env("WSL_DISTRO_NAME") != "" {
		list = append(list, []string{windowsClip})
	}
	return list
}

// askTerminal asks the terminal to copy (OSC 52). Whether it does is up to it.
func askTerminal(tty io.Writer, text string) error {
	_, err := fmt.Fprintf(tty, "\x1b]52;c;%s\a", base64.StdEncoding.EncodeToString([]byte(text)))
	return err
}
