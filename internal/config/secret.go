package config

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
)

// secretEnv begins a secret that is the name of a variable.
const secretEnv = "env:"

// Secret is a value that is never printed, logged or encoded. It was given
// literally or as env:NAME, a reference to a variable.
type Secret struct {
	ref   string // NAME of env:NAME
	value string
}

// newSecret resolves what was written.
func newSecret(written string, getenv func(string) string) Secret {
	if name, ok := strings.CutPrefix(written, secretEnv); ok {
		return Secret{ref: name, value: getenv(name)}
	}
	return Secret{value: written}
}

// Reveal returns the value itself, for the one place that sends it.
func (s Secret) Reveal() string { return s.value }

// IsSet reports whether there is a value.
func (s Secret) IsSet() bool { return s.value != "" }

// Equal reports whether both hold the same value from the same place.
func (s Secret) Equal(other Secret) bool {
	return s.ref == other.ref && subtle.ConstantTimeCompare([]byte(s.value), []byte(other.value)) == 1
}

// String says where the secret comes from and whether there is one.
func (s Secret) String() string {
	switch {
	case s.ref != "" && s.IsSet():
		return secretEnv + s.ref
	case s.ref != "":
		return secretEnv + s.ref + " (not set)"
	case s.IsSet():
		return "(hidden)"
	default:
		return ""
	}
}

// Format prints what String says for every verb: some, like %d and %#v, would
// otherwise print the fields.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalJSON writes what String says.
func (s Secret) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// MarshalText writes what String says, in TOML and elsewhere.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// LogValue logs what String says.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.String()) }
