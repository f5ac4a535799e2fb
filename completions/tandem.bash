# bash completion of tandem(1). Installed as share/bash-completion/completions/tandem.

_tandem_shapes() {
    tandem gen --list --csv 2>/dev/null | sed -e 1d -e 's/,.*//'
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
    local common="--json --csv -o --output --threads --isa --strategy --device --volume -q --quiet -h --help --version"
    local query="--count --first --repeat --exit-code"
    local own=
    COMPREPLY=()

    if ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W "info gen collide self help --help --version" -- "$cur"))
        return
    fi
    case $prev in
    -o | --output | --poses)
        COMPREPLY=($(compgen -f -- "$cur"))
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
    --device)
        COMPREPLY=($(compgen -W "native" -- "$cur"))
        return
        ;;
    --volume)
        COMPREPLY=($(compgen -W "aabb" -- "$cur"))
        return
        ;;
    --threads | --repeat | --subdivide | --pose)
        return
        ;;
    esac
    case $command in
    gen) own="--subdivide --list" ;;
    collide) own="--pose --poses $query" ;;
    self) own="--degenerate $query" ;;
    help)
        COMPREPLY=($(compgen -W "info gen collide self" -- "$cur"))
        return
        ;;
    esac
    if [[ $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$own $common" -- "$cur"))
    elif [[ $command == gen ]]; then
        COMPREPLY=($(compgen -W "$(_tandem_shapes)" -- "$cur"))
    else
        _tandem_meshes
    fi
}

complete -o filenames -F _tandem tandem
