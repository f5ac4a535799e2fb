#!/usr/bin/env bash
# What tandem does, shown on cows: two that collide, then 216 that fall, and pages to look at. Called by `make demo`.
#
#   scripts/demo.sh PROGRAM FOLDER    the built program, and where all of it goes
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

show "Now they move: 216 of these cows, each of them this mesh and not a hull of it, become a pile" \
    "$tandem" simulate pile --mesh "cow=$out/cow.obj" --steps 360 --every 30 --times -o "$out/pile.rec"
show "The recording holds the scene and its meshes: run again, on one thread, every state is the same in every bit" \
    "$tandem" replay "$out/pile.rec" --verify --threads 1
show "A page that plays it, in one file: open it in a browser" \
    "$tandem" view "$out/pile.rec" -o "$out/pile.html"
show "The answer for the two cows of above as JSON ..." \
    "$tandem" collide "$out/cow.obj" "$out/cow-fine.ply" --pose "$pose" --json -o "$out/hits.json"
show "... and as a page, the intersecting triangles pointed out" \
    "$tandem" view --result "$out/hits.json" -o "$out/hits.html"
show "The motion for other tools: glTF, which Blender opens" \
    "$tandem" export "$out/pile.rec" -o "$out/pile.glb"

cat <<EOF

In $out/:
  pile.html   216 cows tumble and settle: open it in a browser
  hits.html   two cows and where they intersect
  pile.glb    the motion for Blender and other tools
  pile.rec    the recording; 'tandem replay $out/pile.rec --frame 120 --contacts' tells about a frame
  cow.obj cow-fine.ply herd.obj (meshes), poses.txt, pairs.csv, batch.json and hits.json (answers)
EOF
