package config

import (
	"encoding/json"
	"strconv"
	"time"
)

// Duration is a time span that is written as text such as "30m".
type Duration struct{ time.Duration }

// String returns the span without the zero units of the standard library:
// "30m", not "30m0s".
func (d Duration) String() string {
	s := d.Duration.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if n := len(s) - len(zero); n > 0 && s[n:] == zero {
			s = s[:n+1]
		}
	}
	return s
}

// MarshalText writes the span as it is read.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Floor is a score from 0 to 1, or the default of whoever uses it.
type Floor struct {
	Value float64
	IsSet bool
}

// Or returns the floor, or def when none was set.
func (f Floor) Or(def float64) float64 {
	if f.IsSet {
		return f.Value
	}
	return def
}

// String returns the number or "default".
func (f Floor) String() string {
	if !f.IsSet {
		return floorDefault
	}
	return strconv.FormatFloat(f.Value, 'g', -1, 64)
}

// MarshalJSON writes the number or "default".
func (f Floor) MarshalJSON() ([]byte, error) {
	if !f.IsSet {
		return json.Marshal(floorDefault)
	}
	return json.Marshal(f.Value)
}

// MarshalText writes the number or "default", in TOML and elsewhere.
func (f Floor) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

const floorDefault = "default"
