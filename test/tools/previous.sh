#!/bin/bash
# Tries the release before on the schema of now: its own tests, and its program beside this one.
# $1 is its revision. Without it, that is the newest tag before this commit, and where there is
# none the newest commit that lacks the newest migration and has all that are older than its own.
# Tests of it that list what is in the schema are left out, since the schema has more.
set -euo pipefail
cd "$(dirname "$0")/../.."

listing='^(TestEachTableOfTheSchemaIsEitherSweptOrKeptForAReason|TestEachTextOfTheSchemaIsErasedOrNamesNoCustomer)$'

# the migrations of a revision, in their order.
migrations() { git ls-tree --name-only "$1" migrations/mysql/ | grep -E '/[0-9]+_'; }

before() {
	local now revision older
	now=$(migrations HEAD)
	for revision in $(git rev-list --first-parent HEAD); do
		older=$(migrations "$revision")
		if [ "$older" != "$now" ] && [ "$older" = "$(head -n "$(wc -l <<<"$older")" <<<"$now")" ]; then
			echo "$revision"
			return
		fi
	done
	echo 'no commit before this one has an older schema: name one with PREVIOUS=' >&2
	return 1
}

revision=${1:-$(git describe --tags --abbrev=0 --match 'v*' HEAD^ 2>/dev/null || before)}
echo "== the release before is $(git log -1 --format='%h, %s' "$revision")"

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
echo '== its program beside this one'
INTERLOCK_PREVIOUS=$PWD/bin/admin-previous CGO_ENABLED=0 go test -count=1 -tags previous -timeout 20m -run TestTheProgramBeforeServesBesideThisOne ./test/faults
echo '== its tests on the schema of now'
cd "$tree"
CGO_ENABLED=0 go test -count=1 -timeout 20m -skip "$listing" \
	$(ls -d internal client test/shop test/activity test/contract test/e2e 2>/dev/null | sed 's|.*|./&/...|')
