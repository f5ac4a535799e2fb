#!/usr/bin/env bash
# Runs a command (ctest) with the options of the sanitizers; long tests shorten themselves (TD_TEST_QUICK).
#
#   scripts/run-sanitized.sh COMMAND...
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

export TD_TEST_QUICK=1
# Files that claim billions of elements make the allocator fail; that is answered by an error and is no finding.
export ASAN_OPTIONS=allocator_may_return_null=1:detect_stack_use_after_return=1:${ASAN_OPTIONS:-}
export LSAN_OPTIONS=suppressions=$here/lsan.supp:print_suppressions=0:${LSAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}
export TSAN_OPTIONS=suppressions=$here/tsan.supp:allocator_may_return_null=1:halt_on_error=1:second_deadlock_stack=1:${TSAN_OPTIONS:-}

# The shadow memory of ThreadSanitizer does not fit where newer kernels put randomised mappings.
if setarch "$(uname -m)" -R true 2>/dev/null; then
    exec setarch "$(uname -m)" -R "$@"
fi
exec "$@"
