// tandem: a world with default settings. The ground is a static box of twelve triangles, a mesh like any
// other.
#include "core/error.h"
#include "core/memory.h"
#include "pile.h"

#include <tandem/world.h>

#include <string.h>

typedef struct td_tandem_pile {
    td_context *context; // its own, with its own threads
    td_mesh *mesh, *ground;
    td_world *world;
    td_body_id *bodies;
    uint32_t body_count;
    td_step_report report;
} td_tandem_pile;

static void td_tandem_pile_destroy(void *data) {
    td_tandem_pile *pile = data;
    if (pile == NULL) {
        return;
    }
    td_context *context = pile->context;
    td_destroy_world(pile->world);
    td_destroy_mesh(pile->mesh);
    td_destroy_mesh(pile->ground);
    TD_DELETE(context, td_body_id, pile->bodies, pile->body_count);
    TD_DELETE(context, td_tandem_pile, pile, 1);
    td_destroy_context(context);
}

static td_result td_make_mesh(td_mesh **out, td_context *context, const td_peer_mesh *arrays,
                              const char *name) {
    td_mesh_def def = td_default_mesh_def();
    def.positions = arrays->positions;
    def.vertex_count = arrays->vertex_count;
    def.triangles = arrays->triangles;
    def.triangle_count = arrays->triangle_count;
    def.name = name;
    return td_create_mesh(out, context, &def);
}

// Corner i is at the upper end of x, y, z where bits 0, 1, 2 of i are set.
static td_result td_make_ground(td_mesh **out, td_context *context, const td_pile_scene *scene) {
    static const uint32_t triangles[36] = {0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                           2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6};
    double positions[24];
    for (size_t i = 0; i < 8; ++i) {
        positions[3 * i] = i & 1 ? scene->ground_half_width : -scene->ground_half_width;
        positions[3 * i + 1] = i & 2 ? 0.0 : -scene->ground_thickness;
        positions[3 * i + 2] = i & 4 ? scene->ground_half_width : -scene->ground_half_width;
    }
    const td_peer_mesh box = {positions, triangles, 8, 12};
    return td_make_mesh(out, context, &box, "ground");
}

static td_result td_add_bodies(td_tandem_pile *pile, const td_pile_scene *scene) {
    td_body_def def = td_default_body_def();
    td_body_id ground;
    def.kind = TD_BODY_STATIC;
    def.mesh = pile->ground;
    def.friction = scene->friction;
    def.restitution = 0.0;
    TD_TRY(td_add_body(&ground, pile->world, &def));
    def.kind = TD_BODY_DYNAMIC;
    def.mesh = pile->mesh;
    def.density = scene->density;
    for (uint32_t i = 0; i < scene->body_count; ++i) {
        def.pose = td_pose_identity();
        memcpy(def.pose.position, scene->starts + 3 * (size_t)i, sizeof def.pose.position);
        TD_TRY(td_add_body(&pile->bodies[i], pile->world, &def));
    }
    return TD_OK;
}

static td_result td_fill_pile(td_tandem_pile *pile, const td_pile_scene *scene) {
    pile->bodies = TD_NEW(pile->context, td_body_id, scene->body_count);
    if (pile->bodies == NULL) {
        return TD_ERROR_MEMORY;
    }
    pile->body_count = scene->body_count;
    TD_TRY(td_make_mesh(&pile->mesh, pile->context, &scene->mesh, "body"));
    TD_TRY(td_make_ground(&pile->ground, pile->context, scene));
    td_world_def def = td_default_world_def();
    def.gravity[0] = def.gravity[2] = 0.0;
    def.gravity[1] = -scene->gravity;
    def.step = scene->step;
    TD_TRY(td_create_world(&pile->world, pile->context, &def));
    return td_add_bodies(pile, scene);
}

static td_result td_tandem_pile_create(void **out, const td_pile_scene *scene, uint32_t threads) {
    td_context_def def = td_default_context_def();
    def.thread_count = threads;
    td_context *context;
    TD_TRY(td_create_context(&context, &def));
    td_tandem_pile *pile = TD_NEW(context, td_tandem_pile, 1);
    if (pile == NULL) {
        td_destroy_context(context);
        return TD_ERROR_MEMORY;
    }
    *pile = (td_tandem_pile){.context = context};
    const td_result result = td_fill_pile(pile, scene);
    if (result != TD_OK) {
        td_tandem_pile_destroy(pile);
        return result;
    }
    *out = pile;
    return TD_OK;
}

static td_result td_tandem_pile_step(void *data) {
    td_tandem_pile *pile = data;
    return td_step_world(&pile->report, pile->world);
}

static uint64_t td_count_touching(const td_world *world) {
    uint64_t touching = 0;
    td_body_id a = {0}, b = {0};
    for (size_t i = 0; i < td_contact_count(world); ++i) {
        // Those of a pair stand together.
        const td_contact contact = td_get_contact(world, i);
        touching += i == 0 || contact.a.index != a.index || contact.b.index != b.index;
        a = contact.a;
        b = contact.b;
    }
    return touching;
}

static void td_tandem_pile_count(td_pile_step *out, void *data) {
    const td_tandem_pile *pile = data;
    const td_step_report *report = &pile->report;
    *out = (td_pile_step){.contacts = report->contacts,
                          .touching = td_count_touching(pile->world),
                          .awake = report->awake,
                          .collision_ms = report->broad_ms + report->traversal_ms + report->contacts_ms,
                          .detection_ms = report->broad_ms + report->traversal_ms};
}

static td_result td_tandem_pile_read(td_pile_body *out, void *data, uint32_t body) {
    const td_tandem_pile *pile = data;
    td_body_state state;
    TD_TRY(td_get_body(&state, pile->world, pile->bodies[body]));
    out->pose = state.pose;
    memcpy(out->velocity, state.velocity, sizeof out->velocity);
    memcpy(out->spin, state.spin, sizeof out->spin);
    return TD_OK;
}

const td_pile_library td_pile_tandem = {.name = "tandem",
                                        .version = td_version,
                                        .what = "td_world with default settings, exact on float64, the "
                                                "ground a box of triangles",
                                        .threads = true,
                                        .create = td_tandem_pile_create,
                                        .step = td_tandem_pile_step,
                                        .count = td_tandem_pile_count,
                                        .read = td_tandem_pile_read,
                                        .destroy = td_tandem_pile_destroy};
