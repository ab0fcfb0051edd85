package term

// Style colours text when it is on, and leaves it alone when it is off.
type Style bool

func (s Style) wrap(code, text string) string {
	if !s || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold marks what the eye should find first.
func (s Style) Bold(text string) string { return s.wrap("1", text) }

// Dim sets back what is only sometimes wanted.
func (s Style) Dim(text string) string { return s.wrap("2", text) }

// Red is for what is broken.
func (s Style) Red(text string) string { return s.wrap("31", text) }

// Green is for what works.
func (s Style) Green(text string) string { return s.wrap("32", text) }

// Yellow is for what needs a look.
func (s Style) Yellow(text string) string { return s.wrap("33", text) }

// Cyan is for ids and names that can be typed again.
func (s Style) Cyan(text string) string { return s.wrap("36", text) }
