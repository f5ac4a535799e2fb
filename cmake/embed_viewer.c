// Writes the viewer's page into a C file, as the array td_viewer_page of cli/view_page.h.
//
//   embed_viewer OUTPUT PAGE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void embed_fail(const char *path) {
    fprintf(stderr, "embed_viewer: %s: %s\n", path, strerror(errno));
    exit(1);
}

// As numbers: compilers limit the length of a string literal, not of an array.
static void embed_array(FILE *out, FILE *page) {
    static unsigned char part[1 << 16];
    for (size_t size; (size = fread(part, 1, sizeof part, page)) > 0;) {
        for (size_t i = 0; i < size; ++i) {
            fprintf(out, "%d,%s", part[i], i % 24 == 23 ? "\n" : "");
        }
        fputs("\n", out);
    }
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fputs("usage: embed_viewer OUTPUT PAGE\n", stderr);
        return 1;
    }
    FILE *page = fopen(argv[2], "rb");
    if (page == NULL) {
        embed_fail(argv[2]);
    }
    FILE *out = fopen(argv[1], "w");
    if (out == NULL) {
        embed_fail(argv[1]);
    }
    fputs("// Written by cmake/embed_viewer.c from the page that is built from viewer/.\n"
          "#include \"view_page.h\"\n\nconst unsigned char td_viewer_page[] = {\n",
          out);
    embed_array(out, page);
    fputs("};\nconst size_t td_viewer_page_size = sizeof td_viewer_page;\n", out);
    if (ferror(page)) {
        embed_fail(argv[2]);
    }
    if (fclose(out) != 0) {
        embed_fail(argv[1]);
    }
    fclose(page);
    return 0;
}
