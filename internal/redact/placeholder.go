package redact

import "strings"

// madeUp are pieces of values that documentation uses in the place of a secret.
var madeUp = [...]string{"example", "xxxx", "****", "redacted", "placeholder", "your-", "your_", "abcdefghijklmnop", "0000000000", "....", "…"}

// isMadeUp reports whether a token is an example: it says so, or repeats
// itself. Only what a real token never contains counts.
func isMadeUp(token string) bool {
	folded := strings.ToLower(token)
	for _, word := range madeUp {
		if strings.Contains(folded, word) {
			return true
		}
	}
	return false
}

// stands are words inside values that stand for a secret instead of being one.
var stands = [...]string{
	"your", "changeme", "change_me", "change-me", "changeit", "replace", "dummy", "sample", "todo", "fixme", "insert", "foobar",
	"process.env", "os.environ", "getenv", "import.meta", "secrets.", "env.", "vault:", "op://", "arn:aws", "${", "$(", "{{", "}}",
	"<", ">", "%s", "%v", "%d", "my-", "my_", "fake", "mock", "1234567890",
}

// isOrdinary reports whether a whole value, in lower case, is no secret: a word
// for one, a default that everybody knows, or a literal of programming languages.
func isOrdinary(value string) bool {
	switch value {
	case "password", "passwd", "pass", "pwd", "passphrase", "secret", "token", "apikey", "api_key", "api-key", "key", "user",
		"username", "admin", "root", "guest", "test", "testing", "postgres", "mysql", "redis", "mongo", "rabbitmq", "minio",
		"localhost", "local", "dev", "true", "false", "null", "none", "nil", "undefined", "string", "required", "optional", "empty",
		"unset", "value", "hidden", "disabled", "enabled", "default", "foo", "bar", "baz":
		return true
	}
	return false
}

// shortenedToken is the length from which on a value that ends in dots shows
// enough of a secret to hide it.
const shortenedToken = 20

// isNumbered reports whether value, in lower case, is a word for a secret with
// a number: password1, token123.
func isNumbered(value string) bool {
	switch strings.TrimRight(value, "0123456789") {
	case "password", "passwd", "pass", "secret", "token", "key", "test":
		return true
	}
	return false
}

// isPlaceholder reports whether value stands for a secret, or is one that is
// no secret.
func isPlaceholder(value string) bool {
	folded := strings.ToLower(value)
	if isOrdinary(folded) || isNumbered(folded) || isMadeUp(value) {
		return true
	}
	if strings.HasSuffix(value, "...") && len(value) < shortenedToken {
		return true
	}
	for _, word := range stands {
		if strings.Contains(folded, word) {
			return true
		}
	}
	if isVariable("$"+value) && value[0] == '%' && value[len(value)-1] == '%' || value[0] == '$' && isVariable(value) && strings.ToUpper(value) == value {
		return true
	}
	return strings.Count(value, value[:1]) == len(value)
}

// isKnownTerm reports whether value is the name of an algorithm or a protocol,
// which mixes letters and digits as passwords do.
func isKnownTerm(value string) bool {
	folded := strings.ToLower(value)
	for _, term := range [...]string{"base64", "base32", "sha", "md5", "argon", "bcrypt", "scrypt", "pbkdf", "utf", "oauth", "http", "aes", "ascii", "rot13", "k8s", "i18n"} {
		if strings.HasPrefix(folded, term) {
			return true
		}
	}
	return false
}
