#!/bin/sh
# Measures what is done to hierarchies: building and refitting beside Embree and FCL on 832,000 triangles, on one thread
# and on two (hierarchy.csv); the front beside cold traversals on a mesh that gallops (front.csv); a whole step of
# continuous self-collision beside the discrete question (ccd-step.csv). Takes about two minutes.
#
# usage: run-hierarchy.sh TANDEM TANDEM-PEERS [OPTION...]     (further options of tandem-peers)
#   TANDEM_DATA     folder with meshes, sequences and ccd (../shared/data beside the checkout); where it is absent
#                   built-in shapes take their place
#   TANDEM_RESULTS  where the results go (bench/results)
#   TANDEM_REPEATS  rounds per measurement (11)
set -eu

if [ $# -lt 2 ] || [ ! -x "$1" ] || [ ! -x "$2" ]; then
    echo "usage: run-hierarchy.sh TANDEM TANDEM-PEERS [OPTION...] (the programs that make and TANDEM_BENCH=ON build)" >&2
    exit 2
fi
tandem=$(CDPATH='' cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
peers=$2
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
data=${TANDEM_DATA:-$here/../../shared/data}
results=${TANDEM_RESULTS:-$here/results}
repeats=${TANDEM_REPEATS:-11}

if [ -d "$data" ]; then
    mesh=$data/meshes/armadillo-52k.obj:2
    front="horse-gallop/frame0.obj --positions horse-gallop/positions.f32"
    step="rod-twist/3036.ply rod-twist/3037.ply"
else
    echo "$data: no such folder, built-in shapes take the place of its meshes"
    mesh=cow:4
    front=
    step=
fi

mkdir -p "$results"
unfinished=$results/hierarchy.csv.unfinished
trap 'rm -f "$unfinished"' EXIT
trap 'exit 130' INT TERM
rm -f "$unfinished"
"$peers" refit "$mesh" --repeats "$repeats" --csv "$unfinished" "$@"
"$peers" build "$mesh" --repeats "$repeats" --csv "$unfinished" "$@"
mv "$unfinished" "$results/hierarchy.csv"
results=$(CDPATH='' cd -- "$results" && pwd)
# shellcheck disable=SC2086 # several words each
(
    cd "$data/sequences" 2>/dev/null || true # so that the results name files and no folders of this machine
    "$tandem" bench front $front --threads 1
    "$tandem" bench front $front --threads 1 --csv -o "$results/front.csv"
    cd ../ccd/frames 2>/dev/null || true
    "$tandem" bench ccd $step
    "$tandem" bench ccd $step --csv -o "$results/ccd-step.csv"
)
echo "wrote $results/hierarchy.csv, $results/front.csv, $results/ccd-step.csv"
