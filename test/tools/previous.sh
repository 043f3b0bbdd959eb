#!/bin/bash
# Tests the previous release on the current schema: its own tests, and its program next to this one.
# $1 is its revision. The default is the newest tag before this commit or, before the first release,
# the newest commit with the current migrations except the last. If there is neither,
# nothing precedes the baseline, and the script succeeds without a test. Tests of the previous
# release that list every table and column are skipped, because the schema has more.
set -euo pipefail
cd "$(dirname "$0")/../.."

listing='^TestEachTableIsDeclaredWithItsTexts$'

# migrations lists the migrations of a revision in order.
migrations() { git ls-tree --name-only "$1" migrations/mysql/ | grep -E '/[0-9]+_'; }

# before prints the newest commit with an older schema that starts with the same migrations.
before() {
	local now revision older
	now=$(migrations HEAD)
	for revision in $(git rev-list --first-parent HEAD); do
		older=$(migrations "$revision")
		if [ "$older" != "$now" ]; then
			[ "$older" != "$(head -n "$(wc -l <<<"$older")" <<<"$now")" ] || echo "$revision"
			return
		fi
	done
}

revision=${1:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || before)}
if [ -z "$revision" ]; then
	echo 'no release and no older schema precede this commit: nothing to test; name a revision with PREVIOUS='
	exit
fi
echo "== the previous release is $(git log -1 --format='%h, %s' "$revision")"

tree=$(mktemp -d)
trap 'git worktree remove --force "$tree"' EXIT
git worktree add --quiet --detach "$tree" "$revision"
cp -r web/dist "$tree/web/"
CGO_ENABLED=0 go build -C "$tree" -trimpath -o "$PWD/bin/admin-previous" ./cmd/admin
for dialect in mysql sqlite; do
	rm "$tree/migrations/$dialect/"*.sql
	cp "migrations/$dialect/"*.sql "$tree/migrations/$dialect/"
done
test/tools/deploy.sh
echo '== its program next to this one'
INTERLOCK_PREVIOUS=$PWD/bin/admin-previous CGO_ENABLED=0 go test -count=1 -tags previous -timeout 20m -run TestPreviousReleaseServesNextToThisOne ./test/faults
echo '== its tests on the current schema'
cd "$tree"
CGO_ENABLED=0 go test -count=1 -timeout 20m -skip "$listing" \
	$(ls -d internal client test/shop test/activity test/contract test/e2e 2>/dev/null | sed 's|.*|./&/...|')
