#!/usr/bin/env bash
# Static checks, all of which must be silent: the format, clang-tidy (.clang-tidy), cppcheck (.cppcheck-suppressions)
# and shellcheck.
#
#   scripts/lint.sh BUILD    a folder configured by CMake with clang; its compile_commands.json is read
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: scripts/lint.sh BUILD}
jobs=${JOBS:-$(nproc)}
database=$build/compile_commands.json
if [ ! -f "$database" ]; then
    echo "lint: $database is not there; expected a folder configured with: cmake --preset lint" >&2
    exit 2
fi
failed=()

echo "== lint: format"
scripts/format.sh --check || failed+=(format)

# The files that the build compiles; a source that CMake does not know would only be guessed at.
mapfile -t -d '' compiled < <(
    scripts/list-sources.sh '*.c' '*.cpp' | while IFS= read -r -d '' source; do
        if grep -qF "\"$PWD/$source\"" "$database"; then
            printf '%s\0' "$source"
        fi
    done
)
echo "== lint: clang-tidy, ${#compiled[@]} files"
printf '%s\0' "${compiled[@]}" |
    xargs -0 -n 1 -P "$jobs" clang-tidy --quiet --warnings-as-errors='*' -p "$build" 2>"$build/clang-tidy.log" ||
    failed+=(clang-tidy)
# clang-tidy counts suppressed warnings on standard error; only what it could not do is worth a line.
grep -E '^(Error|error)|fatal' "$build/clang-tidy.log" >&2 || true

echo "== lint: cppcheck"
checks=(--quiet --error-exitcode=1 --inline-suppr -j "$jobs" "--enable=warning,performance,portability"
    --suppressions-list=.cppcheck-suppressions -D_GNU_SOURCE -DTD_WIDE_ISA=scalar -DTD_WIDE_ISA_scalar=1
    -I include -I src -I tests -I cli)
mapfile -t -d '' c_sources < <(scripts/list-sources.sh '*.c')
mapfile -t -d '' cxx_sources < <(scripts/list-sources.sh '*.cpp')
cppcheck "${checks[@]}" --language=c --std=c11 "${c_sources[@]}" || failed+=(cppcheck)
cppcheck "${checks[@]}" --language=c++ --std=c++17 "${cxx_sources[@]}" || failed+=(cppcheck)

if command -v shellcheck >/dev/null; then
    echo "== lint: shellcheck"
    mapfile -t scripts < <(find scripts bench tests .ci -type f \( -name '*.sh' -o -path '.ci/run' \) | LC_ALL=C sort)
    shellcheck "${scripts[@]}" || failed+=(shellcheck)
else
    echo "== lint: shellcheck is not installed: shell scripts not checked"
fi

if [ ${#failed[@]} -gt 0 ]; then
    echo "lint: findings from ${failed[*]}" >&2
    exit 1
fi
echo "lint: no findings"
