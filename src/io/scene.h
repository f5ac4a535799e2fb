// A scene within the library: what td_parse_scene makes of a text, piece by piece (scene_*.c), and what is
// left of it beside the world.
#ifndef TD_IO_SCENE_INTERNAL_H
#define TD_IO_SCENE_INTERNAL_H

#include "../core/array.h"
#include "scene_grid.h"
#include "scene_json.h"
#include "scene_planar.h"

#include <tandem/scene.h>

typedef struct td_scene_mesh_entry {
    char *name; // the key in the scene; the scene's own
    td_mesh *mesh;
} td_scene_mesh_entry;

// Puts bodies that fall below a height back where they started, or at the places of a grid, in turn.
typedef struct td_scene_rule {
    double below; // m, of the centre of mass
    bool has_places;
    td_scene_grid places;
    uint64_t next_place;
    bool has_velocity;
    double velocity[3]; // m/s, instead of that at the start
} td_scene_rule;

// How a dynamic body stood at the start; only where there are rules.
typedef struct td_scene_start {
    td_body_id body;
    td_pose pose;
    double centre[3]; // of mass, relative to the position
    double velocity[3], spin[3];
    double radius;
} td_scene_start;

struct td_scene {
    td_context *context;
    td_world *world;        // null: the scene is planar
    td_planar_scene planar; // zero, unless it is
    char *name, *description, *text;
    double step; // s
    uint64_t steps;
    TD_ARRAY(td_scene_mesh_entry) meshes;
    TD_ARRAY(td_scene_rule) rules;
    TD_ARRAY(td_scene_start) starts;
    TD_ARRAY(td_vec3) centres; // of `starts`, now; scratch of the rules
};

// What is known while a text is read.
typedef struct td_scene_reader {
    td_context *context;
    const td_scene_def *def;
    const char *folder;             // null: here
    const td_mesh_arrays *recorded; // meshes as they were, in order; null: the scene's sources are read
    uint32_t recorded_count;
    td_scene *scene;
    td_json root, meshes, materials; // `item` null where there is none
    // Names of groups of bodies: bits 32 + i.
    TD_ARRAY(const char *) groups;
    uint64_t groups_used; // bits of groups that a body is in
    TD_ARRAY(const char *) body_names;
} td_scene_reader;

enum { TD_SCENE_BODIES_MOST = 1000000 };

// The steps of reading, in this order.
td_result td_read_scene_settings(td_world_def *out, td_scene_reader *reader);
td_result td_read_scene_meshes(td_scene_reader *reader);
td_result td_read_scene_bodies(td_scene_reader *reader);
td_result td_read_scene_rules(td_scene_reader *reader);

typedef TD_ARRAY(uint32_t) td_scene_pins;

// The "soft" of a body, whose kind and mesh are known; into out->soft, if it is of that kind. The pins must
// stay as long as the definition, and be released whatever comes out.
td_result td_read_soft(td_body_def *out, td_soft_def *soft, td_scene_pins *pins, td_context *context,
                       const td_json *body);

// After a step of the world.
td_result td_apply_scene_rules(td_scene *scene);

// A copy in the context's memory, released by td_release_text; null if there is none left.
char *td_copy_text(td_context *context, const char *text);
void td_release_text(td_context *context, char *text);

// As td_parse_scene, on meshes that are there already, as td_scene_mesh gave them: those of a recording.
// Sources, and what scenes do to them, are not looked at. TD_ERROR_FORMAT if it is another number of meshes.
td_result td_parse_scene_on_meshes(td_scene **out, td_context *context, const char *text, size_t size,
                                   const char *name, const td_scene_def *def, const td_mesh_arrays *meshes,
                                   uint32_t mesh_count);

// ---------------------------------------------------------------------------------------------------------
// The scenes that are built in: written by the build from scenes/*.json, in the order of their names.

typedef struct td_builtin_scene {
    const char *name, *description;
    const unsigned char *text;
    size_t size;
} td_builtin_scene;

extern const td_builtin_scene td_builtin_scenes[];
extern const uint32_t td_builtin_scenes_count;

#endif
