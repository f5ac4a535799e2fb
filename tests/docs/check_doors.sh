#!/usr/bin/env bash
# The rooms below src/ include only from rooms before them; nothing in src/ includes from cli, tests or bench. A room
# that is not in the list is an error, too: docs/architecture.md and this list are where it gets its place.
#
#   check_doors.sh SOURCE_FOLDER
set -euo pipefail
cd "${1:?usage: check_doors.sh SOURCE_FOLDER}"

rooms=(core math mesh predicates bvh traverse query io)

place() { # of a room in the list; fails if it has none
    local i
    for i in "${!rooms[@]}"; do
        if [ "${rooms[$i]}" = "$1" ]; then
            echo "$i"
            return 0
        fi
    done
    return 1
}

wrong=0
doors=0
complain() {
    echo "$1"
    wrong=$((wrong + 1))
}

for folder in src/*/; do
    place "$(basename "$folder")" >/dev/null || complain "$folder: has no place among: ${rooms[*]}"
done

# Lines such as src/bvh/build.h:../core/array.h
while IFS=: read -r file included; do
    doors=$((doors + 1))
    target=$(realpath -m --relative-to=. "$(dirname "$file")/$included")
    if [ ! -f "$target" ] && [ -f "src/$included" ]; then
        target=src/$included # found through the include path
    fi
    from=$(cut -d/ -f2 <<<"$file")
    to=$(cut -d/ -f2 <<<"$target")
    if [[ $target != src/* ]]; then
        complain "$file: includes $included, which is outside src/"
    elif [ "$from" != "$to" ] && from_place=$(place "$from") && to_place=$(place "$to") &&
        [ "$to_place" -gt "$from_place" ]; then
        complain "$file: $from includes from $to, which comes after it"
    fi
done < <(grep -rHoE '^ *# *include "[^"]+"' src | sed -E 's/^([^:]*):.*"([^"]+)"$/\1:\2/')

echo "check_doors: $doors includes, $wrong wrong"
[ "$wrong" -eq 0 ] && [ "$doors" -gt 0 ]
