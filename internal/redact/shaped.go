package redact

import (
	"strings"
)

// addShaped registers the secrets whose keyword is not their beginning, and
// those that span lines.
func addShaped(t *keywordTable) {
	t.add("Q~", false, around("azure-ad-client-secret", 4, `[a-zA-Z0-9_~.]{3}\dQ~[a-zA-Z0-9_~.-]{31,34}`, 3))
	t.add("_mmk", false, around("maxmind-license-key", 36, `[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk`, 4))
	t.add(".atlasv1.", false, around("hashicorp-tf-api-token", 14, `(?i)[a-z0-9]{14}\.(?-i:atlasv1)\.[a-z0-9\-_=]{60,70}`, 3.5))
	t.add("facebook ", true, following("facebook-access-token", `(?i)\d{15,16}[|%][0-9a-z\-_]{27,40}`, 3))
	t.add("aws_secret_access_key ", true, following("aws-secret-access-key", `[A-Za-z0-9/+=]{40}`, 3.5))
	t.add("sig=", false, following("signed-url", `[A-Za-z0-9%+/_-]{40,100}`, 3.5))
	t.add("sshpass -p ", false, following(passwordRule, `[^\s'"$<-][^\s'"]{3,}`, 1))
	t.add(":AA", false, telegramToken)
	t.add("-----begin", true, privateKey)
	t.add("private-lines:", true, puttyKey)
	t.add("kind:", true, kubernetesSecret)
	t.add(";base64,", true, mediaData)
}

// around recognises a token whose keyword stands at a fixed distance from its beginning.
func around(id string, distance int, pattern string, minEntropy float64) matcher {
	re := anchored(pattern)
	return func(s *scan, start, end int) {
		start -= distance
		if start < 0 || !atWordStart(s.text, start) {
			return
		}
		loc := re().FindStringIndex(s.text[start:min(len(s.text), end+128)])
		if loc == nil || !tokenEnds(s.text, start+loc[1]) {
			return
		}
		if secret := s.text[start : start+loc[1]]; entropy(secret) >= minEntropy && !isMadeUp(secret) {
			s.add(id, start, start+loc[1])
		}
	}
}

// following recognises a secret right after its keyword.
func following(id, pattern string, minEntropy float64) matcher {
	re := anchored(pattern)
	return func(s *scan, start, end int) {
		if !atWordStart(s.text, start) {
			return
		}
		loc := re().FindStringIndex(s.text[end:min(len(s.text), end+256)])
		if loc == nil || !tokenEnds(s.text, end+loc[1]) {
			return
		}
		if secret := s.text[end : end+loc[1]]; hasDigit(secret) && entropy(secret) >= minEntropy && !isPlaceholder(secret) {
			s.add(id, end, end+loc[1])
		}
	}
}

// telegramToken recognises a bot's number, a colon and its secret.
func telegramToken(s *scan, start, end int) {
	const secret = 33
	number := start
	for number > 0 && isDigit(s.text[number-1]) && start-number < 12 {
		number--
	}
	i := end
	for i < len(s.text) && i-end <= secret && (isWord(s.text[i]) || s.text[i] == '-') {
		i++
	}
	if n := start - number; n >= 8 && n <= 10 && i-end == secret && entropy(s.text[end:i]) >= 3.5 {
		s.add("telegram-bot-api-token", number, i)
	}
}

const (
	maxKeyBlock = 16 << 10 // an armoured key with comments and indentation
	minKeyText  = 40       // base64 characters; less is an ellipsis, not a key
)

// privateKey redacts an armoured private key from its BEGIN to its END line; if
// that is missing, as far as the text looks like one.
func privateKey(s *scan, start, end int) {
	header := s.text[end:min(len(s.text), end+128)]
	i := strings.Index(header, "PRIVATE KEY")
	if i < 0 || strings.Contains(header[:i], "-----") {
		return
	}
	dashes := strings.Index(header[i:], "-----")
	if dashes < 0 || dashes > len("PRIVATE KEY BLOCK") {
		return
	}
	body := end + i + dashes + len("-----")
	window := s.text[body:min(len(s.text), body+maxKeyBlock)]
	var stop int
	if j := strings.Index(window, "-----END"); j >= 0 {
		stop = j
		if k := strings.Index(window[j+8:], "-----"); k >= 0 && k < 64 {
			stop = j + 8 + k + 5
		}
		window = window[:j]
	} else {
		stop = armourLength(window)
		window = window[:stop]
	}
	if base64Count(window) < minKeyText {
		return
	}
	s.add("private-key", start, body+stop)
	s.skip = body + stop
}

// puttyKey redacts the base64 lines of a PuTTY private key.
func puttyKey(s *scan, _, end int) {
	i := end
	for i < len(s.text) && (s.text[i] == ' ' || isDigit(s.text[i])) {
		i++
	}
	n := armourLength(s.text[i:min(len(s.text), i+maxKeyBlock)])
	if base64Count(s.text[i:i+n]) >= minKeyText {
		s.add("private-key", i, i+n)
	}
}

// armourLength is how much of s is base64 in lines, with white space, quotes,
// escapes and concatenation between them.
func armourLength(s string) int {
	word, last := 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case isAlnum(c) || c == '+' || c == '/' || c == '=':
			if word++; word >= 16 || c == '=' {
				last = i + 1
			}
		case isSpace(c) || isQuote(c) || c == '\\' || c == ',':
			word = 0
		default:
			return last
		}
	}
	return last
}

func base64Count(s string) int {
	n := 0
	for i := range len(s) {
		if isAlnum(s[i]) || s[i] == '+' || s[i] == '/' {
			n++
		}
	}
	return n
}

// mediaData passes over the base64 of an embedded image, font, sound or film.
func mediaData(s *scan, start, end int) {
	head := s.text[max(0, start-64):start]
	i := strings.LastIndex(head, "data:")
	if i < 0 {
		return
	}
	switch kind, _, _ := strings.Cut(head[i+len("data:"):], "/"); kind {
	case "image", "font", "audio", "video":
	default:
		return
	}
	for end < len(s.text) && (isAlnum(s.text[end]) || strings.IndexByte("+/=", s.text[end]) >= 0) {
		end++
	}
	s.skip = end
}
