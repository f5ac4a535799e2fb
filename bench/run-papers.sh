#!/bin/sh
# Repeats what papers 000 to 004 measured and how a step scales; writes paper-000.csv to paper-004.csv and
# scaling.csv.
# Takes about half an hour on two cores. Stops if two ways do not give the same answer.
#
# usage: run-papers.sh TANDEM [OPTION...]     (further common options of `tandem bench`, for every measurement)
#   TANDEM_RESULTS  where the results go (bench/results)
#   TANDEM_FULL     1: all sizes of paper 002 (hours on two cores)
#   TANDEM_HORSE    a folder with frame0.obj and positions.f32, a sequence for paper 001 (none)
#   TANDEM_REPEATS  runs of paper 000 and rounds of paper 001, of which medians are taken (3)
set -eu

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run-papers.sh TANDEM [OPTION...] (the program that make builds)" >&2
    exit 2
fi
program=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
results=${TANDEM_RESULTS:-$here/results}
repeats=${TANDEM_REPEATS:-3}
sizes=
[ "${TANDEM_FULL:-0}" = 1 ] && sizes=--full
mkdir -p "$results"

# One thread on both sides, as in the papers: what PoCL is given (by its older and its newer name), and what the native
# code takes by default.
(
    export POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1
    "$program" bench paper 000 --repeats "$repeats" --csv -o "$results/paper-000.csv" "$@"
    echo "wrote $results/paper-000.csv"
    "$program" bench paper 001 --rounds "$repeats" \
        ${TANDEM_HORSE:+--mesh "$TANDEM_HORSE/frame0.obj" --positions "$TANDEM_HORSE/positions.f32"} \
        --csv -o "$results/paper-001.csv" "$@"
    echo "wrote $results/paper-001.csv"
    "$program" bench paper 002 ${sizes:+"$sizes"} --csv -o "$results/paper-002.csv" "$@"
    echo "wrote $results/paper-002.csv"
    # Objects that fall; at rest; at rest and kept awake; the same with all of them there; all of them falling; waving
    # sheets; objects and falling sheets.
    joined=$results/paper-003.csv
    trap 'rm -f "$joined.part" "$joined.unfinished"' EXIT
    : > "$joined.unfinished"
    for run in "--n 2 --steps 100" "--n 2 --settle 420 --steps 12" "--n 2 --settle 420 --steps 60 --awake" \
        "--n 5 --settle 420 --steps 60 --awake --device native" "--n 5 --device native --steps 130" \
        "--n 1 --settle 120 --steps 12 --sheets 4" "--scene rigid-and-sheets --n 3 --device native --steps 76"; do
        # shellcheck disable=SC2086 # options, word by word
        "$program" bench paper 003 $run --csv -o "$joined.part" "$@"
        if [ -s "$joined.unfinished" ]; then
            tail -n +2 "$joined.part" >> "$joined.unfinished"
        else
            cat "$joined.part" > "$joined.unfinished"
        fi
    done
    mv "$joined.unfinished" "$joined"
    echo "wrote $joined"
    "$program" bench paper 004 --repeats "$repeats" --csv -o "$results/paper-004.csv" "$@"
    echo "wrote $results/paper-004.csv"
)
"$program" bench scaling --full --csv -o "$results/scaling.csv" "$@"
echo "wrote $results/scaling.csv"
