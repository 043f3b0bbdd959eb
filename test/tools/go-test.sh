#!/bin/bash
# Runs the Go tests, see docs/decisions/tests.md; test/services starts it.
#
#   RACE=     no race detector; unchanged packages that passed come from Go's cache
#   RACE=yes  the race detector in the packages with goroutines that share memory, as CI
#   RACE=all  the race detector in every package, as the nightly tier
set -euo pipefail

# The packages with goroutines that share memory.
racing='/internal/(lock|mq|events|ratelimit|core/coretest|base/storage|base/batcher|edge/edgetest|edge/idempotency|flashsale|flashsale/gate|views/realtime|access|access/callers|access/passwords)$'

# The slowest packages start first, so that no processor is idle at the end.
longest='/(test/contract|test/e2e|test/faults|test/shop|internal/access)$'

# packages prints the packages with tests that grep selects, the longest first.
packages() {
	local selected
	selected=$(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}' ./... | grep -E "$@")
	grep -E "$longest" <<<"$selected" || true
	grep -Ev "$longest" <<<"$selected" || true
}

# Tests wait for servers, disks and clocks more than half of their time, so more packages run
# concurrently than there are processors. GOGC lets their small heaps grow, and -w omits the data
# for debuggers.
run() { GOGC=400 go test -ldflags=-w -vet=off -timeout "${TIMEOUT:-15m}" -p $(($(nproc) + 2)) "$@"; }

# The race detector does not check SQLite and its C library, which are translated to Go: they
# share no memory with their callers, and checking them needed half of the time. A library with a
# sync.Map must be checked: the linker uses its copy of that code for all packages.
race() {
	local unwatched=()
	for library in modernc.org/sqlite/lib modernc.org/libc modernc.org/memory; do
		unwatched+=("-gcflags=$library=-race=false -d=checkptr=0")
	done
	CGO_ENABLED=1 run -race "${unwatched[@]}" -count=1 "$@"
}

case ${RACE:-} in
"")
	mapfile -t all < <(packages .)
	run "${all[@]}"
	;;
yes)
	mapfile -t watched < <(packages "$racing")
	mapfile -t others < <(packages -v "$racing")
	run -count=1 "${others[@]}"
	race "${watched[@]}"
	;;
all)
	mapfile -t all < <(packages .)
	race "${all[@]}"
	;;
*)
	echo "RACE=$RACE: it is yes, all or empty" >&2
	exit 1
	;;
esac
