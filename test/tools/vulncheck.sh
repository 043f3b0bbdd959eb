#!/bin/bash
# Runs the given govulncheck over the module. Fails on a vulnerability that our
# code reaches; a database out of reach is said in one line and fails nothing, unless
# INTERLOCK_VULN_REQUIRED is set.
set -euo pipefail

code=0
report=$("$1" ./... 2>&1) || code=$?

case $code in
0 | 3) printf '%s\n' "$report" ;;
*)
	if ! grep -q 'fetching vulnerabilities' <<<"$report"; then
		printf '%s\n' "$report"
		exit "$code"
	fi
	echo "vulnerabilities were NOT checked: the vulnerability database cannot be reached from here"
	[ -z "${INTERLOCK_VULN_REQUIRED:-}" ] || exit 1
	exit 0
	;;
esac
exit "$code"
