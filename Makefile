# CodeMemory: everything a developer does, and nothing that CI does otherwise.
# Needs Go, git and make, and Node for the plugin and the agents; `make` alone lists the targets.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

GO ?= go
VERSION ?=
BIN := bin/codememory
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

# One static binary: no cgo, no paths of this machine in it.
export CGO_ENABLED := 0
BUILD := $(GO) build -trimpath -ldflags '-s -w $(if $(VERSION),-X codememory/internal/cli.release=$(VERSION))'

# Tools live outside of the tree, by version, and are installed on demand.
TOOLS := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/codememory-dev/bin
LINT_VERSION := 2.11.4
LINT := $(TOOLS)/golangci-lint-$(LINT_VERSION)

# The race detector needs a C compiler; without one the tests still run.
RACE := $(if $(shell command -v "$$($(GO) env CC)" 2>/dev/null),-race)
GOTEST := CGO_ENABLED=$(if $(RACE),1,0) $(GO) test $(RACE) -json

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: run
run: build ## Build CodeMemory and run its daemon here, with the model inside; Ctrl-C ends it
	@printf '%s\n' \
	  'CodeMemory starts here, in the foreground. In another terminal, in a project of yours, try:' \
	  '  $(abspath $(BIN)) remember "integration tests need docker compose up db first"' \
	  '  $(abspath $(BIN)) search how do I run the tests' \
	  '  $(abspath $(BIN)) context --goal "fix the login test"' \
	  '  $(abspath $(BIN)) status' \
	  ''
	@exec $(BIN) daemon

.PHONY: build
build: ## Build bin/codememory (VERSION=v1.2.3 names a release)
	@mkdir -p bin
	$(BUILD) -o $(BIN) ./cmd/codememory

.PHONY: install
install: ## Install codememory where go install puts programs
	$(GO) install -trimpath -ldflags '-s -w $(if $(VERSION),-X codememory/internal/cli.release=$(VERSION))' ./cmd/codememory

.PHONY: check
check: format vet lint unit ## What to run before a commit: format, vet, lint, all tests with the race detector

.PHONY: test
test: fetch format vet lint cross unit plugin ui e2e ## All that CI runs: check, six platforms, the plugin, the web pages, real agents

.PHONY: fetch
fetch: ## Begin to fetch the real agents into the cache, in the background; e2e waits for what it needs
	@mkdir -p $(TOOLS)
	@nohup $(GO) test -tags e2e -count=1 -timeout 20m -run '^TestFetch$$' ./e2e >$(TOOLS)/fetch.log 2>&1 </dev/null &

.PHONY: docs
docs: ## Renew the manual page and the documents that the program writes itself
	@$(GO) test ./internal/cli -run 'TestHelpTexts|TestTheReferenceIsUpToDate' -update

.PHONY: cast
cast: build ## Draw the terminal session of the README anew
	@$(GO) run ./tools/cast -program $(BIN)

.PHONY: plugin
plugin: ## Check and test the OpenCode plugin (npm, Node 20)
	@cd plugin/opencode && npm install --no-save --no-audit --no-fund --loglevel=error && npm run --silent check && npm test --silent

.PHONY: ui
ui: build ## Test the web pages in Debian's Chromium against a real daemon; pictures go to web/artifacts
	@command -v chromium >/dev/null || [ -n "$${CHROMIUM:-}" ] || (echo 'installing chromium, once' && apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium >/dev/null)
	@cd web && npm install --no-save --no-audit --no-fund --loglevel=error && npm test --silent

.PHONY: e2e
e2e: ## Run the real agents against a scripted model and the MCP suites; their packages are fetched once, into the cache
	@$(GO) build -o $(TOOLS)/testsum ./tools/testsum
	@$(GO) test -tags e2e -count=1 -timeout 20m -json ./e2e/... 2>&1 | $(TOOLS)/testsum

.PHONY: unit
unit: ## All tests; ends with their number (PKG=./internal/x/... for some)
	@$(if $(RACE),,echo 'no C compiler: the tests run without the race detector')
	@$(GO) build -o bin/testsum ./tools/testsum
	@$(GOTEST) $(or $(PKG),./...) 2>&1 | bin/testsum

.PHONY: format
format: ## Fail when a Go file is not formatted
	@unformatted="$$(git ls-files -co --exclude-standard '*.go' | xargs "$$($(GO) env GOROOT)/bin/gofmt" -l)"; \
	if [ -n "$$unformatted" ]; then echo "run make fmt for:" $$unformatted; exit 1; fi
	@echo 'format: ok'

.PHONY: vet
vet: ## Vet every package
	@$(GO) vet ./...
	@echo 'vet: ok'

.PHONY: lint
lint: $(LINT) ## Lint every package (.golangci.yml)
	@$(LINT) run ./...
	@echo 'lint: ok'

.PHONY: fmt
fmt: $(LINT) ## Format every Go file, imports in order
	$(LINT) fmt

.PHONY: cross
cross: ## Build for linux, darwin and windows on amd64 and arm64, vet the tests for the other two systems
	@for platform in $(PLATFORMS); do \
	  os=$${platform%/*}; arch=$${platform#*/}; \
	  ext=; [ $$os = windows ] && ext=.exe; \
	  GOOS=$$os GOARCH=$$arch $(BUILD) -o bin/$$os-$$arch/codememory$$ext ./cmd/codememory || exit 1; \
	  echo "cross: ok $$platform"; \
	done
	@GOOS=windows GOARCH=amd64 $(GO) vet ./... && GOOS=darwin GOARCH=arm64 $(GO) vet ./... && echo 'cross: vet ok on windows and darwin'

.PHONY: bench
bench: ## Measure the budgets through the real daemon (BENCH='-quick' for a short run)
	$(GO) run ./tools/bench $(BENCH)
	$(GO) test -run '^$$' -bench 'MillionParts|Add$$|Rebuild' -benchtime 200x ./internal/history ./internal/journal
	$(GO) test -run '^$$' -bench 'Consolidate10000|Dedupe' -benchtime 20x ./internal/service
	$(GO) test -run '^$$' -bench 'Turn$$|Said$$' ./internal/extract

.PHONY: microbench
microbench: ## Run the Go benchmarks (PKG=./internal/x for one package)
	$(GO) test -run '^$$' -bench . -benchmem $(or $(PKG),./...)

.PHONY: eval
eval: build ## Measure the quality of retrieval and of extraction on the labelled sets
	$(BIN) eval --markdown $(or $(SETS),$(dir $(wildcard internal/eval/testdata/*/meta.json)))
	$(BIN) eval --markdown --extraction internal/extract/testdata

.PHONY: tools
tools: $(LINT) ## Install the pinned tools (golangci-lint, about two minutes, once)

$(LINT):
	@echo 'installing golangci-lint $(LINT_VERSION) into $(TOOLS), once'
	@mkdir -p $(TOOLS)/install
	@GOFLAGS= GOBIN=$(TOOLS)/install $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v$(LINT_VERSION)
	@mv $(TOOLS)/install/golangci-lint $@
	@rmdir $(TOOLS)/install

.PHONY: clean
clean: ## Remove what was built; the pinned tools stay
	rm -rf bin
