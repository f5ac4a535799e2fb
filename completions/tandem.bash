# bash completion of tandem(1). Installed as share/bash-completion/completions/tandem.

_tandem_shapes() {
    tandem gen --list --csv 2>/dev/null | sed -e 1d -e 's/,.*//'
}

_tandem_scenes() {
    tandem simulate --list --csv 2>/dev/null | sed -e 1d -e 's/,.*//'
}

# Files, and the built-in shapes. A colon ends a word for bash, so behind "shape:" the word to be completed is the
# colon or what follows it, without the prefix.
_tandem_meshes() {
    if [[ $cur == ":" ]]; then
        COMPREPLY=($(compgen -W "$(_tandem_shapes)"))
    elif [[ $prev == ":" ]]; then
        COMPREPLY=($(compgen -W "$(_tandem_shapes)" -- "$cur"))
    else
        COMPREPLY=($(compgen -f -- "$cur") $(compgen -W "shape:" -- "$cur"))
    fi
}

_tandem() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    local common="--json --csv -o --output --threads --isa --strategy --device --volume --descent -q --quiet -h --help --version"
    local query="--count --first --repeat --sharing --idle --exit-code"
    local own=
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "info gen collide self ccd simulate replay view render export bench help --help --version" -- "$cur"))
        return
    fi
    case $prev in
    -o | --output | --poses | --report | --result)
        COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    --mesh)
        # Of a benchmark a file, of `simulate` NAME=FILE.
        [[ $command == bench ]] && COMPREPLY=($(compgen -f -- "$cur"))
        return
        ;;
    --strategies)
        COMPREPLY=($(compgen -W "$(tandem info --csv 2>/dev/null | sed -n 's/^strategies,//p')" -- "$cur"))
        return
        ;;
    --isa)
        COMPREPLY=($(compgen -W "auto scalar sse4 avx2 avx512 neon" -- "$cur"))
        return
        ;;
    --strategy)
        COMPREPLY=($(compgen -W "auto $(tandem info --csv 2>/dev/null | sed -n 's/^strategies,//p')" -- "$cur"))
        return
        ;;
    --device | --devices)
        COMPREPLY=($(compgen -W "native opencl auto" -- "$cur"))
        return
        ;;
    --volume | --volumes)
        COMPREPLY=($(compgen -W "aabb obb" -- "$cur"))
        return
        ;;
    --descent)
        COMPREPLY=($(compgen -W "auto larger a b alternate" -- "$cur"))
        return
        ;;
    --scene)
        COMPREPLY=($(compgen -W "cows" -- "$cur"))
        return
        ;;
    --scenes)
        COMPREPLY=($(compgen -W "rockslide pile stack" -- "$cur"))
        return
        ;;
    --format)
        COMPREPLY=($(compgen -W "glb csv obj ply off stl" -- "$cur"))
        return
        ;;
    --colour)
        COMPREPLY=($(compgen -W "body speed normal" -- "$cur"))
        return
        ;;
    --broad)
        COMPREPLY=($(compgen -W "all sweep tree grid" -- "$cur"))
        return
        ;;
    --narrow)
        COMPREPLY=($(compgen -W "triangles rays" -- "$cur"))
        return
        ;;
    --stepping)
        COMPREPLY=($(compgen -W "ordered first" -- "$cur"))
        return
        ;;
    --most | --sheets | --basic | --steps | --step | --substeps | --iterations | --set | --every | --n | --settle | --frame | --from | --to | --tolerance | --soft-tolerance | --threads | --repeat | --subdivide | --pose | --pairs | --separation | --budget | --seed | --repeats | --port | --size | --samples | --sky | --eye | --look-at | --fov | --ground | --fps)
        return
        ;;
    esac
    case $command in
    gen) own="--subdivide --list" ;;
    collide) own="--pose --poses $query" ;;
    self) own="--degenerate $query" ;;
    ccd) own="--count --earliest --separation --budget --repeat --exit-code" ;;
    simulate)
        own="--steps --step --substeps --iterations --set --mesh --broad --narrow --stepping --every --times --report --list"
        ;;
    replay) own="--verify --frame --contacts" ;;
    export) own="--format --frame --from --to --every --tolerance --soft-tolerance" ;;
    view) own="--serve --port --result --pose --poses" ;;
    render)
        own="--size --samples --sky --eye --look-at --fov --colour --flat --ground --result --pose --poses --frame --from --to --every --fps"
        ;;
    bench)
        if ((COMP_CWORD == 2)); then
            COMPREPLY=($(compgen -W "traverse build refit front ray ccd paper scaling --help" -- "$cur"))
            return
        elif ((COMP_CWORD == 3)) && [[ $prev == paper ]]; then
            COMPREPLY=($(compgen -W "000 001 002 003 004 --help" -- "$cur"))
            return
        fi
        case ${COMP_WORDS[2]} in
        traverse) own="--scene --subdivide --pairs --seed --repeats --strategies --volumes --devices" ;;
        build) own="--repeats" ;;
        refit) own="--frames" ;;
        front) own="--positions --frames --rounds" ;;
        ray) own="--size --repeats" ;;
        ccd) own="--repeats --random --seed" ;;
        scaling) own="--scenes --subdivide --settle --steps --full" ;;
        paper)
            own="--n --steps --every --subdivide --mesh --repeats"
            [[ ${COMP_WORDS[3]} == 001 ]] && own="--scenes --mesh --positions --frames --rounds"
            [[ ${COMP_WORDS[3]} == 002 ]] && own="--scenes --full --steps --repeats"
            [[ ${COMP_WORDS[3]} == 003 ]] && own="--scene --n --steps --settle --sheets --basic --awake"
            [[ ${COMP_WORDS[3]} == 004 ]] && own="--most --steps --repeats"
            ;;
        esac
        ;;
    help)
        if [[ $prev == bench ]]; then
            COMPREPLY=($(compgen -W "traverse build refit front ray ccd paper scaling" -- "$cur"))
            return
        elif [[ $prev == paper ]]; then
            COMPREPLY=($(compgen -W "000 001 002 003 004" -- "$cur"))
            return
        fi
        COMPREPLY=($(compgen -W "info gen collide self ccd simulate replay view render export bench" -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$own $common" -- "$cur"))
    elif [[ $command == gen ]]; then
        COMPREPLY=($(compgen -W "$(_tandem_shapes)" -- "$cur"))
    elif [[ $command == simulate ]]; then
        COMPREPLY=($(compgen -f -- "$cur") $(compgen -W "$(_tandem_scenes)" -- "$cur"))
    elif [[ $command == replay || $command == export ]]; then
        COMPREPLY=($(compgen -f -- "$cur"))
    elif [[ $command == bench && ! ${COMP_WORDS[2]} =~ ^(traverse|build|refit|front|ray|ccd)$ ]]; then
        COMPREPLY=() # they have no operands
    else
        _tandem_meshes
    fi
}

complete -o filenames -F _tandem tandem
