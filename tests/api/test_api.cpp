// The API from C++: the handles fit std::unique_ptr, the callbacks take lambdas, the structs are plain.
#include <tandem/tandem.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace {

void test_check(bool holds, const char *what, int line) {
    if (!holds) {
        std::fprintf(stderr, "test_api.cpp:%d: %s (last error: %s)\n", line, what, td_error_message());
        std::exit(1);
    }
}
#define CHECK(condition) test_check(condition, #condition, __LINE__)

template <auto destroy> struct test_deleter {
    template <typename T> void operator()(T *handle) const { destroy(handle); }
};
using test_context = std::unique_ptr<td_context, test_deleter<td_destroy_context>>;
using test_mesh = std::unique_ptr<td_mesh, test_deleter<td_destroy_mesh>>;
using test_query = std::unique_ptr<td_query, test_deleter<td_destroy_query>>;

static_assert(std::is_trivially_copyable<td_collide_result>::value, "results can be copied as bytes");
static_assert(std::is_standard_layout<td_context_def>::value, "definitions have the layout of C");
static_assert(sizeof(td_pair) == 2 * sizeof(uint32_t), "pairs are packed");

test_mesh test_shape(const test_context &context, const char *name) {
    td_mesh *mesh = nullptr;
    CHECK(td_create_shape(&mesh, context.get(), name, 0) == TD_OK);
    return test_mesh(mesh);
}

} // namespace

int main() {
    std::vector<std::string> log;
    td_context_def def = td_default_context_def();
    def.thread_count = 2;
    def.log = [](td_log_level, const char *message, void *user) {
        static_cast<std::vector<std::string> *>(user)->emplace_back(message);
    };
    def.log_user = &log;
    td_context *raw_context = nullptr;
    CHECK(td_create_context(&raw_context, &def) == TD_OK);
    const test_context context(raw_context);
    CHECK(td_context_thread_count(context.get()) == 2);

    const std::vector<double> falling = {0.25, 0.25, 1,  0, 0, 0, 1, 0, 0, 0, 1, 0,
                                         0.25, 0.25, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    const td_moving_def moving = td_default_moving_def();
    td_moving_contact contact = {};
    CHECK(td_test_vertex_face(&contact, context.get(), &moving, falling.data()) == TD_OK);
    CHECK(contact.touching && contact.certain && contact.time <= 0.5);

    const test_mesh torus = test_shape(context, "torus");
    const test_mesh box = test_shape(context, "box");
    td_query *raw_query = nullptr;
    CHECK(td_create_query(&raw_query, context.get()) == TD_OK);
    const test_query query(raw_query);

    std::vector<td_pose> poses(8, td_pose_identity());
    for (std::size_t i = 0; i < poses.size(); ++i) {
        poses[i].position[1] = static_cast<double>(i);
    }
    std::vector<td_collide_result> results(poses.size());
    td_collide_def collide = td_default_collide_def();
    collide.progress = [](std::uint64_t done, std::uint64_t total, void *) { return done <= total; };
    CHECK(td_collide_batch(results.data(), query.get(), torus.get(), box.get(), poses.data(), poses.size(),
                           &collide) == TD_OK);
    CHECK(results[0].colliding && results[0].pair_count > 0);
    CHECK(!results[7].colliding && results[7].pair_count == 0);

    td_pose wrong = td_pose_identity();
    wrong.rotation[0] = 1;
    CHECK(td_collide(results.data(), query.get(), torus.get(), box.get(), &wrong, &collide) == TD_ERROR_POSE);
    const td_ray ray{{-5, 0.01, 0.02}, {1, 0, 0}, 0, 1e9};
    const td_ray_def rays = td_default_ray_def();
    td_ray_hit hit;
    CHECK(td_cast_rays(&hit, box.get(), nullptr, &ray, 1, &rays) == TD_OK && hit.hit);
    CHECK(std::string(td_error_message()).size() > 10);
    std::puts("api_cxx: ok");
    return 0;
}
