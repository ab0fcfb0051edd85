package httpapi

import "golang.org/x/sys/windows"

const errAddressInUse = windows.WSAEADDRINUSE
