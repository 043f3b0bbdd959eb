#!/bin/bash
# Makes sure of Chromium and a Chinese font for the browser tests: installs them as
# root on Debian and its children, and names them elsewhere.
set -euo pipefail

chromium=${CHROMIUM:-/usr/bin/chromium}
has_font() { command -v fc-list >/dev/null && fc-list :lang=zh | grep -q .; }

[ -x "$chromium" ] && has_font && exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing chromium and fonts-noto-cjk"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update >/dev/null
	apt-get -q install -y --no-install-recommends chromium fontconfig fonts-noto-cjk >/dev/null
fi
if ! [ -x "$chromium" ] || ! has_font; then
	echo "The browser tests need Chromium at $chromium (or at \$CHROMIUM) and a Chinese font: apt-get install chromium fontconfig fonts-noto-cjk" >&2
	exit 1
fi
