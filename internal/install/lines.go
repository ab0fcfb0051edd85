package install

import "bytes"

// gap is what separates a block from the text above it.
func gap(text []byte) string {
	newline := "\n"
	if bytes.Contains(text, []byte("\r\n")) {
		newline = "\r\n"
	}
	switch {
	case len(text) == 0:
		return ""
	case bytes.HasSuffix(text, []byte("\n")):
		return newline
	default:
		return newline + newline
	}
}

// spanOf finds the lines from one that begins with begin to one that begins
// with end; start is -1 when there are none.
func spanOf(text []byte, begin, end string) (start, stop int) {
	if start = lineWith(text, 0, begin); start < 0 {
		return -1, -1
	}
	last := lineWith(text, start, end)
	if last < 0 {
		return -1, -1
	}
	if i := bytes.IndexByte(text[last:], '\n'); i >= 0 {
		return start, last + i + 1
	}
	return start, len(text)
}

// cutLines removes such spans, each with the empty line above it that set it
// apart. One without an end is left alone.
func cutLines(text []byte, begin, end string) []byte {
	for {
		start, stop := spanOf(text, begin, end)
		if start < 0 {
			return text
		}
		head, tail := text[:start], text[stop:]
		if len(tail) == 0 || tail[0] == '\n' || tail[0] == '\r' {
			switch {
			case bytes.HasSuffix(head, []byte("\r\n\r\n")):
				head = head[:len(head)-2]
			case bytes.HasSuffix(head, []byte("\n\n")):
				head = head[:len(head)-1]
			}
		}
		text = append(bytes.Clone(head), tail...)
	}
}

// lineWith finds the first line from an offset on that begins with prefix.
func lineWith(text []byte, from int, prefix string) int {
	for at := from; at < len(text); {
		if bytes.HasPrefix(text[at:], []byte(prefix)) {
			return at
		}
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return -1
		}
		at += i + 1
	}
	return -1
}
