# Turns the plain comments of a header into those that Doxygen reads: the comment on top of the file describes the file,
# a comment on lines of its own describes the declaration below it, one behind a declaration describes that, over
# several lines if comments in the same column follow. A comment that an empty line parts from what follows, such as the
# title of a section, stays plain.

# Prints the comment lines held back, as documentation or as they were.
function release(documents,    i) {
    for (i = 1; i <= held; i++) {
        if (documents) {
            sub(/\/\//, "///", hold[i])
        }
        print hold[i]
    }
    held = 0
}

NR == 1 && /^\/\// { print "/// @file" }

/^ *\/\// {
    if (behind > 0 && index($0, "//") >= behind) {
        sub(/\/\//, "///<")
        print
    } else {
        behind = 0
        hold[++held] = $0
    }
    next
}

{ release($0 != "") }

# Behind code, which ends in one of these characters.
/[]A-Za-z0-9_;,{})] +\/\/ / && !/^ *#/ {
    behind = index($0, "// ")
    sub(/\/\/ /, "///< ")
    print
    next
}

{ behind = 0; print }

END { release(0) }
