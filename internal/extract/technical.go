package extract

import (
	"regexp"
	"strings"
	"sync"

	"codememory"
	"codememory/internal/text"
)

// technical reports whether a sentence is about software. People also talk
// about meetings, and an agent needs no memory of those.
func technical(s string) bool {
	if codeLike().MatchString(s) || toTheAgent().MatchString(s) {
		return true
	}
	for word := range wordsOf(s) {
		if softwareWords()[word] {
			return true
		}
	}
	for _, e := range text.Entities(s) {
		switch e.Type {
		case codememory.EntityLibrary, codememory.EntityFramework, codememory.EntityFile, codememory.EntitySymbol, codememory.EntityError, codememory.EntityProtocol:
			return true
		default:
		}
		if e.Type == codememory.EntityTool && !officeTools[e.Name] {
			return true
		}
	}
	return false
}

// officeTools are known tools that talk about people rather than code.
var officeTools = map[string]bool{"vscode": true, "vim": true, "neovim": true, "emacs": true, "intellij": true, "pycharm": true, "slack": true, "jira": true, "github": true, "gitlab": true, "bitbucket": true, "copilot": true, "github copilot": true}

var codeLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("`[^`]+`|['\"“‘][@.]?\\w*[_@.:/-]\\w*['\"”’]|(?:^|\\s)[\\w.-]+/[\\w./*-]+|--[a-z]|\\b\\w+\\(\\)|\\b[a-z]+_[a-z_]+\\b|\\b[a-z]+[A-Z][A-Za-z]+\\b|(?:^|\\s)\\.[a-z]{2,}|\\b(?:to|into|on|from|onto) (?:main|master|develop)\\b|%[a-z]\\b")
})

// toTheAgent is about how the agent talks and works.
var toTheAgent = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:answer|reply|respond|write|explain|talk)\b[^.]{0,30}\bin (?:english|german|french|spanish|italian|portuguese|russian|chinese|japanese|korean)\b|\b(?:your )?(?:answers|replies|responses|explanations)\b[^.]{0,20}\b(?:short|brief|concise|long|detailed|bullet)|\b(?:short|brief|concise|long|detailed) (?:answers|replies|responses|explanations)\b`)
})

// wordsOf yields the words of a text in lower case.
func wordsOf(s string) func(func(string) bool) {
	return strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '/' || r > 127)
	})
}

// softwareWords are words that hardly stand in a sentence about anything else.
// "Code", "software" and "documentation" are not among them: pep talks use them.
var softwareWords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(`
		function method class variable argument parameter attribute constant struct enum getter setter constructor decorator
		module package library dependency dependencies import export namespace interface generic annotation docstring comment todo
		test tests mock fixture coverage assertion assert snapshot stub e2e
		commit commits branch rebase squash monorepo repo repository submodule changelog gitignore pr prs
		api endpoint route handler middleware controller webhook payload json yaml toml xml csv graphql grpc rest http https url
		database db sql query migration schema column transaction orm sql
		lint linter formatter prettier typecheck compile compiler build makefile dockerfile container helm ci pipeline deploy deployment
		cache queue worker cron daemon server port proxy socket goroutine mutex async await promise callback
		log logs logger logging metric tracing exception exceptions error errors panic stacktrace retry timeout backoff
		config env secret secrets token credentials flag flags cli stdin stdout stderr
		file files folder filename readme
		component reducer selector css html dom jsx tsx template stylesheet ui frontend backend
		null nil undefined boolean string integer float int array tuple regex enum uuid timestamp
		tabs spaces indentation semicolon semicolons quotes camelcase snake_case kebab-case pascalcase uppercase lowercase prefix suffix
		version semver release tag staging production prod localhost
		throw throwing identifier validation auth authentication authorization caching pagination serialization encryption hashing sdk framework runtime
		script scripts shell bash terminal binary executable
		loop recursion inheritance singleton closure lambda early-return ifs
		diff diffs patch refactor refactoring linters formatters profiler debugger virtualenv`) {
		set[word] = true
		set[word+"s"] = true
	}
	for _, word := range []string{"classes", "branches", "queries", "libraries", "repositories", "properties", "directories", "indexes", "try-except", "try/except"} {
		set[word] = true
	}
	return set
})
