#!/bin/bash
# Drives bin/admin in Chromium, unless the tests have passed with the same program, tests, browser
# and tier. `make clean` deletes the record of that. CI, with RACE=yes, always drives it.
set -euo pipefail
cd "$(dirname "$0")/../.."
passed=bin/browser.passed
lastrun=web/e2e/report/failures/.last-run.json

# The program is identified by the sources of its packages and of the web admin, not by its version.
program() { CGO_ENABLED=0 go list -trimpath -export -deps -f '{{.ImportPath}} {{.BuildID}}' ./cmd/admin; }

tests() { find web/e2e web/package-lock.json -type f -not -path 'web/e2e/report/*' -print0 | sort -z | xargs -0 sha256sum; }

browser() {
	node --version
	"${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium)}" --version
}

key=$({ program && tests && browser && echo "${INTERLOCK_TEST_TIER:-}"; } | sha256sum)
if [ -z "${RACE:-}" ] && [ -f "$passed" ] && [ "$(<"$passed")" = "$key" ]; then
	echo "The admin in Chromium passed $(date -r "$passed" '+on %F at %T') with this program, these tests and this browser; make clean deletes this record. (cached)"
	exit
fi
rm -f "$passed" "$lastrun"
npm --prefix web run --silent e2e
# Playwright exits with 0 when a module never finishes loading, but then it writes no result.
grep -q '"status": "passed"' "$lastrun"
echo "$key" >"$passed"
