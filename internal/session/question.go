package session

import (
	"path"
	"slices"
	"strings"
	"time"

	"codememory"
	"codememory/internal/text"
	"codememory/internal/timerange"
)

// question is a search in plain words, taken apart.
type question struct {
	when  timerange.Range
	timed bool
	agent string   // "" for any
	paths []string // what look like files
	words []string // the rest, without function words
	said  bool     // it holds any word or filter at all
}

// ask takes a question apart. An agent's name is a filter only where the words
// around it say so, since "claude api integration" is about something else; and
// after a preposition only if present knows sessions of it, since one can also
// find a bug in a cursor.
func ask(query string, now time.Time, present func(agent string) bool) question {
	var q question
	var rest string
	q.when, rest, q.timed = timerange.Find(query, now)
	tokens := strings.Fields(rest)
	plain := make([]string, len(tokens))
	for i, t := range tokens {
		plain[i] = strings.ToLower(strings.TrimRight(strings.Trim(t, "\"'`()[]{}<>,;:?!*"), "."))
	}
	q.said = q.timed
	for i := 0; i < len(tokens); {
		if agent, n := agentPhrase(plain[i:], present); n > 0 {
			q.agent, q.said = agent, true
			i += n
			continue
		}
		switch word := plain[i]; {
		case looksLikePath(word):
			q.paths = append(q.paths, strings.TrimPrefix(path.Clean(word), "./"))
			q.said = true
		case strings.ContainsFunc(word, isWordRune):
			q.said = true
			if !isFunctionWord(word) {
				q.words = append(q.words, word)
			}
		}
		i++
	}
	return q
}

// agentPhrase reads "in cursor", "with claude code" or "codex session" and says
// how many words that takes.
func agentPhrase(words []string, present func(string) bool) (agent string, n int) {
	at := 0
	if slices.Contains([]string{"in", "with", "using", "via"}, words[0]) {
		at = 1
	}
	name, n := agentName(words[at:])
	if n == 0 {
		return "", 0
	}
	n += at
	if n < len(words) && slices.Contains([]string{"session", "sessions", "conversation", "conversations", "chat", "chats"}, words[n]) {
		return name, n + 1
	}
	if at == 1 && present(name) {
		return name, n
	}
	return "", 0
}

// agentName reads the name of a known agent of one or two words.
func agentName(words []string) (name string, n int) {
	if len(words) == 0 {
		return "", 0
	}
	if len(words) > 1 {
		switch words[0] + " " + words[1] {
		case "claude code", "gemini cli", "open code", "github copilot", "copilot cli":
			return codememory.AgentName(words[0] + " " + words[1]), 2
		}
	}
	switch words[0] {
	case "cursor", "claude", "claude-code", "codex", "gemini", "gemini-cli", "copilot", "opencode", "windsurf", "antigravity":
		return codememory.AgentName(words[0]), 1
	}
	return "", 0
}

func sameAgent(a, b string) bool { return codememory.AgentName(a) == codememory.AgentName(b) }

const codeExtensions = ` .bat .c .cc .cfg .clj .cpp .cs .css .csv .cxx .dart .ex .exs .go .gradle .graphql .h .hpp .html .ini .java .js .json .jsonl .jsx
	.kt .kts .less .lock .lua .md .mdc .mjs .mod .php .proto .ps1 .py .r .rb .rs .sass .scala .scss .sh .sql .sum .svelte .swift .tf .toml .ts .tsx
	.txt .vue .xml .yaml .yml .zig `

// looksLikePath reports whether a word is a file: it has a slash between names,
// or ends like one. "v1.2" does not.
func looksLikePath(word string) bool {
	if strings.Contains(word, "://") || !strings.ContainsFunc(word, isWordRune) {
		return false
	}
	if at := strings.IndexByte(word, '/'); at >= 0 && len(word) > 1 {
		return true
	}
	ext := path.Ext(word)
	return ext != "" && len(ext) < len(word) && slices.Contains(strings.Fields(codeExtensions), ext)
}

// isFunctionWord reports whether a word says nothing about a session.
func isFunctionWord(word string) bool {
	switch word {
	case "session", "sessions", "find", "show", "conversation":
		return true
	}
	if short := strings.ReplaceAll(strings.ReplaceAll(word, "'", ""), "’", ""); short != word && text.IsStopWord(short) {
		return true
	}
	return text.IsStopWord(word) || len(word) == 1
}

// isVague reports whether a word asks for whatever was done.
func isVague(word string) bool {
	switch text.Stem(word) {
	case "chang", "work", "do", "done", "happen", "touch", "edit", "made", "make", "file", "last", "recent":
		return true
	}
	return false
}
