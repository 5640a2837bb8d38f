# SPDX-License-Identifier: MIT
# What a machine needs to build libnorm, and how it gets it. Sourced by examples/run, tests/run and .ci/run; bash.
#
# A need is looked for by what it does (a program that runs, a library that pkg-config knows), so that nothing is
# installed where it is there already, whoever put it there. What is missing comes from apt-get on Debian and its kin;
# elsewhere the names are printed and nothing is touched.

say() { printf '%s\n' "$*"; }
fail() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# 1.0.1 and newer can build this tree.
meson_new_enough() {
    local version major minor
    version=$("$1" --version 2>/dev/null) || return 1
    IFS=. read -r major minor _ <<<"$version"
    [[ $major =~ ^[0-9]+$ && $minor =~ ^[0-9]+$ ]] || return 1
    [[ $version != 1.0.0 ]] && ((major > 1 || (major == 1 && minor >= 0)))
}

# Sets meson to the first of those on PATH, the system's and our own that runs and is new enough.
find_meson() {
    local candidate
    while read -r candidate; do
        if [[ -x $candidate ]] && meson_new_enough "$candidate"; then
            meson=$candidate
            return 0
        fi
    done < <(
        type -aP meson
        printf '%s\n' /usr/bin/meson "$root/build-tools/bin/meson"
    )
    return 1
}

has_ninja() { ninja --version >/dev/null 2>&1 || ninja-build --version >/dev/null 2>&1; }
has_pkg_config() { pkg-config --version >/dev/null 2>&1; }
has_library() { has_pkg_config && pkg-config --exists "$1"; }
# A compiler without the C library's headers is no compiler.
has_compiler() {
    printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' |
        "${CC:-cc}" -x c -o /dev/null - >/dev/null 2>&1
}
has_cblas() {
    local name
    for name in openblas flexiblas blas cblas; do
        has_library "$name" && return 0
    done
    return 1
}

# One need a line: the test, Debian's packages, and what it is called elsewhere.
need_table() {
    cat <<'NEEDS'
has_compiler|gcc libc6-dev|a C compiler
find_meson|meson|Meson 1.0.1 or newer
has_ninja|ninja-build|Ninja
has_pkg_config|pkg-config|pkg-config or pkgconf
has_cblas|libopenblas-dev|OpenBLAS or another CBLAS, with headers
has_library jansson|libjansson-dev|Jansson 2.10 or newer, with headers
has_library libutf8proc|libutf8proc-dev|utf8proc 2.2 or newer, with headers
NEEDS
    if [[ ${1:-} == tests ]]; then
        cat <<'NEEDS'
has_library check|check|Check 0.15 or newer, with headers
has_library mpfr|libmpfr-dev|MPFR, with headers
NEEDS
    fi
}

# as_root COMMAND...: as the user root, which a bare machine often is already.
as_root() {
    if [[ $(id -u) == 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "this has to be done as root, and there is no sudo: $*"
    fi
}

# apt_install PACKAGE...: those that are not installed yet, saying which.
apt_install() {
    local package missing=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
    done
    ((${#missing[@]})) || return 0
    say "Installing with apt-get: ${missing[*]}"
    # A fresh machine has no package lists yet, an old one has stale ones: refresh them once, then install.
    as_root env DEBIAN_FRONTEND=noninteractive sh -c 'apt-get -qq update &&
        apt-get -qq -y --no-install-recommends install "$@" >/dev/null' apt_install "${missing[@]}"
}

# A Meson of our own, for systems whose package is older than 1.0.1.
private_meson() {
    say "The system's Meson is older than 1.0.1: installing a newer one into ${root##*/}/build-tools"
    apt_install python3-venv
    python3 -m venv "$root/build-tools" && "$root/build-tools/bin/pip" -q install 'meson>=1.0.1'
}

# install_needs [tests]: returns when everything is there; otherwise says what is missing and ends the script.
install_needs() {
    local test packages name missing=() wanted=()
    while IFS='|' read -r test packages name; do
        if ! $test; then
            missing+=("$name")
            # shellcheck disable=SC2206 # one word a package
            wanted+=($packages)
        fi
    done < <(need_table "$@")
    if ((${#missing[@]} == 0)); then
        find_meson
        return
    fi
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        say "Missing on this machine:"
        printf '  %s\n' "${missing[@]}"
        say "Install these with the system's package manager and run this again."
        exit 1
    fi
    apt_install "${wanted[@]}" || fail "apt-get could not install: ${wanted[*]}"
    find_meson || private_meson || fail "no Meson of version 1.0.1 or newer could be installed"
    while IFS='|' read -r test packages name; do
        $test || fail "$name is still missing after installing $packages"
    done < <(need_table "$@")
    find_meson
}

# build DIRECTORY OPTION...: configures once, with these options, and builds. A directory that another Meson
# configured, or that was moved, is configured anew.
build() {
    local directory=$1 log=$1/build.log
    shift
    mkdir -p "$directory"
    say "Building in ${directory#"$root"/}"
    if ! { configure "$directory" "$@" && "$meson" compile -C "$directory"; } >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        fail "the build failed; all of it is in $log"
    fi
}

configure() {
    local directory=$1
    shift
    if [[ -f $directory/build.ninja ]]; then
        "$meson" setup --reconfigure "$directory" "$root" "$@" && return 0
        "$meson" setup --wipe "$directory" "$root" "$@"
    else
        "$meson" setup "$directory" "$root" "$@"
    fi
}
