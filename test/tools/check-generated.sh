#!/bin/bash
# Fails if `go generate` changes, adds or removes a file, and prints the file. It compares
# the state before with the state after, so other uncommitted changes do not matter.
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"

# One "<hash> <path>" for every file that differs from the index or is not in it.
state() {
	git ls-files -z --modified --others --exclude-standard | sort -zu |
		while IFS= read -r -d '' path; do
			echo "$(git hash-object -- "$path" 2>/dev/null || echo removed) $path"
		done
}

before=$(state)
make generate
after=$(state)

changed=$(comm -3 <(sort <<<"$before") <(sort <<<"$after") | tr -d '\t' | cut -d' ' -f2- | sort -u)
if [ -n "$changed" ]; then
	echo "generated files are out of date; run make generate and commit:" >&2
	sed 's/^/  /' <<<"$changed" >&2
	exit 1
fi
echo "generated files are up to date"
