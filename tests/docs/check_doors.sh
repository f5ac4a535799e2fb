#!/usr/bin/env bash
# The rooms below src/ include only from rooms before them; nothing in src/ includes from cli, tests or bench. A room
# that is not in the list is an error, too: docs/architecture.md and this list are where it gets its place.
#
#   check_doors.sh SOURCE_FOLDER
set -euo pipefail
cd "${1:?usage: check_doors.sh SOURCE_FOLDER}"

rooms=(core math device planar mesh predicates bvh traverse query broad rays deform dynamics render io)
declare -A place=()
for i in "${!rooms[@]}"; do
    place[${rooms[$i]}]=$i
done

wrong=0
doors=0
complain() {
    echo "$1"
    wrong=$((wrong + 1))
}

for folder in src/*/; do
    room=$(basename "$folder")
    [ -n "${place[$room]:-}" ] || complain "$folder: has no place among: ${rooms[*]}"
done

# Lines such as src/bvh/build.h:../core/array.h. A name without a folder is of the same room.
while IFS=: read -r file included; do
    doors=$((doors + 1))
    from=${file#src/}
    from=${from%%/*}
    to=${included#../}
    case $to in
    */*) to=${to%%/*} ;;
    *) continue ;;
    esac
    if [ -z "${place[$to]:-}" ]; then
        complain "$file: includes $included, which is in no room of src/"
    elif [ "${place[$to]}" -gt "${place[$from]:-99}" ]; then
        complain "$file: $from includes from $to, which comes after it"
    fi
done < <(grep -rHoE '^ *# *include "[^"]+"' src | sed -E 's/^([^:]*):.*"([^"]+)"$/\1:\2/')

echo "check_doors: $doors includes, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$doors" -gt 0 ]
