#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Debian packages of the committed tree: debian.sh WORK-FOLDER
#
# Builds them, tests included; builds them again elsewhere, in another time zone, locale and umask, and wants the same
# bytes; asks lintian; installs them into a system made with debootstrap and runs debian/tests there with autopkgtest.
# The last part needs root and is left out without.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$1/debian
# The system's tools: a package is built with what its dependencies name.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin
rm -rf --one-file-system "$work"
mkdir -p "$work"

# A system to install them into, made while they are built.
make_system() {
    local cache=${XDG_CACHE_HOME:-$HOME/.cache}/libnorm-debootstrap suite
    # shellcheck source=/dev/null
    suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
    mkdir -p "$cache"
    debootstrap --variant=minbase --cache-dir="$cache" --include=ca-certificates,dpkg-dev,python3-minimal \
        "$suite" "$work/system" || return
    cp /etc/resolv.conf /etc/hosts "$work/system/etc/"
    # A network may have certificates of its own, which the host trusts.
    cp /etc/ssl/certs/ca-certificates.crt "$work/system/etc/ssl/certs/"
}
if [[ $(id -u) == 0 ]]; then
    make_system >"$work/system.log" 2>&1 &
    maker=$!
fi

"$root/docs/packaging/deb" "$work/first" -us -uc >"$work/first.log" 2>&1 || { tail -n 30 "$work/first.log"; exit 1; }
(umask 077 && TZ=Asia/Tokyo LC_ALL=C DEB_BUILD_OPTIONS='nocheck parallel=1' \
    "$root/docs/packaging/deb" "$work/another/place" -us -uc -b >"$work/second.log" 2>&1) ||
    { tail -n 30 "$work/second.log"; exit 1; }
for package in "$work"/first/*.deb; do
    cmp "$package" "$work/another/place/${package##*/}"
    dpkg-deb -W --showformat '${Package}: the same bytes twice, ${Installed-Size} KiB installed\n' "$package"
done

# What a packager knows and this tree does not: the bug that asks for the package, where releases are found, a web page.
# The long line is in the model's numbers.
unknown=initial-upload-closes-no-bugs,debian-watch-file-is-missing,no-homepage-field,upstream-metadata-file-is-missing
unknown+=,very-long-line-length-in-source-file
lintian --allow-root -EI --pedantic --fail-on error,warning,info,pedantic --suppress-tags "$unknown" \
    "$work"/first/*.changes
echo "lintian: nothing to say"

if [[ -z ${maker:-} ]]; then
    echo "not root: the packages were not installed"
    exit 0
fi
wait "$maker" || { tail -n 5 "$work/system.log"; exit 1; }
autopkgtest --no-built-binaries --output-dir "$work/autopkgtest" "$work"/first/*.deb "$work"/first/*.dsc \
    -- chroot "$work/system" >"$work/autopkgtest.log" 2>&1 || { tail -n 60 "$work/autopkgtest.log"; exit 1; }
cat "$work/autopkgtest/summary"
rm -rf --one-file-system "$work/system"
