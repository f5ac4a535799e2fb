#!/bin/sh
# Measures every traversal on every bounding volume and device; writes traverse.csv. Takes about ten minutes on two
# cores. Stops if two of them do not find the same pairs.
#
# usage: run-traverse.sh TANDEM [OPTION...]     (further options of `tandem bench traverse`, for every measurement)
#   TANDEM_MESHES   folder of the scanned meshes (../shared/data/meshes beside the checkout); where it is absent only the
#                   built-in cows are measured
#   TANDEM_RESULTS  where the results go (bench/results)
#   TANDEM_PAIRS    object pairs of cows (1000); a tenth of it for the scanned meshes
#   TANDEM_REPEATS  rounds per measurement (5)
set -eu

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run-traverse.sh TANDEM [OPTION...] (the program that make builds)" >&2
    exit 2
fi
program=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
meshes=${TANDEM_MESHES:-$here/../../shared/data/meshes}
results=${TANDEM_RESULTS:-$here/results}
pairs=${TANDEM_PAIRS:-1000}
repeats=${TANDEM_REPEATS:-5}
fewer=$(((pairs + 9) / 10))

mkdir -p "$results"
csv=$results/traverse.csv
unfinished=$csv.unfinished
part=$csv.part
trap 'rm -f "$unfinished" "$part"' EXIT
trap 'exit 130' INT TERM
rm -f "$unfinished"

measure() { # arguments of `tandem bench traverse`
    "$program" bench traverse "$@" --repeats "$repeats" --csv -o "$part"
    if [ -f "$unfinished" ]; then
        sed 1d "$part" >>"$unfinished"
    else
        cp "$part" "$unfinished"
    fi
}

# One thread on both sides: what PoCL is given (by its older and its newer name) and what the native code takes. Then all.
(
    export POCL_MAX_PTHREAD_COUNT=1 POCL_CPU_MAX_CU_COUNT=1
    measure --pairs "$pairs" --threads 1 "$@"
)
measure --pairs "$pairs" "$@"
if [ -d "$meshes" ]; then
    # By their names, so that the results do not tell where the meshes were.
    program=$(CDPATH='' cd -- "$(dirname -- "$program")" && pwd)/$(basename -- "$program")
    cd "$meshes"
    measure bunny-7k.obj bunny-7k.obj --pairs "$fewer" "$@"
    measure armadillo-52k.obj armadillo-52k.obj --pairs "$fewer" "$@"
else
    echo "$meshes: no such folder, the built-in cows only"
fi
mv "$unfinished" "$csv"
echo "wrote $csv"
