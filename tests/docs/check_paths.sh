#!/usr/bin/env bash
# Every path that the documents name exists: `code spans` that look like a path of this tree, and the targets of links.
# Exit status 1 and a line per wrong path otherwise.
#
#   check_paths.sh SOURCE_FOLDER
#
# In a span, `dir/file` is taken from the root of the tree, from the document's own folder or, as in #include, from
# include/; a plain `file.ext` with a source extension may lie anywhere in the tree. A `*`, or the word NAME,
# must match something. Left out: what only a build or the demo makes (build/, build-*/, out/), absolute paths and web
# addresses.
set -euo pipefail
cd "${1:?usage: check_paths.sh SOURCE_FOLDER}"

mapfile -t documents < <(find README.md CONTRIBUTING.md CHANGELOG.md docs bench -name '*.md' 2>/dev/null | LC_ALL=C sort)
if [ ${#documents[@]} -eq 0 ]; then
    echo "check_paths: no documents found" >&2
    exit 1
fi

# From here on, names are matched against this list, so that a build in the tree does not make a wrong path right.
files=$(find . -type d \( -name .git -o -path './build*' -o -path ./out -o -name __pycache__ -o -name node_modules \) -prune -o -print |
    sed 's|^\./||')

exists() { # a path or a pattern with *, from the root of the tree
    local pattern=${1%/}
    pattern=${pattern//./\\.}
    pattern=${pattern//\*/[^/]*}
    grep -qxE "$pattern" <<<"$files"
}

exists_anywhere() {
    local pattern=${1//./\\.}
    grep -qE "(^|/)${pattern//\*/[^/]*}\$" <<<"$files"
}

# One span or link target per line, with the fenced blocks left out: they hold commands and sample output.
# shellcheck disable=SC2016 # the backquotes are those of Markdown
spans() { awk '/^ *```/ { fenced = !fenced; next } !fenced' "$1" | grep -oE '`[^`]+`' | tr -d '`' || true; }
links() {
    awk '/^ *```/ { fenced = !fenced; next } !fenced' "$1" | grep -oE '\]\([^)# ]+' | sed 's/^](//' |
        grep -vE '^[a-z]+:' || true
}

checked=0
wrong=0
check() { # document, path, whether it was found
    checked=$((checked + 1))
    if ! $3; then
        echo "$1: there is no $2"
        wrong=$((wrong + 1))
    fi
}

normalise() { realpath -m --relative-to=. "$1"; }

for document in "${documents[@]}"; do
    folder=$(dirname "$document")
    while IFS= read -r path; do
        [ -n "$path" ] || continue
        if exists "$(normalise "$folder/$path")"; then check "$document" "$path" true; else check "$document" "$path" false; fi
    done < <(links "$document")

    while IFS= read -r span; do
        case $span in
        build/* | build-*/* | out/* | /*) continue ;;
        esac
        if [[ $span =~ ^\.?[A-Za-z0-9_*-]+[A-Za-z0-9_.*-]*(/[A-Za-z0-9_.*-]+)*/?$ && $span == */* ]]; then
            found=false
            for candidate in "$span" "$(normalise "$folder/$span")" "include/$span"; do
                if exists "$candidate"; then found=true; fi
            done
            check "$document" "$span" $found
        elif [[ $span =~ ^[A-Za-z0-9_*-]+\.(c|h|cpp|hpp|cl|md|sh|py|cmake|in|txt)$ && $span != *poses.txt ]]; then
            if exists_anywhere "$span"; then found=true; else found=false; fi
            check "$document" "$span" $found
        fi
    done < <(spans "$document" | sed 's/NAME/*/g')
done

echo "check_paths: $checked paths in ${#documents[@]} documents, $wrong wrong"
[ "$wrong" -eq 0 ]
