#!/usr/bin/env bash
# Prints the C and C++ sources of the project, each ended by a null character, in a fixed order.
#
#   scripts/list-sources.sh [PATTERN...]    find patterns; without any: every source and header
set -euo pipefail
cd "$(dirname "$0")/.."

patterns=("$@")
if [ ${#patterns[@]} -eq 0 ]; then
    patterns=('*.c' '*.h' '*.cpp' '*.hpp' '*.cl')
fi
match=()
for pattern in "${patterns[@]}"; do
    match+=(-o -name "$pattern")
done
rooms=()
for room in include src cli kernels cmake tests bench; do
    if [ -d "$room" ]; then
        rooms+=("$room")
    fi
done
find "${rooms[@]}" -type f \( "${match[@]:1}" \) -print0 | LC_ALL=C sort -z
