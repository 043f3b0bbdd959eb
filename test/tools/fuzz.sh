#!/bin/bash
# Runs each fuzz target of the module for a duration, one after the other.
set -euo pipefail

duration=$1
mapfile -t packages < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}' ./...)

found=0
for package in "${packages[@]}"; do
	for target in $(grep -hos '^func Fuzz[A-Za-z0-9_]*' "$package"/*_test.go | cut -d' ' -f2); do
		found=$((found + 1))
		echo "== $target in ${package#"$PWD"/} for $duration"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$duration" "$package"
	done
done
echo "$found fuzz targets ran for $duration each"
