#!/bin/sh
# Measures single rays beside Embree, closest hit and any hit, on one thread; writes rays.csv. Takes about five minutes.
#
# usage: run-rays.sh TANDEM-PEERS [OPTION...]     (further options of `tandem-peers rays`, for every measurement)
#   TANDEM_MESHES   folder of the scanned meshes (../shared/data/meshes beside the checkout); where it is absent the
#                   built-in shapes take their place
#   TANDEM_MORE     further mesh files
#   TANDEM_RESULTS  where the results go (bench/results)
#   TANDEM_REPEATS  rounds per measurement (7)
set -eu

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run-rays.sh TANDEM-PEERS [OPTION...] (the program that TANDEM_BENCH=ON builds)" >&2
    exit 2
fi
program=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
meshes=${TANDEM_MESHES:-$here/../../shared/data/meshes}
results=${TANDEM_RESULTS:-$here/results}
repeats=${TANDEM_REPEATS:-7}

if [ -d "$meshes" ]; then
    sources="$meshes/cow.obj $meshes/bunny-7k.obj $meshes/armadillo-52k.obj $meshes/armadillo-52k.obj:2"
else
    echo "$meshes: no such folder, the built-in shapes take the place of its meshes"
    sources="cow cow:1 knot:2"
fi

mkdir -p "$results"
csv=$results/rays.csv
unfinished=$csv.unfinished
trap 'rm -f "$unfinished"' EXIT
trap 'exit 130' INT TERM
rm -f "$unfinished"

for mesh in $sources cow:4 ${TANDEM_MORE:-}; do
    "$program" rays "$mesh" --repeats "$repeats" --clock cpu --csv "$unfinished" "$@"
done
mv "$unfinished" "$csv"
echo "wrote $csv"
