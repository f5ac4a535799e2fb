// Output files that appear under their name only when they are complete. What is written goes to a temporary
// file in the same folder, which takes the name at the end and is removed on failure.
//
//     td_output output;
//     TD_TRY(td_output_open(&output, path));
//     fprintf(output.file, ...);               // errors of the stream are kept by it until the commit
//     return td_output_commit(&output);        // or td_output_abandon(&output)
//
// A path that names something else than a regular file (a terminal, a pipe, the null device) is written to
// directly: there is nothing to replace. A symbolic link is followed, the file it points to is replaced.
#ifndef TD_IO_OUTPUT_H
#define TD_IO_OUTPUT_H

#include <stdio.h>

#include <tandem/base.h>

#define TD_OUTPUT_PATH_BYTES 4096

typedef struct td_output {
    FILE *file;       // to write to; null when closed
    const char *path; // as given, for messages; borrowed
    // The file being written, "" if it is the target itself. A program that is interrupted may unlink() this
    // name from its signal handler; it is complete before td_output_open returns and emptied by commit and
    // abandon.
    char temporary[TD_OUTPUT_PATH_BYTES];
    char target[TD_OUTPUT_PATH_BYTES]; // links resolved
} td_output;

// TD_ERROR_FILE with a sentence that names the path if the folder cannot be written to, or the path is a
// folder. `path` must outlive the output.
td_result td_output_open(td_output *out, const char *path);

// Closes and renames. TD_ERROR_FILE, with nothing left behind, if anything since the opening could not be
// written.
td_result td_output_commit(td_output *output);

// Closes and removes what was written. Fine on an output that was committed, abandoned or failed to open.
void td_output_abandon(td_output *output);

#endif
