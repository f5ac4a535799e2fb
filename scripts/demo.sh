#!/usr/bin/env bash
# What tandem does, shown on cows: two that collide, then 64 that fall. Called by `make demo`.
#
#   scripts/demo.sh PROGRAM FOLDER    the built program, and where the meshes and answers go
set -euo pipefail

tandem=${1:?usage: scripts/demo.sh PROGRAM FOLDER}
out=${2:?usage: scripts/demo.sh PROGRAM FOLDER}
mkdir -p "$out"

step=0
show() { # what the step shows, then the command
    step=$((step + 1))
    printf '\n-- %d. %s\n$' "$step" "$1"
    shift
    local word
    for word in "$@"; do
        case $word in
        *' '*) printf ' "%s"' "$word" ;;
        *) printf ' %s' "$word" ;;
        esac
    done
    echo
    "$@"
}

show "A built-in mesh: a closed, non-convex cow of about 6,000 triangles, written as OBJ" \
    "$tandem" gen cow --subdivide 1 -o "$out/cow.obj"
show "A finer one, of about 24,000 triangles, as binary PLY in float64" \
    "$tandem" gen cow --subdivide 2 -o "$out/cow-fine.ply"
show "What a mesh is made of, what is odd about it, and the hierarchy over it" \
    "$tandem" info "$out/cow.obj"

pose="0.3 0.1 0 0 0.7071067811865476 0 0.7071067811865476" # a quarter turn about the vertical
show "One pose: the fine cow, turned and moved into the first: every pair of intersecting triangles, exactly" \
    "$tandem" collide "$out/cow.obj" "$out/cow-fine.ply" --pose "$pose"
show "All of these pairs in a file" \
    "$tandem" collide "$out/cow.obj" "$out/cow-fine.ply" --pose "$pose" --csv -o "$out/pairs.csv"
head -n 4 "$out/pairs.csv"

# tx ty tz qx qy qz qw per line: along x, turning about the vertical as it goes.
awk 'BEGIN {
    print "# tx ty tz qx qy qz qw"
    for (i = 0; i <= 12; i++) {
        half = i * 3.14159265358979 / 24
        printf "%.4f 0 0 0 %.17g 0 %.17g\n", -2.4 + 0.4 * i, sin(half), cos(half)
    }
}' >"$out/poses.txt"
show "A batch: 13 poses of a cow that walks through the other, turning as it goes; how many pairs at each" \
    "$tandem" collide "$out/cow.obj" "$out/cow.obj" --poses "$out/poses.txt" --count
show "The same as JSON, for programs" \
    "$tandem" collide "$out/cow.obj" "$out/cow.obj" --poses "$out/poses.txt" --count --json -o "$out/batch.json"
show "Only whether they touch: it stops at the first pair; with --exit-code the exit status tells, here 0: apart" \
    "$tandem" collide "$out/cow.obj" "$out/cow.obj" --pose "3 0 0 0 0 0 1" --first --exit-code

show "Does a mesh intersect itself? The cow does not" \
    "$tandem" self "$out/cow.obj" --count
# The file twice: as it is, then shifted along x, its vertices numbered on.
awk 'NR == FNR { print; count += $1 == "v"; next }
    $1 == "v" { printf "v %.17g %s %s\n", $2 + 0.4, $3, $4 }
    $1 == "f" { print "f", $2 + count, $3 + count, $4 + count }' "$out/cow.obj" "$out/cow.obj" >"$out/herd.obj"
show "Two cows in one file, standing in each other, do" \
    "$tandem" self "$out/herd.obj"

show "64 of these cows fall onto the ground for two seconds: each of them this mesh, not a hull of it" \
    "$tandem" simulate cows --set n=4 --mesh "cow=$out/cow.obj" --steps 120 -o "$out/cows.rec" --every 12
show "The recording holds the scene and its meshes: run again, on one thread, every state is the same in every bit" \
    "$tandem" replay "$out/cows.rec" --verify --threads 1

echo
echo "Written to $out/: cow.obj cow-fine.ply herd.obj (meshes), poses.txt, pairs.csv and batch.json (answers), cows.rec (recording)"
