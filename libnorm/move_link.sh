#!/bin/sh
# SPDX-License-Identifier: MIT
# What a linker looks for, libnorm.so and libnorm.a, in a folder of its own: move_link.sh LIBDIR FOLDER, after an
# installation. The loader's libnorm.so.0 stays where it is.
set -eu
[ -z "${MESON_INSTALL_DRY_RUN:-}" ] || exit 0
case $1 in
    /*) libdir=${DESTDIR:-}$1 ;;
    *) libdir=$MESON_INSTALL_DESTDIR_PREFIX/$1 ;;
esac
mkdir -p "$libdir/$2"
if [ -h "$libdir/libnorm.so" ]; then
    rm "$libdir/libnorm.so"
    ln -sf ../libnorm.so.0 "$libdir/$2/libnorm.so"
fi
if [ -e "$libdir/libnorm.a" ]; then
    mv "$libdir/libnorm.a" "$libdir/$2/libnorm.a"
fi
