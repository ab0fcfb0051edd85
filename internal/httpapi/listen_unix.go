//go:build !windows

package httpapi

import "syscall"

const errAddressInUse = syscall.EADDRINUSE
