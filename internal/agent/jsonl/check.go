package jsonl

import (
	"context"
	"fmt"
	"strings"

	"codememory"
)

// How much of the transcripts Check reads for damage, the last changed first.
const (
	checkedFiles = 50
	checkedBytes = 64 << 20
)

// Check says in one line where the transcripts are, how many there are and what
// is wrong with them.
func (r *Reader) Check(ctx context.Context) (string, error) {
	files, err := r.files(ctx)
	if err != nil {
		return "", err
	}
	facts := []string{plural(len(files), "session")}
	var damaged, unreadable int
	var read int64
	for i, f := range files {
		if i >= checkedFiles || i > 0 && read+f.size > checkedBytes {
			break
		}
		read += f.size
		s, err := r.summarize(ctx, f)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case codememory.CodeOf(err) == codememory.NotFound: // gone meanwhile
		case err != nil:
			unreadable++
		}
		damaged += s.damaged
	}
	if len(files) > 0 {
		facts = append(facts, "last changed "+files[0].time().Format("2006-01-02 15:04"))
	}
	if damaged > 0 {
		facts = append(facts, plural(damaged, "damaged line")+" skipped")
	}
	if unreadable += r.tree.closed(); unreadable > 0 {
		facts = append(facts, plural(unreadable, "file or folder")+" cannot be read")
	}
	return strings.Join(r.format.Roots, ", ") + ": " + strings.Join(facts, "; "), nil
}

// closed counts the folders that cannot be read.
func (t *tree) closed() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.unreadable)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	if noun == "file or folder" {
		return fmt.Sprintf("%d files or folders", n)
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
