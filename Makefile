# Everything one does here. `make` alone says what there is.

.DEFAULT_GOAL := help
.PHONY: help run test build fmt lint check-sqlx sqlx test-rust test-browser test-clients test-tour test-trail test-document test-supply test-deploy stress fuzz sbom bench-write bench-recall bench-speed bench-capture bench-seal bench-dream bench-hook bench-mcp bench-code bench-freshness bench-scan bench-pages bench-lighthouse proof test-formatters install install-for-run install-for-tests

# rustup's folder is not in PATH before the next login.
export PATH := $(PATH):$(or $(CARGO_HOME),$(HOME)/.cargo)/bin
# The macros read .sqlx; only `make sqlx` and `check-sqlx` ask a database.
export SQLX_OFFLINE := true

TARGET := $(or $(CARGO_TARGET_DIR),target)
# release, or dev to reuse what the tests have built.
PROFILE ?= release
PREFIX ?= $(HOME)/.local
BUILT := $(TARGET)/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-13s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

run: install-for-run ## install what is missing, build, start the server with the demo workspaces
	cargo build --profile $(PROFILE) --bin cairn-server
	@exec $(BUILT)/cairn-server serve --demo $(ARGS)

test: install-for-tests ## install what is missing, run every check and every test
	cargo fmt --all --check
	$(MAKE) --no-print-directory check-sqlx
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory test-rust
	$(MAKE) --no-print-directory test-browser
	$(MAKE) --no-print-directory test-clients
	$(MAKE) --no-print-directory test-trail
	$(MAKE) --no-print-directory test-document
	$(MAKE) --no-print-directory test-supply
	$(MAKE) --no-print-directory test-deploy
	@# Last: it builds what is checked out elsewhere, and what comes after it would be built again.
	$(MAKE) --no-print-directory test-tour

build: ## build the server for release
	cargo build --release --bin cairn-server

fmt: ## format the code
	cargo fmt --all

lint: ## clippy, and shellcheck where it is installed
	cargo clippy --workspace --all-targets -- -D warnings
	@if command -v shellcheck >/dev/null; then shellcheck scripts/*.sh deploy/postgres/*.sh .ci/run; fi

test-rust: ## the Rust tests
	cargo build --bin cairn-server --bin cairn
	cargo test --workspace

test-browser: ## the dashboard in a real browser
	@scripts/test-browser.sh

test-clients: ## clients that others wrote: the MCP conformance suite, inspector and SDK, Anthropic's SDKs
	@scripts/test-clients.sh

test-tour: ## the README's tour, as a newcomer would run it
	@scripts/test-tour.sh

test-trail: ## an exported audit trail, verified by libraries that others wrote
	@scripts/test-trail.sh

test-document: ## schemathesis asks whatever the API document allows, as agents in every role, as people and as nobody; DOCUMENT_SECONDS=1800 for longer
	@scripts/test-document.sh

test-supply: ## licences, sources and names of all dependencies against deny.toml, and the bill of materials against its schema
	@scripts/test-supply.sh

test-deploy: ## Kubernetes manifests against its schemas, alert rules and dashboard against Prometheus's grammar and the server's metrics
	@scripts/test-deploy.sh

sbom: ## a bill of materials (CycloneDX 1.5) in target/sbom.cdx.json
	@mkdir -p $(TARGET)
	@python3 scripts/supply.py sbom > $(TARGET)/sbom.cdx.json
	@echo "$(TARGET)/sbom.cdx.json"

# How long a bad day is. Everything is on this machine, on loopback, and ends by itself.
KILLS ?= 1000
FAILOVERS ?= 5
SOAK_SECONDS ?= 1800
LIST ?= 1000000
ROLLBACKS ?= 100
stress: install-for-tests ## a bad day: failover, a Postgres without disk, clocks that jump, 1,000 kills, a soak; KILLS, FAILOVERS, LIST, ROLLBACKS, SOAK_SECONDS
	cargo build --bin cairn-server
	CAIRN_STRESS=1 CAIRN_FAILOVERS=$(FAILOVERS) CAIRN_LIST=$(LIST) CAIRN_SLOW_WRITES=1000 CAIRN_SLOW_SECONDS=90 CAIRN_SOAK_SECONDS=$(SOAK_SECONDS) cargo test -p cairn-tests --test stress -- --nocapture --test-threads=1
	CAIRN_KILLS=$(KILLS) cargo test -p cairn-tests --test it -- --nocapture --test-threads=1 kill::
	CAIRN_TEST_SECONDS=60 CAIRN_TEST_WRITERS=8 CAIRN_ROLLBACKS=$(ROLLBACKS) cargo test -p cairn-tests --test it -- --nocapture --test-threads=1 no_answer_misses a_session_rolled_back

CASES ?= 100000
fuzz: ## every parser that reads outside bytes, CASES=100000 inputs each
	PROPTEST_CASES=$(CASES) cargo test -p cairn-tests --test it -- parsers::
	PROPTEST_CASES=$(CASES) cargo test -p cairn-client --bin cairn -- spool::record hook::payloads

test-formatters: ## rustfmt, black and prettier rewrite whole trees, and the scanner sees nothing new
	@scripts/freshness.sh formatters

sqlx: ## refresh .sqlx after a change of a query or a migration
	@scripts/sqlx.sh write

check-sqlx: ## fail when .sqlx is not what the queries and migrations say
	@scripts/sqlx.sh check

bench-write: ## measure writing
	cargo run --release -p cairn-bench -- write

bench-recall: ## measure how good recall is, on DATA=<folder> or the project's own set
	cargo run --release -p cairn-bench -- recall $(or $(DATA),bench/sets) $(ARGS)

bench-speed: ## measure how quick recall is, at SIZES=1000,10000 or up to a million
	cargo run --release -p cairn-bench -- speed $(SIZES)

bench-capture: ## measure taking in a day's events and distilling them
	cargo run --release -p cairn-bench -- capture

bench-seal: ## measure what sealing costs writers, and verifying a million entries
	cargo run --release -p cairn-bench -- seal $(ARGS)

bench-dream: ## a dream over 50,000 memories, or SIZE=2000, with some planted to be found
	cargo run --release -p cairn-bench -- dream $(SIZE)

bench-hook: ## measure what a hook costs a tool, beside spawning /bin/true
	cargo build --release --bin cairn
	cargo run --release -p cairn-client --example hook_speed

bench-mcp: ## measure 500 recalls over MCP at once, and what memory they leave behind
	cargo run --release -p cairn-bench -- mcp

bench-code: ## measure judging 10,000 memories by a picture of 100,000 symbols
	cargo run --release -p cairn-bench -- code

bench-freshness: ## hold the scanner against syn, ast and the TypeScript compiler on the releases of real packages
	@scripts/freshness.sh history $(ARGS)

bench-scan: ## measure a scan of a million lines, and a sync after a commit of ten files
	cargo build --release --bin cairn
	python3 bench/freshness/speed.py $(ARGS)

bench-pages: ## measure every page with 100,000 memories and a million entries, or SIZE=2000
	cargo run --release -p cairn-bench -- pages $(SIZE)

proof: ## what memory is worth: recorded tasks on real packages, cold and warm; ARGS="--seed 2 --only bug"
	@scripts/proof.sh $(ARGS)

bench-lighthouse: install-for-tests ## Lighthouse on the dashboard's main pages
	@scripts/lighthouse.sh

install: ## build `cairn`, the command line, and put it into PREFIX/bin, or ~/.local/bin
	cargo build --profile $(PROFILE) -p cairn-client
	@install -d "$(PREFIX)/bin"
	@install -m 755 $(BUILT)/cairn "$(PREFIX)/bin/cairn"
	@echo "$(PREFIX)/bin/cairn is installed. Next: cairn login"

install-for-run:
	@scripts/install.sh run

install-for-tests:
	@scripts/install.sh test
