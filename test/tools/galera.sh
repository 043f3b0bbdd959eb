#!/bin/bash
# Installs what a private Galera cluster behind HAProxy needs, or names it.
set -euo pipefail

missing=()
[ -e /usr/lib/galera/libgalera_smm.so ] || missing+=(galera-4)
command -v mariadbd >/dev/null || missing+=(mariadb-server)
for tool in rsync lsof haproxy; do
	command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || missing+=("$tool")
done
[ ${#missing[@]} -gt 0 ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
	echo "missing: ${missing[*]}; install them and run this again" >&2
	exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get -q update
apt-get -q install -y --no-install-recommends "${missing[@]}"
