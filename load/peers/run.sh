#!/bin/bash
# Installs the pinned peers outside the repository, once, and runs race.mjs with their Node. Where no prebuilt
# SQLite can be downloaded, npm compiles it, which needs g++ and some minutes.
set -euo pipefail
cd "$(dirname "$0")"
peers=$PWD
installed=${XDG_CACHE_HOME:-$HOME/.cache}/interlock-peers

mkdir -p "$installed"
cp package.json vendure.mjs "$installed"
cd "$installed"
if ! cmp -s "$peers/package-lock.json" built-lock.json; then
	cp "$peers/package-lock.json" .
	timeout 900 npm ci --ignore-scripts --no-audit --no-fund
	timeout 300 npm rebuild node
	headers=$(echo node_modules/node/node_modules/node-*/include)
	npm_config_nodedir=$PWD/${headers%/include} timeout 1800 npm rebuild better-sqlite3 sqlite3
	cp package-lock.json built-lock.json
fi
exec timeout 1800 node_modules/node/bin/node "$peers/race.mjs" "$installed"
