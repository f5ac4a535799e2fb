#!/usr/bin/env bash
# Formats every C and C++ source of the project with clang-format and the rules of .clang-format.
#
#   scripts/format.sh            in place
#   scripts/format.sh --check    only says which files differ; exit status 1 if any does
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-format >/dev/null; then
    scripts/setup.sh lint
fi

mapfile -t -d '' sources < <(scripts/list-sources.sh)
case ${1:-} in
--check)
    clang-format --dry-run -Werror "${sources[@]}"
    echo "format: ${#sources[@]} files are formatted"
    ;;
"")
    clang-format -i "${sources[@]}"
    echo "format: ${#sources[@]} files"
    ;;
*)
    echo "format: unknown option '$1'; expected --check or nothing" >&2
    exit 2
    ;;
esac
