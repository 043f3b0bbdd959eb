#!/bin/bash
# Installs the programs for `make engines`: a Galera cluster behind HAProxy, network namespaces for cut
# links, small disks to fill, and a C compiler for stepped clocks. Prints the programs that it cannot
# install.
set -euo pipefail

missing=()
[ -e /usr/lib/galera/libgalera_smm.so ] || missing+=(galera-4)
command -v mariadbd >/dev/null || missing+=(mariadb-server)
for tool in rsync lsof haproxy; do
	command -v "$tool" >/dev/null || [ -x "/usr/sbin/$tool" ] || missing+=("$tool")
done
command -v redis-server >/dev/null || missing+=(redis-server)
command -v ip >/dev/null || missing+=(iproute2)
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
if [ ${#missing[@]} -gt 0 ]; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "missing: ${missing[*]}; install them and run this again" >&2
		exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update
	apt-get -q install -y --no-install-recommends "${missing[@]}"
fi
if [ "$(id -u)" != 0 ] || ! unshare --mount --net true; then
	echo "make engines mounts small file systems and creates network namespaces: run it as root, with CAP_SYS_ADMIN and CAP_NET_ADMIN" >&2
	exit 1
fi
