#!/bin/bash
# Makes each target in turn and says at the end how long each took, also when one
# failed: nothing after it is made then.
set -uo pipefail

summary=()
code=0
for part in "$@"; do
	began=$SECONDS
	"${MAKE:-make}" "$part" || code=$?
	summary+=("$(printf '%6d s  %s%s' $((SECONDS - began)) "$part" "$([ $code = 0 ] || echo ' (failed)')")")
	[ $code = 0 ] || break
done
printf '== how long each part took\n'
printf '%s\n' "${summary[@]}"
printf '%6d s  in all\n' "$SECONDS"
exit $code
