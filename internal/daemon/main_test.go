package daemon

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"codememory/internal/client"
	"codememory/internal/config"
	"codememory/internal/paths"

	"go.uber.org/goleak"
)

// The test binary plays other roles when these are set, so that tests deal
// with real processes.
const (
	envRole    = "CODEMEMORY_TEST_ROLE"    // daemon or client
	envVersion = "CODEMEMORY_TEST_VERSION" // of the program it plays
	envFlags   = "CODEMEMORY_TEST_FLAGS"   // settings, as key=value;key=value
)

func TestMain(m *testing.M) {
	switch os.Getenv(envRole) {
	case "daemon":
		os.Exit(playDaemon())
	case "client":
		os.Exit(playClient())
	}
	// lumberjack keeps its goroutine for the life of the process.
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("gopkg.in/natefinch/lumberjack%2ev2.(*Logger).millRun"),
		goleak.IgnoreTopFunction("gopkg.in/natefinch/lumberjack.v2.(*Logger).millRun"))
}

func playDaemon() int {
	err := func() error {
		layout, err := paths.Resolve(os.Getenv)
		if err != nil {
			return err
		}
		loaded, err := load(os.Getenv(envFlags))
		if err != nil {
			return err
		}
		return Run(context.Background(), Options{Layout: layout, Config: loaded, Version: os.Getenv(envVersion)})
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return ExitCode(err)
}

// playClient prints which daemon it got.
func playClient() int {
	layout, err := paths.Resolve(os.Getenv)
	if err == nil {
		os.Setenv(envRole, "daemon")
		var c *client.Client
		if c, err = client.Ensure(context.Background(), ensureOptions(layout)); err == nil {
			h, healthErr := c.Health(context.Background())
			fmt.Println(h.PID)
			err = healthErr
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// load gives the settings of tests: any port, no model, and what flags say.
func load(flags string) (*config.Loaded, error) {
	values := map[string]string{"http.port": "0", "embedding.provider": "none"}
	for pair := range strings.SplitSeq(flags, ";") {
		if key, value, ok := strings.Cut(pair, "="); ok {
			values[key] = value
		}
	}
	return config.Load(config.Sources{Flags: values})
}

// ensureOptions start this binary as a daemon. Under the race detector and
// with many processes at once, it takes longer to come up than usual.
func ensureOptions(l paths.Layout) client.EnsureOptions {
	return client.EnsureOptions{Layout: l, Version: os.Getenv(envVersion), Command: []string{os.Args[0]}, Wait: 20 * time.Second}
}
