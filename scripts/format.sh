#!/usr/bin/env bash
# Formats every C and C++ source of the project with clang-format and the rules of .clang-format, and the viewer's with
# prettier, which comes with its packages.
#
#   scripts/format.sh            in place
#   scripts/format.sh --check    only says which files differ; exit status 1 if any does
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v clang-format >/dev/null; then
    scripts/setup.sh lint
fi

# The viewer's own sources; where its packages were not installed yet, says so.
format_viewer() { # --check or --write
    if [ -x viewer/node_modules/.bin/prettier ]; then
        (cd viewer && node_modules/.bin/prettier --log-level warn "$1" .)
    else
        echo "format: viewer/: prettier is not installed (building the viewer installs it): not looked at"
    fi
}

mapfile -t -d '' sources < <(scripts/list-sources.sh)
case ${1:-} in
--check)
    clang-format --dry-run -Werror "${sources[@]}"
    format_viewer --check
    echo "format: ${#sources[@]} files are formatted"
    ;;
"")
    clang-format -i "${sources[@]}"
    format_viewer --write
    echo "format: ${#sources[@]} files"
    ;;
*)
    echo "format: unknown option '$1'; expected --check or nothing" >&2
    exit 2
    ;;
esac
