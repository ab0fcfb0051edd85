package text

import (
	"cmp"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"codememory"
)

// maxEntities bounds how many entities one text gives: a text that names more
// is a listing, and hubs made of it would connect everything with everything.
const maxEntities = 24

// Entities finds the named things in a text by rules: well-known tools and
// libraries, files, packages, errors, identifiers and names in backticks.
// Names are canonical (see EntityName), in order of appearance, without duplicates.
func Entities(s string) []codememory.Entity {
	f := finder{seen: map[string]bool{}}
	quoted := backticks().FindAllStringSubmatchIndex(s, -1)
	for _, m := range entityToken().FindAllStringIndex(s, -1) {
		token := s[m[0]:m[1]]
		f.token(token, inside(quoted, m[0]), m[0] > 0 && s[m[0]-1] == '/')
		if len(f.found) >= maxEntities {
			break
		}
	}
	f.phrases(s)
	return f.found[:min(len(f.found), maxEntities)]
}

// Files returns the files that a text names, as they are written there: unlike
// an entity, a path must keep its case to be found on a disk.
func Files(s string) []string {
	var found []string
	for _, raw := range entityToken().FindAllString(s, -1) {
		w := strings.TrimRight(raw, "().:,;-/\\+")
		if len(w) < 2 || packagePath().MatchString(w) || isURL(w) || !isFile(w) {
			continue
		}
		if p := cleanPath(w); !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found[:min(len(found), maxEntities)]
}

// EntityName returns the canonical form of a name: lower case, known aliases
// resolved (py.test is pytest, postgresql is postgres, k8s is kubernetes),
// plural and punctuation variants of known names unified.
func EntityName(name string) string {
	n := strings.Trim(fold(strings.TrimSpace(name)), "`'\"()[]{}<>,;:!?")
	n = strings.Join(strings.Fields(n), " ")
	if k, ok := lookup(n); ok {
		return k.name
	}
	return n
}

// SameEntity reports whether two names mean the same thing.
func SameEntity(a, b string) bool {
	return EntityKey(a) == EntityKey(b)
}

// EntityKey identifies an entity whatever its spelling: names that mean the same
// thing have the same key.
func EntityKey(name string) string {
	n := EntityName(name)
	if k := entityKey(n); k != "" {
		return k
	}
	return n
}

// entityKey drops what writers vary: separators and a plural s.
func entityKey(n string) string {
	if strings.Contains(n, "/") {
		return n
	}
	n = joined.Replace(n)
	if len(n) > 4 && strings.HasSuffix(n, "s") && !strings.HasSuffix(n, "ss") && !strings.HasSuffix(n, "us") && !strings.HasSuffix(n, "is") {
		n = n[:len(n)-1]
	}
	return n
}

var (
	backticks   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`([^`\\n]{1,80})`") })
	entityToken = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`@?[\pL\pN_~./\\][\pL\pN_./\\:@+#-]*[\pL\pN_+#)(]*`)
	})
	errnoName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(E[A-Z]{3,}[0-9]*|[A-Z][A-Z0-9]+(_[A-Z0-9]+)*_(ERR|ERROR|BUSY|LOCKED|FULL|CORRUPT|FAILED|FAILURE|TIMEOUT|DENIED|REFUSED|EXCEEDED|NOT_FOUND|INVALID|CONFLICT|UNAVAILABLE|RESET)(_[A-Z0-9]+)*|ERR_[A-Z0-9_]+|SIG[A-Z]{3,5}|[A-Z]{1,4}[0-9]{4,5})$`)
	})
	errorType = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([A-Za-z_][\w.]*\.)?([A-Z]\w*(Error|Exception|Panic|Warning|Fault)|Err[A-Z]\w+|\w+_error)$`)
	})
	packagePath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(@[a-z0-9][\w.-]*/[a-z0-9][\w.-]*|(github\.com|gitlab\.com|bitbucket\.org|golang\.org|gopkg\.in|google\.golang\.org|modernc\.org|go\.uber\.org|k8s\.io)/[\w./-]+)$`)
	})
	fileName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[\w@~.+-]*[\w+-]\.(go|mod|sum|py|pyi|js|mjs|cjs|ts|tsx|jsx|rs|java|kt|kts|c|h|cc|cpp|hpp|cs|rb|php|swift|scala|sql|sh|bash|zsh|ps1|md|mdx|rst|txt|json|jsonc|jsonl|yaml|yml|toml|ini|cfg|conf|env|lock|xml|html|css|scss|less|vue|svelte|proto|graphql|tf|gradle|ipynb|csv|db|sqlite|log|tmpl|lua|ex|exs|erl|hs|ml|clj|dart|zig|nix|s|asm)$`)
	})
	dotFile = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\.(env|gitignore|gitattributes|dockerignore|editorconfig|eslintrc|prettierrc|npmrc|nvmrc|bashrc|zshrc|golangci)(\.[\w]+)?$`)
	})
	bareFiles = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(Dockerfile|Makefile|Taskfile|Jenkinsfile|Procfile|Gemfile|Rakefile|Vagrantfile|CMakeLists\.txt)$`)
	})
	camelCase = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^_*([a-z][a-z0-9]*([A-Z][a-z0-9]+)+[A-Z]*|[A-Z][a-z0-9]+([A-Z][a-z0-9]*)+|[A-Z]{2,}[a-z][A-Za-z0-9]*)$`)
	})
	snakeCase = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^_*[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)+_*$`) })
	dotted    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^[A-Za-z_]\w*((\.|::)[A-Za-z_]\w*)+$`)
	})
)

type finder struct {
	found []codememory.Entity
	seen  map[string]bool
}

func (f *finder) add(name string, t codememory.EntityType) {
	name = strings.Trim(fold(name), ".:-/\\ ")
	if len(name) < 2 || len(name) > 120 || f.seen[name] {
		return
	}
	f.seen[name] = true
	f.found = append(f.found, codememory.Entity{Name: name, Type: t})
}

// token classifies one run of characters without spaces.
func (f *finder) token(raw string, quoted, afterSlash bool) {
	call := strings.HasSuffix(raw, "()")
	w := strings.TrimRight(raw, "().:,;-/\\+")
	if strings.HasSuffix(raw, "++") {
		w = raw
	}
	w = strings.TrimSuffix(w, "'s")
	if len(w) < 2 || !hasLetter(w) {
		return
	}
	if k, ok := lookup(fold(w)); ok && k.certain(w, quoted) {
		f.add(k.name, k.kind)
		return
	}
	switch {
	case errnoName().MatchString(w) || errorType().MatchString(w):
		f.add(w, codememory.EntityError)
	case packagePath().MatchString(w):
		f.add(w, codememory.EntityLibrary)
	case isURL(w) || afterSlash:
	case isFile(w):
		f.add(cleanPath(w), codememory.EntityFile)
	case camelCase().MatchString(w), snakeCase().MatchString(w):
		f.add(w, codememory.EntitySymbol)
	case dotted().MatchString(w) && (call || quoted || hasUpper(w)) && !isAbbreviation(w):
		f.add(strings.ReplaceAll(w, "::", "."), codememory.EntitySymbol)
	case call && isIdentifier(w):
		f.add(w, codememory.EntitySymbol)
	case strings.ContainsAny(w, "-") && !quoted:
		for part := range strings.SplitSeq(w, "-") {
			if k, ok := lookup(fold(part)); ok && k.certain(part, false) {
				f.add(k.name, k.kind)
			}
		}
	case strings.Contains(w, "/") && !quoted:
		for part := range strings.SplitSeq(w, "/") { // "React/Vue"
			if k, ok := lookup(fold(part)); ok && k.certain(part, false) {
				f.add(k.name, k.kind)
			}
		}
	case quoted && isIdentifier(w) && !IsStopWord(fold(w)) && len(w) > 2:
		f.add(w, codememory.EntityOther)
	}
}

// phrases finds the well-known names of several words.
func (f *finder) phrases(s string) {
	type match struct {
		at int
		k  knownEntity
	}
	var found []match
	low := fold(s)
	for p, k := range known().phrases {
		if i := indexPhrase(low, p); i >= 0 {
			found = append(found, match{i, k})
		}
	}
	slices.SortFunc(found, func(a, b match) int {
		return cmp.Or(cmp.Compare(a.at, b.at), strings.Compare(a.k.name, b.k.name))
	})
	for _, m := range found {
		f.add(m.k.name, m.k.kind)
	}
}

// indexPhrase finds p in s between word borders.
func indexPhrase(s, p string) int {
	for from := 0; ; {
		i := strings.Index(s[from:], p)
		if i < 0 {
			return -1
		}
		i += from
		if wordBorders(s, i, i+len(p)) {
			return i
		}
		from = i + 1
	}
}

func wordBorders(s string, start, end int) bool {
	before := start == 0 || !isWord(rune(s[start-1]))
	after := end == len(s) || !isWord(rune(s[end]))
	return before && after
}

func isFile(w string) bool {
	base := w[strings.LastIndexAny(w, `/\`)+1:]
	if strings.ContainsAny(w, "()@:") && !strings.HasPrefix(w, "@/") {
		return false
	}
	if fileName().MatchString(base) || dotFile().MatchString(base) || bareFiles().MatchString(base) {
		return !isAbbreviation(w) && !isKnownDomain(w)
	}
	// A folder: two separators, or a conventional beginning.
	return strings.Count(w, "/") >= 2 && !strings.Contains(w, "//") ||
		strings.HasPrefix(w, "./") || strings.HasPrefix(w, "~/") || strings.HasPrefix(w, "src/") ||
		strings.HasPrefix(w, "internal/") || strings.HasPrefix(w, "cmd/") || strings.HasPrefix(w, "pkg/") || strings.HasPrefix(w, "lib/") || strings.HasPrefix(w, "tests/")
}

func cleanPath(w string) string {
	p := path.Clean(strings.ReplaceAll(w, `\`, "/"))
	return strings.TrimPrefix(p, "./")
}

func isURL(w string) bool {
	return strings.Contains(w, "://") || strings.HasPrefix(w, "www.") || strings.HasPrefix(w, "http:") || strings.HasPrefix(w, "https:") || strings.HasPrefix(w, "//")
}

// isAbbreviation catches "e.g", "i.e", "a.m" and the like.
func isAbbreviation(w string) bool {
	for part := range strings.SplitSeq(w, ".") {
		if len(part) > 1 {
			return false
		}
	}
	return true
}

// isKnownDomain keeps names such as "next.js" or "socket.io" from being files.
func isKnownDomain(w string) bool {
	if strings.ContainsAny(w, `/\`) {
		return false
	}
	_, ok := lookup(fold(w))
	return ok
}

func isIdentifier(w string) bool {
	for i, r := range w {
		if !(r == '_' || r == '-' && i > 0 || unicode.IsLetter(r) || i > 0 && unicode.IsDigit(r)) {
			return false
		}
	}
	return true
}

func hasLetter(w string) bool { return strings.IndexFunc(w, unicode.IsLetter) >= 0 }
func hasUpper(w string) bool  { return strings.IndexFunc(w, unicode.IsUpper) >= 0 }

func inside(spans [][]int, i int) bool {
	for _, s := range spans {
		if s[0] <= i && i < s[1] {
			return true
		}
	}
	return false
}

// joined writes a name without what separates its parts.
var joined = strings.NewReplacer(".", "", "-", "", "_", "", " ", "")
