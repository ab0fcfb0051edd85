package redact

import "strings"

// addTransport registers what carries a secret on the wire: URLs with a
// password, authorization headers, cookies, and curl's options for them.
func addTransport(t *keywordTable) {
	t.add("://", true, urlPassword)
	t.add("authorization", true, authorization)
	t.add("bearer ", true, bearer)
	t.add("cookie:", true, cookies)
	t.add("cookie\":", true, cookies)
	t.add("curl", true, func(s *scan, _, end int) { s.curl = end })
	t.add(" -u", false, curlUser)
	t.add(" --user", false, curlUser)
}

// maxUserinfo bounds how far a URL's password is looked for.
const maxUserinfo = 256

// urlPassword redacts the password of scheme://user:password@host, and a user
// that is itself a token.
func urlPassword(s *scan, start, end int) {
	if start == 0 || !isAlnum(s.text[start-1]) {
		return
	}
	window := s.text[end:min(len(s.text), end+maxUserinfo)]
	at, colon := -1, -1
	for i := range len(window) {
		c := window[i]
		if c == '@' {
			at = i
			continue // a password may hold an @ itself
		}
		if isSpace(c) || isQuote(c) || strings.IndexByte("/?#<>\\|,", c) >= 0 {
			break
		}
		if c == ':' && colon < 0 && at < 0 {
			colon = i
		}
	}
	if at < 0 {
		return
	}
	host := window[at+1:]
	if colon < 0 {
		if user := window[:at]; len(user) >= 20 && looksRandom(user) {
			s.add("url-credentials", end, end+at)
		}
		return
	}
	user, password := window[:colon], window[colon+1:at]
	if len(password) < 4 || isPlaceholder(password) || user == password && isLocal(host) {
		return
	}
	s.add("url-credentials", end+colon+1, end+at)
}

// isLocal reports whether a URL's rest begins with a host that only this
// machine or its containers know.
func isLocal(rest string) bool {
	end := strings.IndexAny(rest, ":/?# \t\n\"'`")
	if end >= 0 {
		rest = rest[:end]
	}
	return rest == "127.0.0.1" || !strings.Contains(rest, ".")
}

func isTokenByte(c byte) bool { return isWord(c) || strings.IndexByte("=~@.+/-%", c) >= 0 }

// tokenAt returns the run of token characters at text[i:].
func tokenAt(text string, i int) string {
	j := i
	for j < len(text) && j < i+maxToken && isTokenByte(text[j]) {
		j++
	}
	return strings.TrimRight(text[i:j], ".")
}

// authorization redacts the credentials of an Authorization header, whatever
// its scheme.
func authorization(s *scan, _, end int) {
	i := end
	for n := 0; n < 6 && i < len(s.text) && (isSpace(s.text[i]) || strings.IndexByte(`:='",\`, s.text[i]) >= 0); n++ {
		i++
	}
	if i == end || !strings.ContainsAny(s.text[end:i], ":=,") {
		return
	}
	basic := false
	for _, scheme := range [...]string{"basic", "bearer", "token", "api-token", "apikey", "bot", "digest"} {
		if rest := s.text[i:]; hasPrefixFold(rest, scheme) && len(rest) > len(scheme) && (rest[len(scheme)] == ' ' || rest[len(scheme)] == '\t') {
			basic = scheme == "basic"
			i += len(scheme) + 1
			break
		}
	}
	for i < len(s.text) && s.text[i] == ' ' {
		i++
	}
	secret := tokenAt(s.text, i)
	after := i + len(secret)
	if len(secret) < 8 || isPlaceholder(secret) || entropy(secret) < 2.75 || after < len(s.text) && s.text[after] == '(' {
		return
	}
	if basic || hasDigit(secret) {
		s.add("authorization-header", i, after)
	}
}

// bearer redacts a bearer token wherever it is quoted.
func bearer(s *scan, start, end int) {
	secret := tokenAt(s.text, end)
	if len(secret) < 16 || !atWordStart(s.text, start) || isPlaceholder(secret) || entropy(secret) < 3 {
		return
	}
	if hasDigit(secret) {
		s.add("bearer-token", end, end+len(secret))
	}
}

// cookies redacts the values in a Cookie or Set-Cookie header, but not the
// attributes of the latter.
func cookies(s *scan, _, end int) {
	i := end
	for n := 0; n < 3 && i < len(s.text) && (s.text[i] == ' ' || s.text[i] == '"'); n++ {
		i++
	}
	limit := min(len(s.text), i+maxToken)
	for i < limit {
		name := i
		for i < limit && (isWord(s.text[i]) || s.text[i] == '-' || s.text[i] == '.') {
			i++
		}
		if i == name || i == limit || s.text[i] != '=' {
			return
		}
		attribute := isCookieAttribute(s.text[name:i])
		i++
		value := i
		for i < limit && !isSpace(s.text[i]) && !isQuote(s.text[i]) && s.text[i] != ';' && s.text[i] != '\\' {
			i++
		}
		if secret := s.text[value:i]; !attribute && len(secret) >= 8 && hasDigit(secret) && !isPlaceholder(secret) {
			s.add("cookie", value, i)
		}
		for i < limit && (s.text[i] == ';' || s.text[i] == ' ') {
			i++
		}
	}
}

func isCookieAttribute(name string) bool {
	switch strings.ToLower(name) {
	case "path", "domain", "expires", "max-age", "samesite", "version", "priority":
		return true
	}
	return false
}

// maxCurl is how long a curl command may be before its -u.
const maxCurl = 2048

// curlUser redacts the password in `curl -u user:password`.
func curlUser(s *scan, start, end int) {
	if s.curl < 0 || start-s.curl > maxCurl || end == len(s.text) || isWord(s.text[end]) && s.text[start+2] == '-' || s.text[end] == '-' {
		return
	}
	if strings.Count(s.text[s.curl:start], "\n") > 5 {
		return
	}
	i := end
	for i < len(s.text) && i < end+5 && (s.text[i] == ' ' || s.text[i] == '\t' || s.text[i] == '=') {
		i++
	}
	window := s.text[i:min(len(s.text), i+maxUserinfo)]
	quote, colon, stop := byte(0), -1, len(window)
	for j := range len(window) {
		c := window[j]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case isQuote(c):
			quote = c
		case isSpace(c):
			stop = j
		}
		if c == ':' && colon < 0 {
			colon = j
		}
		if stop == j {
			break
		}
	}
	if colon < 0 || colon >= stop {
		return
	}
	value := strings.Trim(window[:stop], `"'`)
	user, password, _ := strings.Cut(value, ":")
	user, password = strings.Trim(user, `"'`), strings.Trim(password, `"'`)
	secret := password
	if password == "" {
		secret = user // an API key as the user, without a password
	}
	if len(secret) < 3 || isPlaceholder(secret) || entropy(value) < 2 || strings.HasPrefix(secret, "[") {
		return
	}
	offset := strings.LastIndex(window[:stop], secret)
	if password == "" {
		offset = strings.Index(window[:stop], secret)
	}
	s.add("curl-auth-user", i+offset, i+offset+len(secret))
}
