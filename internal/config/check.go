package config

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"time"
)

// checks are the tests that the check tag of a key can name. They get a value
// of the key's own type.
var checks = map[string]func(any) error{
	"timezone": func(v any) error {
		if _, err := time.LoadLocation(v.(string)); err != nil {
			return fmt.Errorf("%q is no time zone: use a name such as Europe/Vienna, or leave it empty", v)
		}
		return nil
	},
	"url": func(v any) error {
		text := v.(string)
		if text == "" {
			return nil
		}
		u, err := url.Parse(text)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
			return fmt.Errorf("%q is no address: it begins with http:// or https:// and a host", text)
		}
		if u.User != nil { // it would be shown wherever settings are
			return fmt.Errorf("the address holds a user name or password: use the key for it")
		}
		return nil
	},
	"regexp": func(v any) error {
		for _, pattern := range v.([]string) {
			if _, err := regexp.Compile(pattern); err != nil {
				return fmt.Errorf("%q is no regular expression: %w", pattern, err)
			}
		}
		return nil
	},
	"glob": func(v any) error {
		for _, pattern := range v.([]string) {
			if _, err := path.Match(pattern, ""); err != nil {
				return fmt.Errorf("%q is no glob: %w", pattern, err)
			}
		}
		return nil
	},
}
