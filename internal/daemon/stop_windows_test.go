package daemon

import "testing"

func stopProcess(t *testing.T, _ int) { t.Helper(); t.Fatal("Windows has no SIGSTOP") }
