package cli

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/spf13/cobra"
)

// manPage writes the whole command line as one manual page.
func manPage(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(".TH CODEMEMORY 1 \"\" \"CodeMemory\" \"User Commands\"\n")
	fmt.Fprintf(&b, ".SH NAME\ncodememory \\- %s\n", roff(strings.ToLower(root.Short[:1])+root.Short[1:]))
	b.WriteString(".SH SYNOPSIS\n.B codememory\n.I COMMAND\n[\\fIarguments\\fR] [\\fIflags\\fR]\n")
	fmt.Fprintf(&b, ".SH DESCRIPTION\n%s\n.SH EXAMPLES\n%s", roff(root.Long), roffCode(root.Example))
	b.WriteString(".SH FLAGS OF EVERY COMMAND\n")
	b.WriteString(roffFlags(root))
	b.WriteString(".SH COMMANDS\n")
	documented(root, func(c *cobra.Command) {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roff(strings.TrimPrefix(c.UseLine(), root.Name()+" ")), roff(sentence(c.Short)))
		if c.Long != "" {
			fmt.Fprintf(&b, ".PP\n%s\n", roff(c.Long))
		}
		b.WriteString(roffFlags(c))
		if c.Example != "" {
			fmt.Fprintf(&b, ".PP\nExamples:\n%s", roffCode(c.Example))
		}
	})
	for _, t := range topics(root) {
		fmt.Fprintf(&b, ".SH %s\n%s", strings.ToUpper(roff(t.Short)), roffCode(t.Long))
	}
	return b.String()
}

func roffFlags(c *cobra.Command) string {
	flags := c.LocalNonPersistentFlags()
	if !c.HasParent() {
		flags = c.PersistentFlags()
	}
	var b strings.Builder
	eachFlag(flags, func(names, usage string) {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(names), roff(usage))
	})
	return b.String()
}

// roff escapes text: a line must not begin with a control character, a hyphen
// is one that can be copied, what is not ASCII is named by its number, and an
// empty line begins a paragraph.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r > unicode.MaxASCII:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	text = b.String()
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		switch {
		case l == "":
			lines[i] = ".PP"
		case l[0] == '.' || l[0] == '\'':
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}

// roffCode shows text as it stands.
func roffCode(text string) string {
	return ".PP\n.nf\n" + strings.ReplaceAll(roff(text), "\n.PP\n", "\n\n") + "\n.fi\n"
}
