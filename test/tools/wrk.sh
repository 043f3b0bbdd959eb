#!/bin/bash
# Makes sure of wrk for the benchmarks: installs it as root on Debian and its children,
# and names it elsewhere.
set -euo pipefail

command -v wrk >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing wrk"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update >/dev/null
	apt-get -q install -y --no-install-recommends wrk >/dev/null
fi
if ! command -v wrk >/dev/null; then
	echo "The benchmarks need wrk on the PATH: apt-get install wrk" >&2
	exit 1
fi
