package redact

import (
	"slices"
	"strings"
)

// nameKind is how sure a name makes us that its value is secret.
type nameKind uint8

const (
	weakName     nameKind = iota // "key", "auth", "token_type": the value has to look random
	secretName                   // "api_key", "client_secret": a literal that is no word is enough
	passwordName                 // "db_password": people choose these, they need not look random
)

// The rules that judge a value by its name.
const (
	envRule      = "env-secret"
	passwordRule = "password"
	secretRule   = "secret"
	genericRule  = "generic-api-key"
)

// secretEndings are the ends of names, without separators and in lower case,
// that say secret.
var secretEndings = [...]string{
	"secret", "secretkey", "secretaccesskey", "secretkeybase", "accesskey", "apikey", "apisecret", "token",
	"privatekey", "credential", "credentials", "creds", "signingkey", "encryptionkey", "masterkey", "authkey",
	"accountkey", "appkey", "licensekey", "webhookkey", "secretid",
}

var passwordEndings = [...]string{"password", "passwd", "passphrase", "passwort", "pwd", "pgpass"}

// addNames puts the judgement of values behind the words in secret names.
func addNames(t *keywordTable) {
	for _, word := range [...]string{
		"access", "api", "auth", "credential", "creds", "key", "passwd", "password", "passphrase", "passwort",
		"pwd", "pgpass", "secret", "token",
	} {
		t.add(word, true, namedValue)
	}
	t.add("pass", true, passWord)
	for _, word := range passwordEndings[:4] {
		t.add(word+" is ", true, spokenPassword)
	}
	for _, word := range [...]string{"key", "secret", "token"} {
		t.add(word+" is ", true, spokenSecret)
	}
	t.add("identified by ", true, sqlPassword)
}

// publicNames are parts of names, without separators and in lower case, that
// make a name with one of the words above public. It is gitleaks' list (MIT,
// see NOTICE) with some additions.
var publicNames = [...]string{
	"accessibility", "accessor", "accessid", "randomaccess", "apiid", "apiname", "apiversion", "rapid", "capital",
	"authenticationresults", "exchangeorganizationauth", "credentialid", "credentialsid", "withcredentials",
	"bucketkey", "cachekey", "foreignkey", "hotkey", "idempotencykey", "idxkey", "naturalkey", "partitionkey", "primarykey", "pubkey",
	"publickey", "schemakey", "sequencekey", "sortkey", "turkey", "keyalias", "keyboard", "keycode", "keyframe", "keyid", "keylength",
	"keymesh", "keyname", "keypair", "keypress", "keyring", "keyselector", "keysignature", "keysize", "keystone", "keystoretype", "keyword",
	"keyup", "keydown", "keyleft", "keyright", "keyvaultid", "keyvaultname", "keyvaulttostoresecrets", "keystorefile", "keystorepath",
	"keytabfile", "keytabpath", "issuerkeyhash", "monkey", "keying", "keyfile", "keypath", "secretlength", "secretname", "secretsize",
	"secretfile", "secretpath", "usersecretsid", "csrftoken", "xsrftoken", "jsonwebtoken", "apiendpoint", "apiurl", "apiuri",
	"credentialsendpoint", "credentialsurl", "credentialsuri", "tokenendpoint", "tokenurl", "tokenuri", "publictoken", "tokenfile",
	"tokenpath", "passwordfile", "passwordpath", "pagetoken", "continuationtoken", "nexttoken", "synctoken", "tokencount", "tokentype",
	"tokenlimit", "tokenid", "fingerprint", "thumbprint", "certificate",
}

// isPublic reports whether a name is known to be public: a weak one by any
// part of it and of what stands between it and its value, one that says secret
// only by its end. PAGE_TOKEN is public, KEYSTONE_PASSWORD is not.
func isPublic(whole, name string, kind nameKind) bool {
	if kind != weakName {
		plain := plainName(name)
		return slices.ContainsFunc(publicNames[:], func(part string) bool { return strings.HasSuffix(plain, part) })
	}
	plain := plainName(whole)
	if slices.ContainsFunc(publicNames[:], func(part string) bool { return strings.Contains(plain, part) }) {
		return true
	}
	return strings.Contains(plain, "author") && !strings.Contains(plain, "authori")
}

// plainName is a name in lower case without separators.
func plainName(name string) string {
	b := make([]byte, 0, len(name))
	for i := range len(name) {
		if c := lower(name[i]); isLower(c) || isDigit(c) {
			b = append(b, c)
		}
	}
	return string(b)
}

// namedValue redacts the value that a secret name is given, if it is a
// literal that can be secret.
func namedValue(s *scan, start, end int) {
	a, ok := assignmentAfter(s.text, end)
	if !ok {
		if a, ok = flagValue(s.text, start, end); !ok {
			return
		}
	}
	if !isOneAssignment(s.text, a) {
		return
	}
	value := valueAt(s.text, a)
	if len(value) < 4 || !couldBeSecret(value) || isChecksumName(a.between) {
		return
	}
	nameStart := start
	for nameStart > 0 && start-nameStart < 50 && (isWord(s.text[nameStart-1]) || s.text[nameStart-1] == '-' || s.text[nameStart-1] == '.') {
		nameStart--
	}
	if strings.HasSuffix(s.text[:nameStart], "//") {
		return // the user of a URL, whose password has its own rule
	}
	name := s.text[nameStart:end] + identifierPart(a.between)
	kind := kindOf(name)
	rule := ""
	switch {
	case inHeaderOption(s.text, nameStart) && a.op == ":":
		if len(value) >= 8 && hasDigit(value) && entropy(value) >= 2.75 {
			rule = "curl-auth-header"
		}
	case kind != weakName && isEnvironment(name, a):
		if environmentSecret(value, kind, a) {
			rule = envRule
		}
	case kind == passwordName && plausiblePassword(value, a) && !isKnownTerm(value):
		rule = passwordRule
	case kind == secretName && plausibleSecret(value, a):
		rule = secretRule
	case kind != weakName && isUUID(value) && (a.quote != 0 || a.op == "=" && !a.spaced):
		rule = genericRule
	case genericSecret(value, kind):
		rule = genericRule
	}
	if rule == "" || isPlaceholder(value) || isComplaint(s.text[:nameStart]) || isPublic(s.text[nameStart:a.value], name, kind) {
		return
	}
	s.add(rule, a.value, valueEnd(s.text, a, a.value+len(value), len(s.text)))
}

// isOneAssignment rejects what only looks like one: the elements of a list, a
// variable among arguments, a heading and the line after it.
func isOneAssignment(text string, a assignment) bool {
	lines := strings.Contains(text[a.prefix:a.value], "\n")
	switch a.op {
	case ",":
		return a.quote != 0 && !lines
	case ">":
		return true
	default:
		return a.quote != 0 || !lines
	}
}

// isChecksumName reports whether what stands before the operator announces a
// digest, as in the lines of go.sum.
func isChecksumName(between string) bool {
	fields := strings.Fields(between)
	if len(fields) == 0 {
		return false
	}
	last := fields[len(fields)-1]
	for _, digest := range [...]string{"h1", "md5", "sha1", "sha256", "sha384", "sha512"} {
		if strings.HasSuffix(last, digest) {
			return true
		}
	}
	return false
}

// isComplaint reports whether the text before a name makes it one of a
// parser's, as in "unexpected token".
func isComplaint(before string) bool {
	for _, word := range [...]string{"unexpected ", "unrecognized ", "invalid ", "illegal ", "unknown ", "bad "} {
		if len(before) >= len(word) && hasPrefixFold(before[len(before)-len(word):], word) {
			return true
		}
	}
	return false
}

// passWord judges the value of names that end in the word pass, such as
// SMTP_PASS. Names that merely hold its letters, such as bypass, do not count,
// and the bare word only near a user's: most often it is a test's result.
func passWord(s *scan, start, end int) {
	if end < len(s.text) && isWord(s.text[end]) {
		return
	}
	switch {
	case start > 0 && (s.text[start-1] == '_' || s.text[start-1] == '.'):
	case start > 0 && isLower(s.text[start-1]) && isUpper(s.text[start]):
	case start > 0 && isAlnum(s.text[start-1]):
		return
	default:
		before := strings.ToLower(s.text[max(0, start-60):start])
		if !strings.Contains(before, "user") && !strings.Contains(before, "login") {
			return
		}
	}
	namedValue(s, start, end)
}

// flagValue reads `--name value` of a command line, and `login me password
// value` of a .netrc file.
func flagValue(text string, start, end int) (assignment, bool) {
	i := start
	for i > 0 && start-i < 30 && (isWord(text[i-1]) || text[i-1] == '-') {
		i--
	}
	j := end
	for j < len(text) && j < end+20 && (isWord(text[j]) || text[j] == '-') {
		j++
	}
	login := strings.Contains(text[max(0, i-80):i], "login ")
	if !strings.HasPrefix(text[i:], "--") && !login || j >= len(text)-1 || text[j] != ' ' || text[j+1] == '-' {
		return assignment{}, false
	}
	a := assignment{between: text[end:j], op: " ", prefix: j, value: j + 1, spaced: true}
	if isQuote(text[j+1]) {
		a.quote = text[j+1]
		a.value++
	}
	return a, true
}

// inHeaderOption reports whether the name at text[i:] begins the header of
// curl's -H or --header.
func inHeaderOption(text string, i int) bool {
	before := text[max(0, i-12):i]
	if before == "" || !isQuote(before[len(before)-1]) {
		return false
	}
	before = strings.TrimRight(before[:len(before)-1], " =\t")
	return strings.HasSuffix(before, "-H") || strings.HasSuffix(before, "--header")
}

// identifierPart is the beginning of what follows a keyword that still belongs
// to the name.
func identifierPart(between string) string {
	i := 0
	for i < len(between) && (isWord(between[i]) || between[i] == '-' || between[i] == '.') {
		i++
	}
	return between[:i]
}

// kindOf judges a name by its end.
func kindOf(name string) nameKind {
	plain := strings.TrimRight(plainName(name), "0123456789")
	if isPass(name) {
		return passwordName
	}
	for _, ending := range passwordEndings {
		if strings.HasSuffix(plain, ending) {
			return passwordName
		}
	}
	for _, ending := range secretEndings {
		if strings.HasSuffix(plain, ending) {
			return secretName
		}
	}
	return weakName
}

// isPass reports whether a name ends in the word pass.
func isPass(name string) bool {
	const pass = "pass"
	i := len(name) - len(pass)
	if i < 0 || !hasPrefixFold(name[i:], pass) {
		return false
	}
	return i == 0 || !isAlnum(name[i-1]) || isUpper(name[i]) && isLower(name[i-1])
}

// isEnvironment reports whether the assignment has the form of an environment
// file, NAME=value without spaces, or of an environment in JSON or YAML,
// NAME: "value".
func isEnvironment(name string, a assignment) bool {
	if (a.op != "=" || a.spaced) && (a.op != ":" || a.quote == 0) {
		return false
	}
	for i := range len(name) {
		if c := name[i]; !isUpper(c) && !isDigit(c) && c != '_' {
			return false
		}
	}
	return true
}

// environmentSecret accepts what people put into an environment: also words,
// but not where constants of a program look the same.
func environmentSecret(value string, kind nameKind, a assignment) bool {
	if isWordOnly(value) {
		return a.op == "=" && len(value) >= 6
	}
	return kind == passwordName || len(value) >= 6 && !isNumber(value)
}
