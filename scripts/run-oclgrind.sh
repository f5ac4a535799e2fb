#!/usr/bin/env bash
# Runs the tests of devices on Oclgrind, a simulator that sees what a device does not tell: accesses out of bounds and
# data races between work-items. Any finding is a failure.
#
#   scripts/run-oclgrind.sh BUILD    a folder with the tests built; each of them prints "device: NAME"
#
# Not asked for: --uninitialized, whose shadow of a buffer keeps the size of the released buffer that had the same
# address before, so that what lies beyond is reported although it was written (Oclgrind 21.10).
#
# Not run: test_device_refit, whose kernels this Oclgrind does not load (it knows no
# llvm.experimental.noalias.scope.decl, which the compiler leaves where it inlines functions that return structs).
set -euo pipefail

build=${1:?usage: scripts/run-oclgrind.sh BUILD}
tests=(test_device test_device_small test_device_balance test_device_build test_device_continuous test_device_ray)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

export TD_TEST_QUICK=1 TD_TEST_SIMULATED=1 # sizes that a simulator can do
export XDG_CACHE_HOME=$work/cache
export TANDEM_OPENCL_LIBRARY=liboclgrind-rt.so # oclgrind puts its folder on the library path

ran=0
failed=()
for test in "${tests[@]}"; do
    program=$build/tests/$test
    [ -x "$program" ] || continue
    ran=$((ran + 1))
    echo "== oclgrind: $test"
    : >"$work/findings"
    if ! oclgrind --data-races --max-errors 20 --log "$work/findings" "$program" >"$work/output" 2>&1; then
        cat "$work/output"
        failed+=("$test")
    elif ! grep -q '^device: .*Oclgrind' "$work/output"; then
        cat "$work/output"
        echo "oclgrind: $test did not run on the simulator: expected it to print \"device: NAME\" with its name" >&2
        failed+=("$test")
    elif [ -s "$work/findings" ]; then
        failed+=("$test")
    fi
    cat "$work/findings"
done

if [ $ran -eq 0 ]; then
    echo "oclgrind: $build/tests holds none of: ${tests[*]}" >&2
    exit 2
fi
if [ ${#failed[@]} -gt 0 ]; then
    echo "oclgrind: findings or failures in ${failed[*]}" >&2
    exit 1
fi
echo "oclgrind: no findings in $ran programs"
