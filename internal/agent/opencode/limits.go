package opencode

// Limits of what is taken into memory at once.
const (
	bigRow  = 256 << 10 // rows above it are taken apart by SQLite
	bigText = 1 << 20   // of a message
)
