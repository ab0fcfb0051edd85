package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time that a process has used, to the
// microsecond: the clock of the process, not the ticks of /proc/…/stat.
func cpuTime(pid int) (time.Duration, error) {
	const schedulerClock = 2
	var t unix.Timespec
	if err := unix.ClockGettime(int32(^pid<<3|schedulerClock), &t); err != nil {
		return 0, fmt.Errorf("read the processor clock of process %d: %w", pid, err)
	}
	return time.Duration(t.Nano()), nil
}

// resident is the memory of a process, in bytes.
type resident struct {
	all, anonymous int64
	weights        int64 // of the embedding model, part of all
}

// residentMemory looks at a process. Which pages of the model's weights are in
// memory can be told when the packed weights are at hand to be found in the binary.
func residentMemory(pid int, binary, weights string) (resident, error) {
	var r resident
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return r, err
	}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		kb, _ := strconv.ParseInt(f[1], 10, 64)
		switch f[0] {
		case "VmRSS:":
			r.all = kb << 10
		case "RssAnon:":
			r.anonymous = kb << 10
		}
	}
	from, to, err := findWeights(binary, weights)
	if err != nil {
		return r, err
	}
	r.weights, err = residentPart(pid, binary, from, to)
	return r, err
}

// findWeights returns where in the binary the model's weights are.
func findWeights(binary, weights string) (from, to int64, err error) {
	program, err := os.ReadFile(binary)
	if err != nil {
		return 0, 0, err
	}
	packed, err := os.ReadFile(weights)
	if err != nil {
		return 0, 0, fmt.Errorf("the benchmarks run in the root of the source: %w", err)
	}
	at := bytes.Index(program, packed)
	if at < 0 {
		return 0, 0, fmt.Errorf("the model in %s is not the one in %s: build it again", binary, weights)
	}
	return int64(at), int64(at + len(packed)), nil
}

// residentPart counts the bytes of part of a mapped file that a process has in memory.
func residentPart(pid int, file string, from, to int64) (int64, error) {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return 0, err
	}
	defer maps.Close()
	pages, err := os.Open(fmt.Sprintf("/proc/%d/pagemap", pid))
	if err != nil {
		return 0, err
	}
	defer pages.Close()
	size := int64(os.Getpagesize())
	var n int64
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var start, end, offset int64
		var mode, device, path string
		var inode int64
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x %s %x %s %d %s", &start, &end, &mode, &offset, &device, &inode, &path); err != nil || path != file {
			continue
		}
		first, last := max(start, start+from-offset), min(end, start+to-offset)
		for address := first &^ (size - 1); address < last; address += size {
			var entry [8]byte
			if _, err := pages.ReadAt(entry[:], address/size*8); err != nil {
				return 0, err
			}
			if binary.LittleEndian.Uint64(entry[:])>>63 == 1 { // present
				n += size
			}
		}
	}
	return n, nil
}

// machine describes where the numbers come from.
func machine(dir string) string {
	model := "unknown processor"
	if data, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(data), "model name"); ok {
			line, _, _ := strings.Cut(rest, "\n")
			model = strings.TrimLeft(line, "\t :")
		}
	}
	var fs unix.Statfs_t
	kind := "unknown file system"
	if unix.Statfs(dir, &fs) == nil {
		kind = map[int64]string{unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs", unix.OVERLAYFS_SUPER_MAGIC: "overlayfs"}[int64(fs.Type)]
	}
	return model + ", " + kind
}

// load is the number of processes that wanted to run in the last minute.
func load() string {
	data, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(data), " ")
	return one
}
