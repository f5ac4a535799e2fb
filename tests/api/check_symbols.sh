#!/usr/bin/env bash
# The shared library exports exactly the functions that its public headers declare with TD_API: none is missing, and no
# internal one leaks out.
#
#   check_symbols.sh LIBRARY HEADER_FOLDER
set -euo pipefail

library=$1
headers=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# assimp.h and scene.h belong to libraries of their own.
find "$headers" -name '*.h' ! -name assimp.h ! -name scene.h -exec grep -h '^TD_API ' {} + >"$work/lines"
sed -n 's/^TD_API .*\b\(td_[a-z0-9_]*\)(.*/\1/p' "$work/lines" | LC_ALL=C sort -u >"$work/declared"
if [ "$(wc -l <"$work/lines")" -ne "$(wc -l <"$work/declared")" ]; then
    echo "check_symbols: expected one function name on each line with TD_API; found $(wc -l <"$work/declared") names" \
        "on $(wc -l <"$work/lines") lines of $headers" >&2
    exit 1
fi

# Names with a leading underscore belong to the compiler (sanitizers, coverage).
nm -D --defined-only "$library" | awk '$3 !~ /^_/ { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort -u >"$work/exported"
if ! diff -u "$work/declared" "$work/exported"; then
    echo "check_symbols: - is declared but not exported, + is exported but not declared" >&2
    exit 1
fi
echo "check_symbols: $(wc -l <"$work/declared") functions, as declared"
