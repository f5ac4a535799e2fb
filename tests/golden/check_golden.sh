#!/usr/bin/env bash
# Builds the library and test_golden with gcc at -O0 and with clang at -O2, each in a folder of its own, and runs it
# there: the hashes are the same. gcc's optimised code is that of the build under test, whose own test_golden compares the
# same hashes. What was built before is used again.
#
#   check_golden.sh SOURCE WORK GENERATOR
#
# Exits with 77 if no compiler is there at all.
set -euo pipefail

source=$1 work=$2 generator=$3
ran=0

# NAME COMPILER FLAG...
check() {
    local name=$1 compiler=$2
    if ! command -v "$compiler" >"/dev/null"; then
        echo "-- $name is skipped: $compiler is not installed"
        return
    fi
    local folder=$work/$name
    echo "-- $name: $compiler ${*:3}"
    mkdir -p "$folder"
    # A build type of its own: its flags are these and no others.
    if ! cmake -S "$source" -B "$folder" -G "$generator" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_BUILD_TYPE=Golden \
        -DCMAKE_C_FLAGS= -DCMAKE_C_FLAGS_GOLDEN="${*:3}" -DTANDEM_TESTS=ON -DTANDEM_BENCH=OFF -DTANDEM_FUZZ=OFF \
        -DTANDEM_ASSIMP=OFF -DTANDEM_OPENCL=OFF >"$folder/configure.log" 2>&1 ||
        ! cmake --build "$folder" --target test_golden -j 2 >"$folder/build.log" 2>&1; then
        tail -n 30 "$folder"/*.log >&2
        exit 1
    fi
    "$folder/tests/test_golden" "test_constants"
    "$folder/tests/test_golden" "test_isas"
    ran=$((ran + 1))
}

unset CFLAGS CC
check gcc-O0 gcc -O0
check clang-O2 clang -O2

if [ "$ran" = 0 ]; then
    exit 77
fi
