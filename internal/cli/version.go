package cli

import (
	"runtime"
	"runtime/debug"
)

// release is the version a release build sets with
// -ldflags "-X codememory/internal/cli.release=v1.2.3".
var release string

// Version returns what this binary is: a release, or the commit it was built
// from, or just devel, which is neither older nor newer than anything.
func Version() string {
	if release != "" {
		return release
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

type versionInfo struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func runVersion(p *program) error {
	v := versionInfo{Version: p.version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if p.JSON {
		return p.printJSON(v)
	}
	p.printf("codememory %s (%s, %s)\n", v.Version, v.Go, v.Platform)
	return nil
}
