#!/bin/bash
# Checks for Chromium and a Chinese font for the browser tests. As root on Debian and
# its derivatives it installs them, elsewhere it prints their names. The headless shell
# is Chromium without browser windows, which saves half a second of processor time per
# page of a test. If it is not available, Chromium is used.
set -euo pipefail

shell=/usr/bin/chromium-headless-shell
whole=/usr/bin/chromium
has_font() { command -v fc-list >/dev/null && fc-list :lang=zh | grep -q .; }
install() { apt-get -q install -y --no-install-recommends "$@" >/dev/null; }

missing=()
[ -n "${CHROMIUM:-}" ] || [ -x "$shell" ] || missing+=(chromium-headless-shell)
has_font || missing+=(fontconfig fonts-noto-cjk)
if [ ${#missing[@]} -gt 0 ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
	echo "installing ${missing[*]}"
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update >/dev/null || true
	install "${missing[@]}" || [ -x "$whole" ] || install chromium fontconfig fonts-noto-cjk
fi
if ! [ -x "${CHROMIUM:-$shell}" ] && { [ -n "${CHROMIUM:-}" ] || ! [ -x "$whole" ]; } || ! has_font; then
	echo "The browser tests need Chromium at $shell, $whole or \$CHROMIUM, and a Chinese font: apt-get install chromium-headless-shell fontconfig fonts-noto-cjk" >&2
	exit 1
fi
