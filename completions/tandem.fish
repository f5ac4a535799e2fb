# fish completion of tandem(1). Installed as share/fish/vendor_completions.d/tandem.fish.

function __tandem_shapes
    tandem gen --list --csv 2>/dev/null | sed -e 1d -e 's/,.*//'
end

function __tandem_scenes
    tandem simulate --list --csv 2>/dev/null | sed -e 1d -e 's/,.*//'
end

function __tandem_strategies
    echo auto
    tandem info --csv 2>/dev/null | sed -n 's/^strategies,//p' | string split ' '
end

set -l commands info gen collide self ccd simulate replay view export bench
set -l anywhere "__fish_seen_subcommand_from $commands"
set -l queries "__fish_seen_subcommand_from collide self"

complete -c tandem -n __fish_use_subcommand -f -a info -d "Tell about this program, or about meshes"
complete -c tandem -n __fish_use_subcommand -f -a gen -d "Write a built-in mesh"
complete -c tandem -n __fish_use_subcommand -f -a collide -d "Find the intersecting triangles of two meshes"
complete -c tandem -n __fish_use_subcommand -f -a self -d "Find the triangles of a mesh that intersect each other"
complete -c tandem -n __fish_use_subcommand -f -a ccd -d "Find what touches between the two ends of a step, and when"
complete -c tandem -n __fish_use_subcommand -f -a simulate -d "Run a scene and tell what happens in it"
complete -c tandem -n __fish_use_subcommand -f -a replay -d "Tell about a recording, or run it again and compare"
complete -c tandem -n __fish_use_subcommand -f -a view -d "Show a recording, or meshes, in the browser"
complete -c tandem -n __fish_use_subcommand -f -a export -d "Write a recording for other programs"
complete -c tandem -n __fish_use_subcommand -f -a bench -d "Measure what the program does"
complete -c tandem -n __fish_use_subcommand -f -a help -d "Print help"
complete -c tandem -n "__fish_seen_subcommand_from help" -f -a "$commands"

complete -c tandem -l help -s h -d "Print help"
complete -c tandem -l version -d "Print the version"
complete -c tandem -n $anywhere -l json -d "Print JSON"
complete -c tandem -n $anywhere -l csv -d "Print CSV"
complete -c tandem -n $anywhere -l output -s o -r -F -d "Write to a file"
complete -c tandem -n $anywhere -l threads -x -d "Threads to use"
complete -c tandem -n $anywhere -l isa -x -a "auto scalar sse4 avx2 avx512 neon" -d "Instruction set"
complete -c tandem -n $anywhere -l strategy -x -a "(__tandem_strategies)" -d Traversal
complete -c tandem -n $anywhere -l device -x -a "native opencl auto" -d Device
complete -c tandem -n $anywhere -l volume -x -a "aabb obb" -d "Bounding volume"
complete -c tandem -n $anywhere -l descent -x -a "auto larger a b alternate" -d "Side to open"
complete -c tandem -n $anywhere -l quiet -s q -d "No progress and no remarks"

complete -c tandem -n $queries -l count -d "Count the pairs, do not list them"
complete -c tandem -n $queries -l first -d "Stop at the first pair found"
complete -c tandem -n $queries -l repeat -x -d "Ask N times and tell the median time"
complete -c tandem -n $queries -l exit-code -d "Exit with 1 if a collision is found"

complete -c tandem -n "__fish_seen_subcommand_from collide" -l pose -x -d "Place B"
complete -c tandem -n "__fish_seen_subcommand_from collide" -l poses -r -F -d "A batch of poses"
complete -c tandem -n "__fish_seen_subcommand_from self" -l degenerate -d "Triangles of zero area take part, too"
complete -c tandem -n "__fish_seen_subcommand_from ccd" -l count -d "Count the contacts, do not list them"
complete -c tandem -n "__fish_seen_subcommand_from ccd" -l earliest -d "Find the earliest contact only"
complete -c tandem -n "__fish_seen_subcommand_from ccd" -l separation -x -d "Nearer than this is touching, too"
complete -c tandem -n "__fish_seen_subcommand_from ccd" -l budget -x -d "Intervals of time per test at most"
complete -c tandem -n "__fish_seen_subcommand_from ccd" -l repeat -x -d "Ask N times and tell the median time"
complete -c tandem -n "__fish_seen_subcommand_from ccd" -l exit-code -d "Exit with 1 if anything touches"
complete -c tandem -n "__fish_seen_subcommand_from gen" -l subdivide -x -d "Split each triangle in four, N times"
complete -c tandem -n "__fish_seen_subcommand_from gen" -l list -d "List the shapes"
complete -c tandem -n "__fish_seen_subcommand_from gen" -f -a "(__tandem_shapes)"

set -l bench "__fish_seen_subcommand_from bench"
set -l traverse "$bench; and __fish_seen_subcommand_from traverse"
set -l paper "$bench; and __fish_seen_subcommand_from paper"
set -l build "$bench; and __fish_seen_subcommand_from build"
set -l refit "$bench; and __fish_seen_subcommand_from refit"
set -l ray "$bench; and __fish_seen_subcommand_from ray"
set -l scaling "$bench; and __fish_seen_subcommand_from scaling"
complete -c tandem -n "$bench; and not __fish_seen_subcommand_from traverse build refit ray paper scaling" -f -a traverse -d "Every strategy, bounding volume and device"
complete -c tandem -n "$bench; and not __fish_seen_subcommand_from traverse build refit ray paper scaling" -f -a paper -d "What a paper measured"
complete -c tandem -n "$bench; and not __fish_seen_subcommand_from traverse build refit ray paper scaling" -f -a build -d "How fast hierarchies are built"
complete -c tandem -n "$bench; and not __fish_seen_subcommand_from traverse build refit ray paper scaling" -f -a refit -d "How fast hierarchies follow a deforming mesh"
complete -c tandem -n "$bench; and not __fish_seen_subcommand_from traverse build refit ray paper scaling" -f -a ray -d "Rays against a mesh"
complete -c tandem -n "$bench; and not __fish_seen_subcommand_from traverse build refit ray paper scaling" -f -a scaling -d "Time per step over the size of a scene"
complete -c tandem -n $build -l repeats -x -d Rounds
complete -c tandem -n $refit -l frames -x -d "Of the deformation"
complete -c tandem -n $traverse -l scene -x -a cows -d "Objects to place"
complete -c tandem -n $traverse -l subdivide -x -d "Of the mesh of the scene"
complete -c tandem -n $traverse -l pairs -x -d "Object pairs"
complete -c tandem -n $traverse -l seed -x -d "Of the random poses"
complete -c tandem -n $traverse -l repeats -x -d Rounds
complete -c tandem -n $traverse -l strategies -x -a "(__tandem_strategies)" -d "Rows of these only"
complete -c tandem -n $traverse -l volumes -x -a "aabb obb" -d "Rows of these only"
complete -c tandem -n $traverse -l devices -x -a "native opencl auto" -d "Rows of these only"
complete -c tandem -n "$paper; and not __fish_seen_subcommand_from 000 002 004" -f -a 000 -d "Table 1 of the binary stack"
complete -c tandem -n "$paper; and not __fish_seen_subcommand_from 000 002 004" -f -a 002 -d "Figs. 6 to 8 of the blocked hierarchies"
complete -c tandem -n "$paper; and not __fish_seen_subcommand_from 000 002 004" -f -a 004 -d "Tables 1, 2, 4 and 5 of the planar simulator"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 004" -l most -x -d "Objects at most"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 000" -l n -x -d "Cows along an edge"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 000" -l every -x -d "Iterations from row to row"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 000" -l subdivide -x -d "Of the built-in cow"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 000" -l mesh -r -F -d "Read the cow from a file"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 002" -l scenes -x -a "rockslide pile stack" -d "Of these only"
complete -c tandem -n "$paper; and __fish_seen_subcommand_from 002" -l full -d "All sizes of the paper"
complete -c tandem -n $paper -l steps -x -d "Steps to run"
complete -c tandem -n $paper -l repeats -x -d "Of which medians are taken"
complete -c tandem -n $ray -l size -x -d "Rays along an edge of the picture"
complete -c tandem -n $ray -l repeats -x -d "Rounds"
complete -c tandem -n $scaling -l scenes -x -a "pile rockslide" -d "Of these only"
complete -c tandem -n $scaling -l subdivide -x -d "Of the built-in cow"
complete -c tandem -n $scaling -l settle -x -d "Steps before those that are measured"
complete -c tandem -n $scaling -l steps -x -d "Measured steps"
complete -c tandem -n $scaling -l full -d "2,500 cows of 24,000 triangles as well"

set -l simulate "__fish_seen_subcommand_from simulate"
complete -c tandem -n $simulate -a "(__tandem_scenes)"
complete -c tandem -n $simulate -l steps -x -d "Steps to run"
complete -c tandem -n $simulate -l step -x -d "Time that a step takes"
complete -c tandem -n $simulate -l substeps -x -d "Of the solver within a step"
complete -c tandem -n $simulate -l iterations -x -d "Of the solver within a sub-step"
complete -c tandem -n $simulate -l set -x -d "Set a parameter of the scene"
complete -c tandem -n $simulate -l mesh -x -d "Read a mesh of the scene from a file"
complete -c tandem -n $simulate -l broad -x -a "all sweep tree grid" -d "Broad phase"
complete -c tandem -n $simulate -l stepping -x -a "ordered first" -d "Of a planar scene"
complete -c tandem -n $simulate -l every -x -d "Tell every Nth step only"
complete -c tandem -n $simulate -l times -d "Record how long each step took"
complete -c tandem -n $simulate -l report -r -F -d "Write the report to a file"
complete -c tandem -n $simulate -l list -d "List the built-in scenes"

set -l replay "__fish_seen_subcommand_from replay"
complete -c tandem -n $replay -l verify -d "Run the scene again and compare"
complete -c tandem -n $replay -l frame -x -d "Print the bodies of a frame"
complete -c tandem -n $replay -l contacts -d "Print the contacts of the frame"

set -l view "__fish_seen_subcommand_from view"
complete -c tandem -n $view -l serve -d "Show it on a port of this machine"
complete -c tandem -n $view -l port -x -d "Of --serve"
complete -c tandem -n $view -l result -r -F -d "Highlight the triangles of a result"
complete -c tandem -n $view -l pose -x -d "Place the second of two meshes"
complete -c tandem -n $view -l poses -r -F -d "A frame per pose"

set -l export "__fish_seen_subcommand_from export"
complete -c tandem -n $export -l format -x -a "glb csv obj ply off stl" -d "Format of the file"
complete -c tandem -n $export -l frame -x -d "One frame alone"
complete -c tandem -n $export -l from -x -d "The first frame"
complete -c tandem -n $export -l to -x -d "The last frame"
complete -c tandem -n $export -l every -x -d "Every Nth frame only"
complete -c tandem -n $export -l tolerance -x -d "How far a vertex may be off, in metres"
