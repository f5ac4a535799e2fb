#!/bin/sh
# Measures tandem beside the other libraries on the whole set of meshes and poses; writes peers.csv, peers.svg and
# peers.png. Takes about ten minutes on two cores. Stops at the first pair count of an exact library that is not
# tandem's.
#
# usage: run-peers.sh TANDEM-PEERS [OPTION...]     (further options of tandem-peers, for every measurement)
#   TANDEM_MESHES   folder of the scanned meshes (../shared/data/meshes beside the checkout); where it is absent the
#                   built-in shapes take their place
#   TANDEM_RESULTS  where the results go (bench/results)
#   TANDEM_POSES    poses per set (200)
#   TANDEM_REPEATS  rounds per measurement (7)
set -eu

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run-peers.sh TANDEM-PEERS [OPTION...] (the program that TANDEM_BENCH=ON builds)" >&2
    exit 2
fi
program=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
meshes=${TANDEM_MESHES:-$here/../../shared/data/meshes}
results=${TANDEM_RESULTS:-$here/results}
poses=${TANDEM_POSES:-200}
repeats=${TANDEM_REPEATS:-7}

if [ -d "$meshes" ]; then
    collide="$meshes/cow.obj $meshes/bunny-7k.obj $meshes/armadillo-52k.obj"
    self="$meshes/fcl_env.obj $meshes/bunny-7k.obj $meshes/rocker-arm.obj $meshes/armadillo-52k.obj"
    build="$meshes/armadillo-52k.obj cow:4"
else
    echo "$meshes: no such folder, the built-in shapes take the place of its meshes"
    collide="cow cow:1 knot:2"
    self="cow:1 cow:2 knot:2"
    build="cow:3 cow:4"
fi

mkdir -p "$results"
csv=$results/peers.csv
unfinished=$csv.unfinished
trap 'rm -f "$unfinished"' EXIT
trap 'exit 130' INT TERM
rm -f "$unfinished"

for mesh in $collide; do
    for set in near touching far; do
        for mode in all first; do
            "$program" collide "$mesh" --set $set --mode $mode --poses "$poses" --repeats "$repeats" --budget 6 \
                --csv "$unfinished" "$@"
        done
    done
done
for mesh in $self; do
    "$program" self "$mesh" --repeats "$repeats" --csv "$unfinished" "$@"
done
for mesh in $build; do
    "$program" build "$mesh" --repeats "$repeats" --csv "$unfinished" "$@"
done
mv "$unfinished" "$csv"

if python3 -c 'import matplotlib' 2>/dev/null; then
    python=python3
else
    python=/usr/bin/python3 # where Debian's python3-matplotlib is seen
fi
"$python" "$here/plot.py" "$csv" -o "$results/peers.svg" -o "$results/peers.png"
echo "wrote $csv, $results/peers.svg, $results/peers.png"
