# Interlock. `make` alone lists the targets.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
FUZZTIME ?= 30s
STORM ?= 10m
SIZES ?= 10000,1000000
LISTS ?=
ENGINES ?= sqlite,mariadb

# One setting for all targets: programs are static, and the build cache serves tests and builds.
export CGO_ENABLED := 0

SERVICES := go run ./test/services
LINT := bin/golangci-lint
VULNCHECK := bin/govulncheck
CHART := bin/helm bin/kubeconform

# Separate modules: their go.sum and their calls can fall behind a change of this one.
BENCHMARKS := load/bench load/locks load/queues

# The web admin is embedded in the binary, so Go packages compile only once it is
# built. Without its sources there is nothing to build.
WEB_SOURCES := $(if $(wildcard web/package.json),$(shell find web -type f \
	-not -path 'web/node_modules/*' -not -path 'web/dist/*' -not -path 'web/e2e/*' -not -path 'web/.tanstack/*' \
	-not -name '*.go' -not -name '*.gen.ts' -not -name schema.d.ts) api/openapi.yaml)
WEB := $(if $(WEB_SOURCES),web/dist/index.html)

# RACE=yes runs the race detector where goroutines share memory, as CI does, and RACE=all in every
# package, as make nightly does. See test/tools/go-test.sh.
ifneq ($(RACE),)
GO_NEEDS := c-compiler
endif

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: $(WEB) ## Build bin/admin with the web admin in it
	go build -trimpath -ldflags '-X main.version=$(VERSION)' -o bin/admin ./cmd/admin

.PHONY: run
run: build ## Build and serve on SQLite, data under ./data
	bin/admin serve

.PHONY: hooks
hooks:
	@! git rev-parse --git-dir >/dev/null 2>&1 || git config core.hooksPath test/tools/hooks

.PHONY: check
check: $(WEB) hooks ## Run the tests that need no server, go vet and the type check of the web admin, in under a minute
	go vet ./...
	INTERLOCK_TEST_TIER=check go test ./internal/... ./client/... ./cmd/... ./test/shop/... ./test/activity/... ./test/docs/... ./test/statements/...
	npm --prefix web run --silent typecheck

.PHONY: test
test: hooks ## Run the tests that every change must pass, and report how long each part took; RACE=yes as CI
	MAKE='$(MAKE)' test/tools/parts.sh build test-go test-web test-browser tiers-summary

.PHONY: nightly
nightly: ## Run all tests on both engines with the race detector, then faults, mutants, engines and fuzzing; hours, as root; report in bin/nightly.txt
	INTERLOCK_TEST_TIER=nightly MAKE='$(MAKE) RACE=all FUZZTIME=10s' KEEP_GOING=yes REPORT=bin/nightly.txt test/tools/parts.sh \
		build test-go test-web test-browser lint bench-vet chart reproducible fuzz previous distributed engines mutants
	INTERLOCK_TEST_TIER=nightly go run ./test/tiers -record

.PHONY: tiers
tiers: ## List the tests that only make nightly runs
	@go run ./test/tiers

.PHONY: tiers-summary
tiers-summary:
	@go run ./test/tiers -summary

.PHONY: test-go
test-go: $(WEB) $(GO_NEEDS) deploy-tools ## Run the Go tests with a private MariaDB and Redis, with files in memory if they fit
	$(SERVICES) -in-memory -- env RACE=$(RACE) test/tools/go-test.sh

.PHONY: test-web
test-web: $(WEB) ## Run the web admin's own tests
	npm --prefix web run --silent test

.PHONY: test-browser
test-browser: build ## Drive bin/admin in Chromium: flows, and every page with axe; INTERLOCK_TEST_TIER=nightly inspects every theme, language and width with all rules
	test/tools/browser.sh
	RACE='$(RACE)' test/tools/drive.sh

.PHONY: screenshots
screenshots: build ## Retake the pictures of docs/images from the demo data
	test/tools/browser.sh
	mkdir -p docs/images
	npm --prefix web run --silent screenshots

.PHONY: c-compiler
c-compiler:
	@command -v gcc >/dev/null || { \
		echo 'The race detector needs a C compiler: apt-get install gcc libc6-dev, or run make test without RACE=yes.' >&2; exit 1; }

# HAProxy and Prometheus, with which the tests try the files in deploy/.
.PHONY: deploy-tools
deploy-tools:
	@test/tools/deploy.sh

.PHONY: lint
lint: $(WEB) $(LINT) vuln ## Run the linters, the test of their rules, the word check, and the check for known vulnerabilities
	go run ./test/words
	$(LINT) run
	npm --prefix web run --silent lint
	go test -count=1 -tags lint ./test/lint

.PHONY: vuln
vuln: $(WEB) $(VULNCHECK) ## Check for known vulnerabilities; warns if the database is unreachable
	test/tools/vulncheck.sh $(VULNCHECK)

.PHONY: sbom
sbom: build ## Write the bill of materials of bin/admin to bin/admin.cdx.json (CycloneDX)
	go run ./test/sbom bin/admin '$(VERSION)' web/package-lock.json >bin/admin.cdx.json

.PHONY: release-check
release-check: $(WEB) $(VULNCHECK) sbom chart reproducible ## Fail on reachable vulnerabilities or without their database; writes the bill of materials, checks the chart, and builds twice
	INTERLOCK_VULN_REQUIRED=1 test/tools/vulncheck.sh $(VULNCHECK)
	npm --prefix web audit --omit dev

.PHONY: chart
chart: $(WEB) $(CHART) ## Check the Helm chart with Helm and with the schemas of Kubernetes; the first run builds Helm for some minutes
	go test -count=1 -tags chart -run 'Helm|Schemas' ./test/deploy

.PHONY: reproducible
reproducible: $(WEB) ## Build the program like the image in two folders, the second time without a cache, and compare the bytes
	go test -count=1 -tags release -timeout 30m -run DifferentFolders ./test/deploy

.PHONY: generate
generate: web/node_modules/.package-lock.json ## Write the generated files
	go generate ./...

.PHONY: check-generated
check-generated: ## Fail if a generated file is out of date
	test/tools/check-generated.sh

.PHONY: bench
bench: build ## Measure PATCHes, purchases, replays, rejections and the orders of a flash sale, as ratios; BENCH='-parts http' selects parts
	test/tools/bench-tool.sh wrk wrk
	go build -trimpath -o bin/benchserver ./test/benchserver
	$(SERVICES) -durable -- go run -C load/bench . $(BENCH)

.PHONY: bench-peers
bench-peers: build ## Measure PATCHes, on MariaDB and embedded, compared with etcd and PocketBase
	test/tools/bench-tool.sh etcd etcd-server
	go build -C load/pocketbase -trimpath -o ../../bin/pocketbase .
	$(SERVICES) -durable -- go run -C load/bench . -parts peers $(BENCH)

.PHONY: race-peers
race-peers: build ## Send racing edits, purchases and shipments to Directus, Vendure and Interlock, and print the lost writes; installs the peers from npm
	load/peers/run.sh

.PHONY: profile
profile: build ## Write CPU profiles of the service while it is measured to bin/profiles; BENCH='-parts patch' selects parts
	test/tools/bench-tool.sh wrk wrk
	go build -trimpath -o bin/benchserver ./test/benchserver
	$(SERVICES) -durable -- go run -C load/bench . -rounds 1 -profile ../../bin/profiles $(BENCH)
	@echo "Flame graphs: go tool pprof -http=127.0.0.1: bin/profiles/C.pprof"

.PHONY: bench-locks
bench-locks: ## Measure the lock in Redis against redsync and redislock
	$(SERVICES) -- go run -C load/locks .

.PHONY: bench-queues
bench-queues: ## Measure the queue in Redis against asynq
	$(SERVICES) -- go run -C load/queues .

.PHONY: bench-vet
bench-vet: ## Vet the modules of the benchmarks, which import packages of this one
	for module in $(BENCHMARKS); do go vet -C $$module ./...; done

.PHONY: bench-link
bench-link: $(WEB) ## Measure edits of configs and entries of one wallet over 0 to 1 ms to MariaDB, statement by statement and in packets
	$(SERVICES) -durable -- go test -run '^$$' -bench OverALink -p 1 -benchtime 3s -count 3 ./internal/config ./test/shop

.PHONY: bench-size
bench-size: $(WEB) ## Time every list of the contract with 10,000 and 1,000,000 orders, on both engines, and the cost of its indexes for an edit; SIZES=10000,100000 ENGINES=sqlite LISTS=/orders,/customers
	$(SERVICES) -- env INTERLOCK_SIZES=$(SIZES) INTERLOCK_LISTS=$(LISTS) INTERLOCK_ENGINES=$(ENGINES) go test -tags size -count=1 -v -timeout 120m -run HowLong ./test/contract
	$(SERVICES) -durable -- env INTERLOCK_ENGINES=$(ENGINES) go test -tags size -count=1 -v -timeout 60m -run Cost ./test/contract

.PHONY: load
load: ## Race clients against the service on a durable MariaDB; writes load/report/
	load/run.sh

.PHONY: faults
faults: $(WEB) c-compiler deploy-tools ## Break engines, links and processes under load, and check that no promise breaks
	$(SERVICES) -- env INTERLOCK_TEST_TIER=nightly go test -count=1 -timeout 30m ./test/faults/...

.PHONY: engines
engines: $(WEB) ## Try the service on Galera, Redis Cluster and Sentinel under kills, cut links, full disks and wrong clocks; some 35 minutes, as root
	test/tools/engines.sh
	$(SERVICES) -- go test -count=1 -tags engines -timeout 70m -v ./test/stepclock ./test/engines

.PHONY: distributed
distributed: $(WEB) ## Run the tests on a MariaDB without the features that TiDB, Vitess and Galera lack; DISTRIBUTED=update retains the locks of FOR UPDATE
	$(SERVICES) -- env INTERLOCK_TEST_LOCKS=$(DISTRIBUTED) test/tools/distributed.sh

.PHONY: previous
previous: $(WEB) ## Test the previous release on the current schema, and its program next to this one; PREVIOUS=v1.2.0 selects a tag, by default the newest
	$(SERVICES) -- test/tools/previous.sh $(PREVIOUS)

.PHONY: mutants
mutants: $(WEB) ## Apply each mutant and check that its tests fail; MUTANTS='-only commit' selects some
	$(SERVICES) -- go run ./test/mutants $(MUTANTS)

.PHONY: storm
storm: $(WEB) ## Break everything during flash sales for ten minutes, and check each ticket; STORM=10m
	$(SERVICES) -- env INTERLOCK_TEST_TIER=nightly INTERLOCK_STORM=$(STORM) go test -count=1 -timeout 60m -run Storm -v ./test/faults

.PHONY: fuzz
fuzz: ## Fuzz every parser of outside input, FUZZTIME=30s each
	test/tools/fuzz.sh $(FUZZTIME)

.PHONY: clean
clean: ## Remove built files, but not ./data
	rm -rf bin web/dist load/report

web/dist/index.html: $(WEB_SOURCES) web/node_modules/.package-lock.json
	npm --prefix web run build
	touch $@

# npm writes this file after it has installed the packages of the lock file.
web/node_modules/.package-lock.json: web/package.json web/package-lock.json
	npm --prefix web ci --no-audit --no-fund
	touch $@

$(LINT) $(VULNCHECK): test/tools/go.mod test/tools/go.sum
	go build -C test/tools -o ../../bin/ tool
	touch $(LINT) $(VULNCHECK)

$(CHART): test/tools/chart/go.mod test/tools/chart/go.sum
	go build -C test/tools/chart -trimpath -ldflags '-s -w' -o ../../../bin/ tool
	touch $(CHART)
