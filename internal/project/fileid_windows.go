package project

import (
	"strconv"

	"golang.org/x/sys/windows"
)

// fileID returns what stays the same when a directory is renamed, or "".
func fileID(path string) string {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return ""
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return ""
	}
	defer windows.CloseHandle(h)
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err != nil {
		return ""
	}
	index := uint64(info.FileIndexHigh)<<32 | uint64(info.FileIndexLow)
	return strconv.FormatUint(uint64(info.VolumeSerialNumber), 16) + ":" + strconv.FormatUint(index, 16)
}
