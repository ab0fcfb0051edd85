// Command cast runs a session of the real program in an empty home and draws it
// as an animated picture of a terminal:
//
//	go run ./tools/cast -program bin/codememory -out docs/terminal.svg
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// scene is one command, and how its output is shortened for the picture.
type scene struct {
	command string
	dir     string // of the two projects
	most    int    // lines shown; 0 is all
}

var session = []scene{
	{command: `codememory remember "integration tests need docker compose up db first"`, dir: "shop"},
	{command: `codememory remember "we chose NATS over Kafka because one broker is enough"`, dir: "shop"},
	{command: `codememory remember --scope user --type preference "I prefer table tests over suites"`, dir: "shop"},
	{command: `codememory search "which message broker, and why?"`, dir: "shop"},
	{command: `codememory why fix the flaky integration test`, dir: "shop"},
	{command: `codememory why what is the capital of Peru`, dir: "shop", most: 2},
	{command: `codememory status`, dir: "shop", most: 14},
}

func main() {
	log.SetFlags(0)
	program := flag.String("program", "bin/codememory", "the built program")
	out := flag.String("out", "docs/terminal.svg", "the picture to write")
	flag.Parse()
	if err := record(*program, *out); err != nil {
		log.Fatal("cast: ", err)
	}
}

func record(program, out string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "cast")
	if err != nil {
		return err
	}
	defer os.RemoveAll(home)
	bin := filepath.Join(home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	if err := os.Symlink(program, filepath.Join(bin, "codememory")); err != nil {
		return err
	}
	env := []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "LANG=C.UTF-8", "COLUMNS=96", "TZ=UTC"}
	var shown []shot
	for _, s := range session {
		dir := filepath.Join(home, "src", s.dir)
		if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
			return err
		}
		text, err := run(s.command, dir, env)
		if err != nil {
			return err
		}
		shown = append(shown, shot{s.command, shorten(strings.ReplaceAll(text, home, "~"), s.most)})
	}
	if _, err := run("codememory stop", home, env); err != nil {
		return err
	}
	return os.WriteFile(out, []byte(draw(shown)), 0o644)
}

func run(command, dir string, env []string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", command)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s: %w: %s", command, err, out.String())
	}
	return out.String(), nil
}

func shorten(text string, most int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if most > 0 && len(lines) > most {
		lines = append(lines[:most], "…")
	}
	return lines
}
