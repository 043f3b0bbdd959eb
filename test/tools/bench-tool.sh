#!/bin/bash
# Checks for a program that a benchmark needs. As root on Debian and its derivatives it installs the
# package, elsewhere it prints its name.
#
#   bench-tool.sh PROGRAM PACKAGE
set -euo pipefail

program=$1 package=$2
command -v "$program" >/dev/null && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing $package"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update >/dev/null
	apt-get -q install -y --no-install-recommends "$package" >/dev/null
fi
if ! command -v "$program" >/dev/null; then
	echo "The benchmarks need $program on the PATH: apt-get install $package" >&2
	exit 1
fi
