package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
)

// profile records what this process does until stop is called, and then what
// it keeps in memory. A profile that cannot be written spoils no measurement.
func (b *bench) profile() (stop func()) {
	if b.profiles == "" {
		return func() {}
	}
	name := filepath.Join(b.profiles, b.current)
	f, err := os.Create(name + ".cpu.pprof")
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: no profile:", err)
		return func() {}
	}
	return func() {
		pprof.StopCPUProfile()
		err := f.Close()
		if err == nil {
			err = writeHeap(name + ".heap.pprof")
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench: profile not written:", err)
		}
	}
}

func writeHeap(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	runtime.GC()
	if err := pprof.WriteHeapProfile(f); err != nil {
		return err
	}
	return f.Close()
}
