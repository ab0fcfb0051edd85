package project

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// DefaultTagPrefix is the prefix that clients with container tags use unless
// they are configured otherwise.
const DefaultTagPrefix = "opencode"

const (
	userMark    = "_user_"
	projectMark = "_project_"
	tagDigits   = 16

	collectionPrefix = "ms_"
	collectionDigits = 8
	collectionName   = 40

	maxTag = 128
)

// UserTag returns the container tag of the person with this email.
func UserTag(prefix, email string) string { return prefix + userMark + digest(email, tagDigits) }

// Tag returns the container tag of the project in dir, which is hashed
// as it is: clients hash the path they see.
func Tag(prefix, dir string) string { return prefix + projectMark + digest(dir, tagDigits) }

// CollectionName returns the name memsearch gives the collection of dir.
func CollectionName(dir string) string {
	var b strings.Builder
	gap := false
	for _, r := range filepath.Base(dir) {
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap && b.Len() > 0 {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = true
		}
	}
	name := b.String()
	return collectionPrefix + name[:min(len(name), collectionName)] + "_" + digest(dir, collectionDigits)
}

// ValidTag reports whether tag can be a container tag.
func ValidTag(tag string) bool {
	return tag != "" && len(tag) <= maxTag && !strings.ContainsFunc(tag, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '.' || r == '-')
	})
}

// IsUserTag reports whether tag stands for a person and not for a project.
func IsUserTag(tag string) bool { return ValidTag(tag) && strings.Contains(tag, userMark) }

// taggedDigest returns the digits of a path in a project tag, whatever its prefix.
func taggedDigest(tag string) (string, bool) {
	i := strings.LastIndex(tag, projectMark)
	if i < 0 {
		return "", false
	}
	digits := tag[i+len(projectMark):]
	return digits, isHex(digits, tagDigits)
}

func isHex(s string, length int) bool {
	return len(s) == length && strings.Trim(s, "0123456789abcdef") == ""
}

// digest returns the first digits of the SHA-256 of s.
func digest(s string, digits int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])[:digits]
}
