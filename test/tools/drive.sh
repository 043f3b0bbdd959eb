#!/bin/bash
# Drives bin/admin in Chromium. What passed with the same program, tests and browser is not driven
# again, as Go does not run tests again that passed; `make clean` makes it forget, and CI, with
# RACE=yes, drives it always.
set -euo pipefail
cd "$(dirname "$0")/../.."
passed=bin/browser.passed

# The program by what its packages are compiled from, the web admin among them, and not by its version.
program() { CGO_ENABLED=0 go list -trimpath -export -deps -f '{{.ImportPath}} {{.BuildID}}' ./cmd/admin; }

tests() { find web/e2e web/package-lock.json -type f -not -path 'web/e2e/report/*' -print0 | sort -z | xargs -0 sha256sum; }

browser() {
	node --version
	"${CHROMIUM:-$(command -v chromium-headless-shell || command -v chromium)}" --version
}

key=$({ program && tests && browser; } | sha256sum)
if [ -z "${RACE:-}" ] && [ -f "$passed" ] && [ "$(<"$passed")" = "$key" ]; then
	echo "The admin in Chromium passed $(date -r "$passed" '+on %F at %T') with this program, these tests and this browser; make clean makes this be forgotten. (cached)"
	exit
fi
rm -f "$passed"
npm --prefix web run --silent e2e
echo "$key" >"$passed"
