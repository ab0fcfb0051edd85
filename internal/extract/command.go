package extract

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"codememory"
)

// commandKind is something that every project has a command for.
type commandKind struct {
	name    string
	says    string // how a memory of it begins
	pattern *regexp.Regexp
	files   bool // arguments that name files or tests narrow it down
}

var commandKinds = sync.OnceValue(func() []commandKind {
	re := func(s string) *regexp.Regexp { return regexp.MustCompile(`^(?:` + s + `)(?:\s|$)`) }
	const js = `(?:npm|pnpm|yarn|bun)`
	const npx = `(?:npx|pnpx|bunx|pnpm exec|yarn|pnpm dlx|bun x|npm exec --)`
	const py = `(?:(?:uv|poetry|pipenv|hatch|rye|pdm) run (?:-\S+ )*)?(?:python3? -m )?`
	const mk = `(?:make|just|task|rake|bundle exec rake|bin/rake|invoke|inv|nox -s|tox -e)`
	const mvn = `(?:mvn|\./mvnw)(?: -\S+)*`
	const gradle = `(?:gradle|\./gradlew)(?: -\S+)*`
	return []commandKind{
		{"typecheck", "Check the types with", re(js + `(?: run)? (?:typecheck|type-check|check-types|tsc)|(?:` + npx + ` )?(?:tsc|vue-tsc)(?: .*)?--noEmit|` + py + `(?:mypy|pyright|ty check)|` + mk + ` (?:typecheck|types|mypy)|cargo check`), true},
		{"e2e", "Run the end-to-end tests with", re(js + `(?: run)? (?:e2e|test:e2e|test-e2e)|(?:` + npx + ` )?(?:playwright test|cypress run)|` + mk + ` (?:e2e|test-e2e|integration|integration-test)`), true},
		{"test", "Run the tests with", re(`go test|gotestsum|` + js + `(?: run)? (?:test|tests|test:unit|test:ci)|` + js + ` t|(?:` + npx + ` )?(?:vitest(?: run)?|jest|mocha|ava|tap)|bun test|deno test|node --test|` + py + `(?:pytest|unittest|nose2)|` + py + `(?:manage\.py|\./manage\.py) test|tox|nox|cargo (?:test|nextest run)|` + mk + ` (?:test|tests|check|unit|unit-test|spec)|` + mvn + ` (?:test|verify)|` + gradle + ` (?:test|check)|dotnet test|(?:bundle exec )?(?:rspec|rails test)|bin/rails test|mix test|(?:vendor/bin/)?(?:phpunit|pest)|composer test|ctest|swift test|flutter test|sbt test|lein test|stack test|cabal test|zig build test|bazel test`), true},
		{"lint", "Lint with", re(`golangci-lint(?:-\S+)? run|staticcheck|go vet|` + js + `(?: run)? lint|(?:` + npx + ` )?(?:eslint|biome (?:lint|check)|oxlint|stylelint)|` + py + `(?:ruff check|ruff|flake8|pylint)|cargo clippy|` + mk + ` (?:lint|vet)|(?:bundle exec )?rubocop|shellcheck|hadolint|pre-commit run`), true},
		{"format", "Format the code with", re(`gofmt -\S*[wl]|go fmt|goimports|gofumpt|` + js + `(?: run)? (?:format|fmt|prettier)|(?:` + npx + ` )?prettier|` + py + `(?:black|ruff format|isort)|cargo fmt|` + mk + ` (?:fmt|format)|dart format|mix format`), true},
		{"generate", "Generate code with", re(`go generate|` + js + `(?: run)? (?:generate|codegen|gen)|` + mk + ` (?:generate|gen|codegen|proto|protos)|buf generate|sqlc generate|(?:` + npx + ` )?prisma generate`), false},
		{"migrate", "Run the migrations with", re(`(?:` + npx + ` )?prisma migrate (?:dev|deploy)|alembic upgrade|` + py + `(?:manage\.py|\./manage\.py) migrate|(?:bin/|bundle exec )?rails db:migrate|` + js + `(?: run)? (?:migrate|db:migrate|migration:run)|` + mk + ` (?:migrate|db-migrate)|goose(?: .*)? up|mix ecto\.migrate|flyway migrate`), false},
		{"build", "Build with", re(`go build|` + js + `(?: run)? build|(?:` + npx + ` )?(?:tsc(?: -b| --build)?|vite build|next build|webpack|esbuild|rollup)|cargo build|` + mk + ` (?:build|all|compile)|make|` + mvn + ` (?:package|compile|install)|` + gradle + ` (?:build|assemble)|dotnet build|docker (?:compose )?build|cmake --build|ninja|mix compile|swift build|flutter build|sbt compile|zig build|bazel build|python3? -m build|uv build|poetry build`), false},
		{"services", "Start the services with", re(`docker[ -]compose (?:-\S+ \S+ )*up|` + mk + ` (?:up|services|db)|supabase start`), false},
		{"install", "Install the dependencies with", re(`npm (?:ci|install|i)|(?:pnpm|yarn|bun) install|yarn|pip3? install -r \S+|(?:uv (?:sync|pip install -r \S+)|poetry install|pipenv install)|bundle install|bundle|composer install|mix deps\.get|go mod (?:download|tidy)|cargo fetch|` + mk + ` (?:install|deps|setup|bootstrap)`), false},
	}
})

var (
	narrowing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`::|\s(?:-run|-k|-t|-m|--grep|--filter|--testNamePattern|--test-name-pattern|-g|--only|-p|--package|--test|--example|--bench|-bench|--lib|--bin|--project|--tests|-Dtest)(?:[=\s]|$)|-run[= ]|\s--\s+[^-\s]|--watch|--help|--version|--fix|--update|-update\b|--listTests|--collect-only|--dry-run|-n\s`)
	})
	everything = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:\./\.\.\.|\.\.\.|\.|\./|\*|(?:\./)?(?:tests?|src|spec|lib|app|cmd|internal|packages)/?(?:\.\.\.)?)$`)
	})
)

// kindOf says what a simple command is for, if it is for the project as a
// whole. A run of one test teaches nothing about the project.
func kindOf(part string) (commandKind, bool) {
	cmd := program(part)
	for _, k := range commandKinds() {
		at := k.pattern.FindStringIndex(cmd)
		if at == nil {
			continue
		}
		rest := cmd[at[1]:]
		if narrowing().MatchString(" "+rest) || strings.ContainsAny(cmd, "$`*?<>{}") {
			return k, false
		}
		rest, _, _ = strings.Cut(rest, "-- -") // flags for the tool behind the tool
		for word := range strings.FieldsSeq(rest) {
			if k.files && !strings.HasPrefix(word, "-") && !everything().MatchString(word) && !strings.Contains(word, "=") {
				return k, false
			}
			if k.name == "install" && !strings.HasPrefix(word, "-") && at[1] < len(cmd) {
				return k, false // one package, not all
			}
		}
		return k, true
	}
	return commandKind{}, false
}

// RuleCommand is the rule that learns how a project is built and tested.
const RuleCommand = "verified-command"

// Commands finds the commands for building, testing and running the project
// that succeeded in a turn, as their exit codes show.
func Commands(t codememory.Turn) []Candidate {
	var found []Candidate
	at := map[string]int{}
	for _, step := range t.Steps {
		if step.Tool == nil || !isCommand(*step.Tool) || step.Tool.Exit == nil || *step.Tool.Exit != 0 || step.Tool.Error != "" || step.Tool.Running {
			continue
		}
		line, ok := parseShell(step.Tool.Target)
		if !ok {
			continue
		}
		dir, inside := within(line.dir, t.Dir)
		if !inside {
			continue
		}
		day := step.At
		if day.IsZero() {
			day = t.StartedAt
		}
		for i, part := range line.parts {
			kind, whole := kindOf(part)
			if !line.certain[i] || !whole || strings.HasPrefix(part, "cd ") {
				continue
			}
			c := learned(kind, dir, quietly(bare(part)), day.Format("2006-01-02"))
			if n, seen := at[c.Key]; seen {
				found[n] = c // the last one of a turn is how it went in the end
				continue
			}
			at[c.Key] = len(found)
			found = append(found, c)
		}
	}
	return found
}

func learned(kind commandKind, dir, command, day string) Candidate {
	key := "command: " + kind.name
	if dir != "" {
		command = "cd " + dir + " && " + command
		key += " in " + dir
	}
	c := Candidate{
		Rule: RuleCommand, Type: codememory.LearnedPattern, Class: codememory.ClassTool, Key: key, Value: command,
		Text: fmt.Sprintf("%s `%s` (passed on %s)", kind.says, command, day),
	}
	if kind.name == "test" || kind.name == "e2e" {
		c.Category = codememory.TestingConvention
	}
	return c
}

// within returns the folder of a command relative to the session's, and whether
// it is in it at all.
func within(dir, root string) (string, bool) {
	if dir == "" || dir == "." {
		return "", true
	}
	if filepath.IsAbs(dir) {
		rel, err := filepath.Rel(root, dir)
		if err != nil || root == "" {
			return "", false
		}
		dir = filepath.ToSlash(rel)
	}
	if dir == "." {
		return "", true
	}
	return dir, !strings.HasPrefix(dir, "..") && !strings.ContainsAny(dir, "$~`*")
}

// isCommand reports whether a tool runs a command line.
func isCommand(c codememory.ToolCall) bool {
	switch strings.ToLower(c.Name) {
	case "bash", "shell", "exec", "exec_command", "run_shell_command", "local_shell", "powershell", "run_in_terminal", "terminal", "local_shell_call":
		return c.Target != ""
	}
	return false
}
