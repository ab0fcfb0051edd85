package config

import (
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// How a secret that stands elsewhere is referred to.
const (
	secretEnv  = "env:"
	secretFile = "file:"
)

func isReference(written string) bool {
	return strings.HasPrefix(written, secretEnv) || strings.HasPrefix(written, secretFile)
}

// Secret is a value that is never printed, logged or encoded. It was given
// literally, as env:NAME, a reference to a variable, or as file:PATH, a file
// that only its owner can read.
type Secret struct {
	ref     string // env:NAME or file:PATH
	value   string
	problem string // why the reference gives no value
}

// newSecret resolves what was written.
func newSecret(written string, getenv func(string) string) Secret {
	if name, ok := strings.CutPrefix(written, secretEnv); ok {
		s := Secret{ref: written, value: getenv(name)}
		if s.value == "" {
			s.problem = "refers to the variable " + name + ", which is not set"
		}
		return s
	}
	if path, ok := strings.CutPrefix(written, secretFile); ok {
		s := Secret{ref: written}
		if s.value, s.problem = readSecret(path, getenv); s.problem != "" {
			s.value = ""
		}
		return s
	}
	return Secret{value: written}
}

// maxSecret is far beyond any real key.
const maxSecret = 16 << 10

// readSecret reads a key from a file that nobody else can read.
func readSecret(path string, getenv func(string) string) (value, problem string) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home := getenv("HOME")
		if home == "" {
			home = getenv("USERPROFILE")
		}
		path = filepath.Join(home, rest)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", "refers to a file that cannot be read: " + err.Error()
	case !filepath.IsAbs(path):
		return "", "refers to " + path + ": write the whole path, or one that begins with ~/"
	case !info.Mode().IsRegular() || info.Size() > maxSecret:
		return "", "refers to " + path + ", which is no file with a key"
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Sprintf("refers to %s, which others can read (%o), and is not used: chmod 600 it", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "refers to a file that cannot be read: " + err.Error()
	}
	if value = strings.TrimSpace(string(data)); value == "" {
		return "", "refers to " + path + ", which is empty"
	}
	return value, ""
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
		return s.ref
	case s.ref != "":
		return s.ref + " (not set)"
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
