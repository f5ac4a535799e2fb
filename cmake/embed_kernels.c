// Writes kernels/*.cl into a C file, each with all that it includes.
//
//   embed_kernels OUTPUT DEPFILE ROOT KERNEL.cl...
//
// `#include "file"` is replaced by the file, found from the folder of the file that names it; #line
// directives keep the names and numbers of lines, relative to ROOT, in the messages of the OpenCL compiler.
// `#include <file>` is left alone, and so is all that stands where __OPENCL_VERSION__ is not defined. A file
// with an include guard is written once, unless the first time was under some other condition: then the guard
// decides. DEPFILE tells the build (in make's syntax) which files were read.
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EMBED_FILES = 512, EMBED_DEPTH = 64 };

typedef struct embed_text {
    char *data;
    size_t size, capacity;
} embed_text;

typedef struct embed_state {
    const char *root;
    embed_text out;
    char *once[EMBED_FILES]; // written, with a guard, under no condition
    size_t once_count;
    char *read[EMBED_FILES]; // for the depfile
    size_t read_count;
    int conditions; // that are open and that only the OpenCL compiler can decide
    int depth;
} embed_state;

__attribute__((format(printf, 1, 2), noreturn)) static void embed_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("embed_kernels: ", stderr);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
    va_end(arguments);
    exit(1);
}

static void embed_append(embed_text *text, const char *data, size_t size) {
    if (text->capacity - text->size <= size) {
        text->capacity = (text->capacity + size) * 2 + 64;
        text->data = realloc(text->data, text->capacity);
        if (text->data == NULL) {
            embed_fail("out of memory");
        }
    }
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}

__attribute__((format(printf, 2, 3))) static void embed_print(embed_text *text, const char *format, ...) {
    char line[PATH_MAX + 64];
    va_list arguments;
    va_start(arguments, format);
    const int size = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (size < 0 || (size_t)size >= sizeof line) {
        embed_fail("a line is too long");
    }
    embed_append(text, line, (size_t)size);
}

static embed_text embed_read(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        embed_fail("%s: %s", path, strerror(errno));
    }
    embed_text text = {0};
    embed_append(&text, "", 0);
    char part[4096];
    for (size_t size; (size = fread(part, 1, sizeof part, file)) > 0;) {
        embed_append(&text, part, size);
    }
    if (ferror(file) || strlen(text.data) != text.size) {
        embed_fail("%s: cannot be read as text", path);
    }
    fclose(file);
    return text;
}

static int embed_is_listed(char *const *list, size_t count, const char *path) {
    for (size_t i = 0; i < count; ++i) {
        if (strcmp(list[i], path) == 0) {
            return 1;
        }
    }
    return 0;
}

static void embed_list(char **list, size_t *count, const char *path) {
    if (embed_is_listed(list, *count, path)) {
        return;
    }
    if (*count == EMBED_FILES) {
        embed_fail("more than %d files", EMBED_FILES);
    }
    list[*count] = strdup(path);
    if (list[*count] == NULL) {
        embed_fail("out of memory");
    }
    ++*count;
}

// What stands behind '#' and blanks, if the line is a directive of this name; else null.
static const char *embed_directive(const char *line, const char *name) {
    line += strspn(line, " \t");
    if (*line != '#') {
        return NULL;
    }
    line += 1 + strspn(line + 1, " \t");
    const size_t length = strlen(name);
    if (strncmp(line, name, length) != 0 || isalnum((unsigned char)line[length]) || line[length] == '_') {
        return NULL;
    }
    return line + length + strspn(line + length, " \t");
}

static int embed_is_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    return strncmp(text, word, length) == 0 && !isalnum((unsigned char)text[length]) && text[length] != '_';
}

// The file's include guard: "#ifndef X" as its first directive, with "#define X" behind it. `guard` gets X.
static int embed_find_guard(char *guard, size_t size, const char *text) {
    const char *name = NULL;
    for (const char *line = text; *line != 0; line += strcspn(line, "\n"), line += *line == '\n') {
        if (line[strspn(line, " \t")] != '#') {
            continue;
        }
        if (name == NULL) {
            name = embed_directive(line, "ifndef");
            if (name == NULL) {
                return 0;
            }
            snprintf(guard, size, "%.*s", (int)strcspn(name, " \t\r\n"), name);
            continue;
        }
        const char *defined = embed_directive(line, "define");
        return defined != NULL && embed_is_word(defined, guard);
    }
    return 0;
}

// One open #if: what it asks and whether its present part can be compiled by OpenCL.
typedef enum embed_branch { EMBED_GUARD, EMBED_ACTIVE, EMBED_DEAD, EMBED_UNKNOWN } embed_branch;

typedef struct embed_nesting {
    embed_branch branches[EMBED_DEPTH];
    int count, dead;
} embed_nesting;

static void embed_push(embed_state *state, embed_nesting *nesting, embed_branch branch, const char *path) {
    if (nesting->count == EMBED_DEPTH) {
        embed_fail("%s: conditions are nested too deeply", path);
    }
    nesting->branches[nesting->count++] = branch;
    nesting->dead += branch == EMBED_DEAD;
    state->conditions += branch == EMBED_UNKNOWN;
}

static embed_branch embed_pop(embed_state *state, embed_nesting *nesting, const char *path) {
    if (nesting->count == 0) {
        embed_fail("%s: #else or #endif without #if", path);
    }
    const embed_branch branch = nesting->branches[--nesting->count];
    nesting->dead -= branch == EMBED_DEAD;
    state->conditions -= branch == EMBED_UNKNOWN;
    return branch;
}

static void embed_follow_condition(embed_state *state, embed_nesting *nesting, const char *line,
                                   const char *guard, const char *path) {
    const char *ifdef = embed_directive(line, "ifdef");
    const char *ifndef = embed_directive(line, "ifndef");
    if (ifdef != NULL && embed_is_word(ifdef, "__OPENCL_VERSION__")) {
        embed_push(state, nesting, EMBED_ACTIVE, path);
    } else if (ifndef != NULL && embed_is_word(ifndef, "__OPENCL_VERSION__")) {
        embed_push(state, nesting, EMBED_DEAD, path);
    } else if (ifndef != NULL && guard[0] != 0 && embed_is_word(ifndef, guard)) {
        embed_push(state, nesting, EMBED_GUARD, path);
    } else if (ifdef != NULL || ifndef != NULL || embed_directive(line, "if") != NULL) {
        embed_push(state, nesting, EMBED_UNKNOWN, path);
    } else if (embed_directive(line, "else") != NULL || embed_directive(line, "elif") != NULL) {
        const embed_branch before = embed_pop(state, nesting, path);
        const int plain = embed_directive(line, "else") != NULL;
        embed_push(state, nesting,
                   before == EMBED_ACTIVE          ? EMBED_DEAD
                   : before == EMBED_DEAD && plain ? EMBED_ACTIVE
                                                   : EMBED_UNKNOWN,
                   path);
    } else if (embed_directive(line, "endif") != NULL) {
        embed_pop(state, nesting, path);
    }
}

static void embed_file(embed_state *state, const char *path);

// The path of what `path` includes as `name` (which ends at a quote), made absolute.
static void embed_include(embed_state *state, const char *path, int line_number, const char *name) {
    const char *slash = strrchr(path, '/');
    char joined[2 * PATH_MAX], resolved[PATH_MAX];
    snprintf(joined, sizeof joined, "%.*s/%.*s", (int)(slash - path), path, (int)strcspn(name, "\"\n"), name);
    if (realpath(joined, resolved) == NULL) {
        embed_fail("%s:%d: %s: %s", path, line_number, joined, strerror(errno));
    }
    embed_file(state, resolved);
}

static const char *embed_relative(const embed_state *state, const char *path) {
    const size_t length = strlen(state->root);
    return strncmp(path, state->root, length) == 0 && path[length] == '/' ? path + length + 1 : path;
}

static void embed_lines(embed_state *state, const char *path, const char *text, const char *guard) {
    embed_nesting nesting = {0};
    int line_number = 1;
    for (const char *line = text; *line != 0; ++line_number) {
        const size_t length = strcspn(line, "\n");
        const char *included = embed_directive(line, "include");
        if (included != NULL && *included == '"' && nesting.dead == 0) {
            embed_include(state, path, line_number, included + 1);
            embed_print(&state->out, "#line %d \"%s\"\n", line_number + 1, embed_relative(state, path));
        } else {
            embed_follow_condition(state, &nesting, line, guard, path);
            embed_append(&state->out, line, length);
            embed_append(&state->out, "\n", 1);
        }
        line += length + (line[length] == '\n');
    }
    if (nesting.count != 0) {
        embed_fail("%s: #if without #endif", path);
    }
}

static void embed_file(embed_state *state, const char *path) {
    if (embed_is_listed(state->once, state->once_count, path)) {
        return;
    }
    if (++state->depth > EMBED_DEPTH) {
        embed_fail("%s: files include each other in a circle", path);
    }
    embed_list(state->read, &state->read_count, path);
    embed_text text = embed_read(path);
    char guard[256] = "";
    if (!embed_find_guard(guard, sizeof guard, text.data)) {
        guard[0] = 0;
    } else if (state->conditions == 0) {
        embed_list(state->once, &state->once_count, path);
    }
    embed_print(&state->out, "#line 1 \"%s\"\n", embed_relative(state, path));
    embed_lines(state, path, text.data, guard);
    free(text.data);
    --state->depth;
}

// ---------------------------------------------------------------------------------------------------------

static void embed_forget_once(embed_state *state) {
    while (state->once_count > 0) {
        free(state->once[--state->once_count]);
    }
    state->out.size = 0;
}

// "kernels/scan.cl" is called "scan".
static void embed_name(char *name, size_t size, const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    if (strlen(base) >= size) {
        embed_fail("%s: the name is too long", path);
    }
    memcpy(name, base, strlen(base) + 1);
    name[strcspn(name, ".")] = 0;
    for (const char *c = name; *c != 0; ++c) {
        if (!isalnum((unsigned char)*c) && *c != '_') {
            embed_fail("%s: expected a name of letters, digits and _", path);
        }
    }
}

// As numbers: compilers limit the length of a string literal, not of an array.
static void embed_write_array(FILE *file, const char *name, const embed_text *text) {
    fprintf(file, "static const unsigned char td_text_%s[] = {", name);
    for (size_t i = 0; i < text->size; ++i) {
        fprintf(file, "%s%d,", i % 24 == 0 ? "\n    " : "", (unsigned char)text->data[i]);
    }
    fprintf(file, "\n    0};\n\n");
}

static void embed_write_depfile(const embed_state *state, const char *path, const char *output) {
    FILE *file = fopen(path, "w");
    if (file == NULL) {
        embed_fail("%s: %s", path, strerror(errno));
    }
    fprintf(file, "%s:", output);
    for (size_t i = 0; i < state->read_count; ++i) {
        fputs(" \\\n  ", file);
        for (const char *c = state->read[i]; *c != 0; ++c) {
            fprintf(file, "%s%c", *c == ' ' || *c == '#' ? "\\" : "", *c);
        }
    }
    fputs("\n", file);
    if (fclose(file) != 0) {
        embed_fail("%s: %s", path, strerror(errno));
    }
}

int main(int argc, char **argv) {
    if (argc < 5) {
        embed_fail("usage: embed_kernels OUTPUT DEPFILE ROOT KERNEL.cl...");
    }
    static embed_state state;
    char root[PATH_MAX];
    if (realpath(argv[3], root) == NULL) {
        embed_fail("%s: %s", argv[3], strerror(errno));
    }
    state.root = root;
    FILE *file = fopen(argv[1], "w");
    if (file == NULL) {
        embed_fail("%s: %s", argv[1], strerror(errno));
    }
    fputs("// Written by cmake/embed_kernels.c from kernels/*.cl.\n#include \"device/state.h\"\n\n", file);
    embed_text table = {0};
    for (int i = 4; i < argc; ++i) {
        char path[PATH_MAX], name[256];
        if (realpath(argv[i], path) == NULL) {
            embed_fail("%s: %s", argv[i], strerror(errno));
        }
        embed_name(name, sizeof name, path);
        embed_forget_once(&state);
        embed_file(&state, path);
        embed_write_array(file, name, &state.out);
        embed_print(&table, "    {\"%s\", td_text_%s, sizeof td_text_%s - 1},\n", name, name, name);
    }
    fprintf(file, "const td_kernel_source td_kernel_sources[] = {\n%s};\n", table.data);
    fprintf(file, "const uint32_t td_kernel_source_count = %d;\n", argc - 4);
    if (fclose(file) != 0) {
        embed_fail("%s: %s", argv[1], strerror(errno));
    }
    embed_write_depfile(&state, argv[2], argv[1]);
    embed_forget_once(&state);
    while (state.read_count > 0) {
        free(state.read[--state.read_count]);
    }
    free(state.out.data);
    free(table.data);
    return 0;
}
