#!/usr/bin/env bash
# Runs every fuzzer for a bounded time, JOBS of them at once. A finding is an exit status of 1 and a file in
# BUILD/findings that reproduces it: BUILD/tests/fuzz/fuzz_NAME FILE.
#
#   FUZZ_SECONDS=60 JOBS=2 scripts/fuzz.sh BUILD [NAME...]
#
# Each starts from tests/fuzz/corpus/NAME and what earlier runs learnt (BUILD/corpus/NAME). With FUZZ_KEEP=1 the inputs
# that reach something new are added to tests/fuzz/corpus/NAME afterwards.
set -euo pipefail
cd "$(dirname "$0")/.."

build=${1:?usage: scripts/fuzz.sh BUILD [NAME...]}
shift
seconds=${FUZZ_SECONDS:-60}
jobs=${JOBS:-$(nproc)}
export ASAN_OPTIONS=allocator_may_return_null=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1:${UBSAN_OPTIONS:-}

names=("$@")
if [ ${#names[@]} -eq 0 ]; then
    for source in tests/fuzz/fuzz_*.c; do
        name=$(basename "$source" .c)
        names+=("${name#fuzz_}")
    done
fi
mkdir -p "$build/findings" "$build/logs"

fuzz_one() {
    local name=$1 program=$build/tests/fuzz/fuzz_$1 kept=tests/fuzz/corpus/$1 learnt=$build/corpus/$1 options=()
    if [ ! -x "$program" ]; then
        echo "fuzz: $program was not built; expected one from tests/fuzz/fuzz_$name.c" >&2
        return 1
    fi
    mkdir -p "$kept" "$learnt"
    if [ -f "tests/fuzz/$name.dict" ]; then
        options+=("-dict=tests/fuzz/$name.dict")
    fi
    if ! "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/findings/$name-" "${options[@]}" "$learnt" "$kept" >"$build/logs/$name.log" 2>&1; then
        echo "fuzz: FINDING in $name:"
        tail -n 60 "$build/logs/$name.log"
        return 1
    fi
    echo "fuzz: $name: no finding in $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/logs/$name.log") runs" \
        "($seconds s, $(find "$kept" -type f | wc -l) inputs in the corpus)"
    if [ "${FUZZ_KEEP:-0}" = 1 ]; then
        "$program" -merge=1 -timeout=20 -rss_limit_mb=2048 "$kept" "$learnt" >"$build/logs/$name-merge.log" 2>&1
        echo "fuzz: $name: the corpus now has $(find "$kept" -type f | wc -l) inputs"
    fi
}
export -f fuzz_one
export build seconds

echo "== fuzz: ${names[*]}; $seconds s each, $jobs at once"
# shellcheck disable=SC2016 # expanded by the shell that xargs starts
if ! printf '%s\0' "${names[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'set -euo pipefail; fuzz_one "$1"' fuzz; then
    echo "fuzz: findings are in $build/findings; fix them and add the file to tests/fuzz/corpus/NAME" >&2
    exit 1
fi
