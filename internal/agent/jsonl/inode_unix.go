//go:build unix

package jsonl

import (
	"io/fs"
	"syscall"
)

// inode tells files apart that had the same path.
func inode(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
