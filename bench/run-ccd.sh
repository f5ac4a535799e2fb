#!/bin/sh
# Measures the elementary continuous tests beside Tight-Inclusion (the package ipctk, which is installed below the build
# folder); writes ccd.csv. Takes some minutes: single queries take Tight-Inclusion up to seconds.
#
# usage: run-ccd.sh LIBTANDEM BUILD_FOLDER [OPTION...]     (further options of ccd/compare.py)
#   TANDEM_CCD      folder of .ccdq files (../shared/data/ccd/queries beside the checkout)
#   TANDEM_RESULTS  where the results go (bench/results)
set -eu

if [ $# -lt 2 ] || [ ! -f "$1" ]; then
    echo "usage: run-ccd.sh LIBTANDEM BUILD_FOLDER [OPTION...] (the shared library that make builds)" >&2
    exit 2
fi
library=$1
venv=$2/venv-ccd
shift 2
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
queries=${TANDEM_CCD:-$here/../../shared/data/ccd/queries}
results=${TANDEM_RESULTS:-$here/results}
if [ ! -d "$queries" ]; then
    echo "run-ccd.sh: $queries: no such folder; TANDEM_CCD names one with .ccdq files" >&2
    exit 1
fi

if ! "$venv/bin/python" -c 'import ipctk' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet ipctk numpy
fi
mkdir -p "$results"
"$venv/bin/python" "$here/ccd/compare.py" "$library" "$queries" --csv "$results/ccd.csv.unfinished" "$@" || {
    status=$?
    rm -f "$results/ccd.csv.unfinished"
    exit $status
}
mv "$results/ccd.csv.unfinished" "$results/ccd.csv"
echo "wrote $results/ccd.csv"
