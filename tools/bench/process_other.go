//go:build !linux

package main

import (
	"errors"
	"runtime"
	"time"
)

var errLinux = errors.New("processor time and memory of a process are measured on Linux only")

func cpuTime(int) (time.Duration, error) { return 0, errLinux }

type resident struct{ all, anonymous, weights int64 }

func residentMemory(int, string, string) (resident, error) { return resident{}, errLinux }

func machine(string) string { return runtime.GOOS + "/" + runtime.GOARCH }

func load() string { return "unknown" }
