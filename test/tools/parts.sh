#!/bin/bash
# Makes each target in turn and reports the duration of each at the end. The first failure ends the
# run, unless KEEP_GOING is set; any failure sets the exit code. REPORT names a file for the report.
set -uo pipefail

summary=()
code=0
for part in "$@"; do
	started=$SECONDS
	outcome=
	${MAKE:-make} "$part" || { code=$? outcome=' (failed)'; }
	summary+=("$(printf '%6d s  %s%s' $((SECONDS - started)) "$part" "$outcome")")
	[ $code = 0 ] || [ -n "${KEEP_GOING:-}" ] || break
done
{
	printf '== how long each part took\n'
	printf '%s\n' "${summary[@]}"
	printf '%6d s  in total\n' "$SECONDS"
} | tee ${REPORT:+"$REPORT"}
exit $code
