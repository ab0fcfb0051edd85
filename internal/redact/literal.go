package redact

import "strings"

// couldBeSecret rejects early what is code or prose instead of a literal:
// calls, indexing, interpolation, addresses, paths, sentences.
func couldBeSecret(value string) bool {
	if strings.ContainsAny(value, " \t(){}[]<>") || strings.Contains(value, "://") {
		return false
	}
	switch value[0] {
	case '/', '.', '~', '$', '%', '*', '-', ':', '#':
		return hasDigit(value) && !strings.Contains(value, "/") && value[0] != '-' && !isVariable(value)
	}
	return true
}

// isVariable reports whether value is $NAME, %NAME% or a format verb.
func isVariable(value string) bool {
	return strings.Trim(value[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_%") == ""
}

// plausiblePassword accepts literals that mix letters with digits or signs.
func plausiblePassword(value string, a assignment) bool {
	if len(value) < 6 || isWordOnly(value) || isNumber(value) {
		return false
	}
	if a.quote == 0 && isExpression(value) {
		return false
	}
	letters, digits, signs := count(value)
	return letters > 0 && digits > 0 || a.quote != 0 && letters > 2 && signs > 0 && strings.ContainsAny(value, "!@#$%^&*+?~")
}

// plausibleSecret accepts literals of secret names: quoted ones that mix
// letters and digits, others only if they look random.
func plausibleSecret(value string, a assignment) bool {
	letters, digits, _ := count(value)
	if letters == 0 || digits == 0 || len(value) < 8 {
		return false
	}
	if a.quote == 0 || isHexDigest(value) || isUUID(value) {
		return false
	}
	return entropy(value) >= 3 && changes(value) >= 0.25 && !isExpression(value)
}

// genericSecret accepts what looks random under a name that may be secret.
func genericSecret(value string, kind nameKind) bool {
	if len(value) < 10 || !looksRandom(value) || isUUID(value) {
		return false
	}
	if hasCommonWord(value) || isVersion(value) {
		return false
	}
	return kind != weakName || !isHexDigest(value) && !isPublicForm(value)
}

// hasCommonWord reports whether an identifier's word stands in s. In a random
// text of thirty characters one does once in several hundred.
func hasCommonWord(s string) bool {
	s = strings.ToLower(s)
	for _, word := range [...]string{
		"auth", "build", "client", "code", "config", "data", "error", "event", "file", "hash", "index", "key", "length", "list", "module",
		"name", "node", "page", "private", "public", "secret", "server", "service", "size", "state", "string", "table", "test", "token",
		"type", "user", "value", "version", "view",
	} {
		if strings.Contains(s, word) {
			return true
		}
	}
	return false
}

// isVersion reports whether s begins as a version does: v1.2 or 1.2.
func isVersion(s string) bool {
	s = strings.TrimPrefix(s, "v")
	rest := strings.TrimLeft(s, "0123456789")
	return len(rest) < len(s) && len(rest) > 1 && rest[0] == '.' && isDigit(rest[1])
}

// hasRun reports whether some byte stands n times in a row.
func hasRun(s string, n int) bool {
	run := 1
	for i := 1; i < len(s); i++ {
		if s[i] != s[i-1] {
			run = 1
		} else if run++; run == n {
			return true
		}
	}
	return false
}

// looksRandom reports whether s is a single token that mixes digits and
// letters as no word, identifier or version does.
func looksRandom(s string) bool {
	letters, digits, signs := count(s)
	if digits == 0 || letters == 0 || entropy(s) < 3.5 {
		return false
	}
	for i := range len(s) {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	if signs*5 > len(s) {
		return false // dashes and dots every few letters: a name, a path, a version
	}
	return changes(s) >= 0.3
}

// changes is how often, per character, the kind of character changes. Words
// and identifiers change at their borders, random text at every other one. An
// upper-case letter that begins a word is not a change.
func changes(s string) float64 {
	kind := func(c byte) int {
		switch {
		case isLower(c):
			return 1
		case isUpper(c):
			return 2
		case isDigit(c):
			return 3
		}
		return 0
	}
	n := 0
	for i := 1; i < len(s); i++ {
		a, b := kind(s[i-1]), kind(s[i])
		if a != b && a != 0 && b != 0 && !(a == 2 && b == 1) {
			n++
		}
		if a == 2 && b == 1 && i > 1 && kind(s[i-2]) != 1 {
			n++
		}
	}
	return float64(n) / float64(len(s))
}

func count(s string) (letters, digits, signs int) {
	for i := range len(s) {
		switch c := s[i]; {
		case isDigit(c):
			digits++
		case isLower(c) || isUpper(c):
			letters++
		default:
			signs++
		}
	}
	return letters, digits, signs
}

// isWordOnly reports whether s is made of letters and separators.
func isWordOnly(s string) bool {
	for i := range len(s) {
		if c := s[i]; !isLower(c) && !isUpper(c) && strings.IndexByte("_.-/", c) < 0 {
			return false
		}
	}
	return true
}

func isNumber(s string) bool { return strings.Trim(s, "0123456789.,_") == "" }

// isExpression reports whether s reads as code: a selector such as
// config.Token2, or a name in snake_case.
func isExpression(s string) bool {
	if strings.ContainsAny(s, "!@#$%^&*+?~=/") {
		return false
	}
	dots := strings.Count(s, ".") + strings.Count(s, "_")
	return dots > 0 && changes(s) < 0.25
}

func isUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if s[i] != '-' {
				return false
			}
		} else if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isHexDigest reports whether s has the form of an MD5, SHA-1, SHA-256,
// SHA-384 or SHA-512 digest.
func isHexDigest(s string) bool {
	switch len(s) {
	case 32, 40, 64, 96, 128:
	default:
		return false
	}
	for i := range len(s) {
		if !isHex(s[i]) {
			return false
		}
	}
	return true
}

// isPublicForm reports whether s begins as digests of lock files and public
// keys do.
func isPublicForm(s string) bool {
	for _, prefix := range [...]string{
		"sha1-", "sha256-", "sha384-", "sha512-", "md5-", "h1:",
		"MFkwEwYHKoZIzj0", "MHYwEAYHKoZIzj0", "MCowBQYDK2V", "MIIBIjANBgkq", "MIIBojANBgkq", "MIICIjANBgkq", // PKIX: P-256, P-384, Ed25519, RSA
		"AAAAB3NzaC1", "AAAAC3NzaC1", "AAAAE2VjZHNh", // OpenSSH
	} {
		if strings.HasPrefix(s, prefix) {
			return true
		}
	}
	return false
}
