//go:build unix

package project

import (
	"os"
	"strconv"
	"syscall"
)

// fileID returns what stays the same when a directory is renamed, or "".
func fileID(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(stat.Dev), 16) + ":" + strconv.FormatUint(uint64(stat.Ino), 16)
}
