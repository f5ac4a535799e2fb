#!/usr/bin/env bash
# Finds what the named groups of work need and installs what is missing, through apt.
#
#   scripts/setup.sh build test     the groups are listed by --help
#
# Each need has a probe that asks the system itself (a command, a pkg-config module, a header), so that a tool which
# came some other way is as good as a package. Where everything is found, nothing is installed and nothing is asked.
# Without apt, or without the right to use it, the missing packages are listed and the exit status is 1.
set -euo pipefail

GROUPS_KNOWN="build test bench bench-ccd lint picture fuzz oclgrind docs coverage"

usage() {
    echo "usage: scripts/setup.sh [--check] GROUP..."
    echo "groups: $GROUPS_KNOWN"
    echo "--check: only say what is missing"
}

# ---------------------------------------------------------------------------------------------------------------------
# Probes: each answers whether the thing is there.

has_command() { command -v "$1" >/dev/null 2>&1; }
has_module() { has_command pkg-config && pkg-config --exists "$1"; }
has_header() { has_command c++ && echo "#include <$1>" | c++ -x c++ -E - >/dev/null 2>&1; }
has_c_header() { has_command "${CC:-cc}" && echo "#include <$1>" | "${CC:-cc}" -x c -E - >/dev/null 2>&1; }
has_library() { { ldconfig -p || /sbin/ldconfig -p; } 2>/dev/null | grep -qF "$1"; }
has_node() { has_command node && [ "$(node --version | sed 's/^v\([0-9]*\).*/\1/')" -ge 18 ] 2>/dev/null; }
has_opencl_driver() { compgen -G "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}/*.icd" >/dev/null; }
has_python_module() {
    local python
    for python in python3 /usr/bin/python3; do
        "$python" -c "import $1" >/dev/null 2>&1 && return 0
    done
    return 1
}

links_c() { # with the compiler $1 and the flags that follow
    has_command "$1" || return 1
    local source=${2:-'int main(void) { return 0; }'} status=0 program
    program=$(mktemp)
    echo "$source" | "$1" -x c "${@:3}" - -o "$program" >/dev/null 2>&1 || status=1
    rm -f "$program"
    return $status
}

has_fuzzer() {
    links_c clang '#include <stddef.h>
#include <stdint.h>
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) { return data == 0 && size == 1; }' \
        -fsanitize=fuzzer,address,undefined
}

# ---------------------------------------------------------------------------------------------------------------------
# Needs: "need PACKAGE PROBE..." or "want" for what can be done without, with a word on what is lost.

missing=()
missing_optional=()

need() {
    local package=$1
    shift
    "$@" || missing+=("$package")
}

want() {
    local package=$1 loss=$2
    shift 2
    "$@" && return
    missing_optional+=("$package")
    losses+=("$package: $loss")
}

# The run-time library of clang's sanitizers and fuzzer is a package per version of clang.
clang_runtime_package() {
    local version=""
    if has_command clang; then
        version=$(clang -dumpversion | cut -d. -f1)
    elif has_command apt-cache; then
        version=$(apt-cache depends clang 2>/dev/null | sed -n 's/.*Depends: clang-\([0-9]*\)$/\1/p' | head -n1)
    fi
    echo "libclang-rt-${version:-14}-dev"
}

collect_group() {
    case $1 in
    build)
        need build-essential links_c "${CC:-cc}"
        need cmake has_command cmake
        need pkg-config has_command pkg-config
        need libassimp-dev has_module assimp
        need libcjson-dev has_module libcjson
        need opencl-c-headers has_c_header CL/cl.h
        need zlib1g-dev has_c_header zlib.h
        need nodejs has_node
        need npm has_command npm
        ;;
    test)
        need g++ has_command c++
        need libcmocka-dev has_module cmocka
        need libgmp-dev has_module gmp
        need python3 has_command python3
        want chromium "the tests of the page are skipped" has_command chromium
        want ffmpeg "the tests of films are skipped" has_command ffmpeg
        want ocl-icd-libopencl1 "tests on OpenCL devices are skipped" has_library libOpenCL.so.1
        want pocl-opencl-icd "tests on OpenCL devices are skipped" has_opencl_driver
        want libcgal-dev "the comparison with CGAL's exact answers is skipped" has_header CGAL/version.h
        ;;
    bench)
        need g++ has_command c++
        need libfcl-dev has_header fcl/config.h
        need libbullet-dev has_module bullet
        need libode-dev has_module ode
        need libcgal-dev has_header CGAL/version.h
        need libembree-dev has_header embree3/rtcore.h
        need libtbb-dev has_header tbb/version.h
        want python3-matplotlib "the results are not plotted" has_python_module matplotlib
        ;;
    picture)
        need chromium has_command chromium
        ;;
    bench-ccd) # bench/run-ccd.sh installs the package ipctk itself, below the build folder
        need python3 has_command python3
        need python3-venv has_python_module ensurepip
        ;;
    lint)
        need clang has_command clang
        need clang-tidy has_command clang-tidy
        need clang-format has_command clang-format
        need cppcheck has_command cppcheck
        want shellcheck "shell scripts are not checked" has_command shellcheck
        ;;
    fuzz)
        need clang has_command clang
        need "$(clang_runtime_package)" has_fuzzer
        ;;
    oclgrind)
        need oclgrind has_command oclgrind
        ;;
    docs)
        need doxygen has_command doxygen
        ;;
    coverage)
        need gcovr has_command gcovr
        ;;
    *)
        echo "setup: no group is called '$1'; expected one of: $GROUPS_KNOWN" >&2
        exit 2
        ;;
    esac
}

collect() {
    missing=()
    missing_optional=()
    losses=()
    local group
    for group in "$@"; do
        collect_group "$group"
    done
}

# ---------------------------------------------------------------------------------------------------------------------

# Prints the words that apt-get is to be started with; fails where it cannot be used.
apt_command() {
    has_command apt-get || return 1
    if [ "$(id -u)" -eq 0 ]; then
        echo "env DEBIAN_FRONTEND=noninteractive apt-get"
    elif has_command sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then
        echo "sudo env DEBIAN_FRONTEND=noninteractive apt-get"
    else
        return 1
    fi
}

install_packages() { # the words of apt_command, then "--", then packages
    local apt=()
    while [ "$1" != "--" ]; do
        apt+=("$1")
        shift
    done
    shift
    echo "setup: installing with apt-get: $*"
    "${apt[@]}" update -qq || echo "setup: apt-get update failed; trying with the lists at hand" >&2
    "${apt[@]}" install -y -qq --no-install-recommends "$@" >/dev/null
}

install_missing() {
    local words apt=()
    if ! words=$(apt_command); then
        return
    fi
    read -ra apt <<<"$words"
    local packages=("${missing[@]}" "${missing_optional[@]}")
    if ! install_packages "${apt[@]}" -- "${packages[@]}"; then
        # One package that cannot be had must not keep the others away.
        echo "setup: apt-get refused the whole list; trying one by one" >&2
        local package
        for package in "${packages[@]}"; do
            install_packages "${apt[@]}" -- "$package" || echo "setup: apt-get cannot install $package" >&2
        done
    fi
}

main() {
    local check_only=false
    case ${1:-} in
    --check)
        check_only=true
        shift
        ;;
    -h | --help)
        usage
        exit 0
        ;;
    esac
    if [ $# -eq 0 ]; then
        usage >&2
        exit 2
    fi

    collect "$@"
    if ! $check_only && [ $((${#missing[@]} + ${#missing_optional[@]})) -gt 0 ]; then
        install_missing
        collect "$@"
    fi
    local loss
    for loss in "${losses[@]}"; do
        echo "setup: not found: $loss"
    done
    if [ ${#missing[@]} -gt 0 ]; then
        echo "setup: missing for '$*': ${missing[*]} (names of Debian packages)" >&2
        echo "setup: install them by hand, as the administrator: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    echo "setup: everything for '$*' is there"
}

main "$@"
