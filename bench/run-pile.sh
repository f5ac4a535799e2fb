#!/bin/sh
# Measures a pile of 512 cows, 400 steps, with tandem and the other libraries that move meshes; writes pile.csv (a row per
# library), pile-steps.csv (a row per library and step), pile.svg and pile.png. Takes about five minutes on one core, most
# of them Bullet's. Stops if tandem loses a body or its threads do not agree.
#
# usage: run-pile.sh TANDEM-PEERS [OPTION...]     (further options of `tandem-peers pile`)
#   TANDEM_MESHES   folder of the scanned meshes (../shared/data/meshes beside the checkout); where it is absent the
#                   built-in cow is taken
#   TANDEM_RESULTS  where the results go (bench/results)
set -eu

if [ $# -lt 1 ] || [ ! -x "$1" ]; then
    echo "usage: run-pile.sh TANDEM-PEERS [OPTION...] (the program that TANDEM_BENCH=ON builds)" >&2
    exit 2
fi
program=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
mesh=${TANDEM_MESHES:-$here/../../shared/data/meshes}/cow.obj
results=${TANDEM_RESULTS:-$here/results}

if [ ! -f "$mesh" ]; then
    echo "$mesh: no such file, the built-in cow takes its place"
    mesh=cow:1 # of 6,000 triangles
fi

mkdir -p "$results"
csv=$results/pile.csv
steps=$results/pile-steps.csv
trap 'rm -f "$csv.unfinished" "$steps.unfinished"' EXIT
trap 'exit 130' INT TERM
rm -f "$csv.unfinished"

"$program" pile "$mesh" --csv "$csv.unfinished" --steps-csv "$steps.unfinished" "$@"
mv "$csv.unfinished" "$csv"
mv "$steps.unfinished" "$steps"

if python3 -c 'import matplotlib' 2>/dev/null; then
    python=python3
else
    python=/usr/bin/python3 # where Debian's python3-matplotlib is seen
fi
"$python" "$here/plot_pile.py" "$csv" "$steps" -o "$results/pile.svg" -o "$results/pile.png"
echo "wrote $csv, $steps, $results/pile.svg, $results/pile.png"
