#include "collapse.h"

#include "../core/array.h"
#include "../core/error.h"
#include "../core/tasks.h"

#include <string.h>

// Subtrees up to this many prims, or this fraction of all, are planned by one task.
enum { TD_JOB_PRIMS = 2048, TD_JOB_SHARE = 128 };

// What everything below a tree node costs if it may take up to 1, 2, 3 nodes of the block above.
typedef struct td_slot_costs {
    float cost[3];
} td_slot_costs;

// Plan of an inner tree node: how many nodes of a block its left child may take.
enum {
    TD_OPEN_2 = 1, // bit: opened if it may take two nodes
    TD_OPEN_3 = 2, // bit: ... or three
    TD_LEFT_3 = 2, // shift: left child's share of three, 1 or 2, less one
    TD_LEFT_4 = 3, // shift: left child's share of four (the root of a block), 1 to 3, less one
};

// The plan takes the place of the area, which is not needed any more.
static inline void td_set_plan(td_tree_node *node, uint32_t plan) {
    memcpy(&node->area, &plan, sizeof plan);
}

static inline uint32_t td_plan_of(const td_tree_node *node) {
    uint32_t plan;
    memcpy(&plan, &node->area, sizeof plan);
    return plan;
}

static td_slot_costs td_plan_node(td_collapse *collapse, uint32_t node, td_slot_costs left,
                                  td_slot_costs right) {
    const float *l = left.cost, *r = right.cost;
    const float open2 = l[0] + r[0];
    const uint32_t left3 = l[1] + r[0] < l[0] + r[1] ? 2 : 1;
    const float open3 = l[left3 - 1] + r[2 - left3];
    uint32_t left4 = 2;
    left4 = l[0] + r[2] < l[left4 - 1] + r[3 - left4] ? 1 : left4;
    left4 = l[2] + r[0] < l[left4 - 1] + r[3 - left4] ? 3 : left4;
    const float alone = collapse->nodes[node].area + l[left4 - 1] + r[3 - left4];
    const bool opened2 = open2 < alone, opened3 = open3 < alone;
    td_set_plan(&collapse->nodes[node], (opened2 ? TD_OPEN_2 : 0u) | (opened3 ? TD_OPEN_3 : 0u) |
                                            (left3 - 1) << TD_LEFT_3 | (left4 - 1) << TD_LEFT_4);
    return (td_slot_costs){{alone, opened2 ? open2 : alone, opened3 ? open3 : alone}};
}

static td_slot_costs td_plan_subtree(td_collapse *collapse, uint32_t node) {
    if (collapse->nodes[node].count <= TD_LEAF_BLOCK) {
        return (td_slot_costs){{0, 0, 0}}; // the same whatever is chosen
    }
    const td_slot_costs left = td_plan_subtree(collapse, td_tree_left(node));
    const td_slot_costs right = td_plan_subtree(collapse, td_tree_right(collapse->nodes, node));
    return td_plan_node(collapse, node, left, right);
}

// ---------------------------------------------------------------------------------------------------------

typedef struct td_plan_job {
    uint32_t node;
    td_slot_costs costs;
} td_plan_job;

typedef struct td_plan_jobs {
    td_collapse *collapse;
    TD_ARRAY(td_plan_job) list; // from left to right
    uint32_t small;             // most prims of a job
} td_plan_jobs;

static void td_plan_task(uint32_t item, void *payload) {
    const td_plan_jobs *jobs = payload;
    td_plan_job *job = &jobs->list.items[item];
    job->costs = td_plan_subtree(jobs->collapse, job->node);
}

static td_result td_list_plan_jobs(td_plan_jobs *jobs, td_context *context, uint32_t node) {
    const td_tree_node *nodes = jobs->collapse->nodes;
    if (nodes[node].count <= jobs->small) {
        TD_TRY(td_array_reserve(context, &jobs->list, 1));
        jobs->list.items[jobs->list.count++] = (td_plan_job){.node = node};
        return TD_OK;
    }
    TD_TRY(td_list_plan_jobs(jobs, context, td_tree_left(node)));
    return td_list_plan_jobs(jobs, context, td_tree_right(nodes, node));
}

// Above the jobs, whose results are taken in order.
static td_slot_costs td_plan_crown(const td_plan_jobs *jobs, const td_plan_job **next, uint32_t node) {
    const td_tree_node *nodes = jobs->collapse->nodes;
    if (nodes[node].count <= jobs->small) {
        return (*next)++->costs;
    }
    const td_slot_costs left = td_plan_crown(jobs, next, td_tree_left(node));
    const td_slot_costs right = td_plan_crown(jobs, next, td_tree_right(nodes, node));
    return td_plan_node(jobs->collapse, node, left, right);
}

td_result td_plan_blocks(td_collapse *collapse, td_context *context) {
    const uint32_t share = collapse->nodes[0].count / TD_JOB_SHARE;
    td_plan_jobs jobs = {.collapse = collapse, .small = share > TD_JOB_PRIMS ? share : TD_JOB_PRIMS};
    const td_result result = td_list_plan_jobs(&jobs, context, 0);
    if (result == TD_OK) {
        td_run_tasks(context, td_plan_task, (uint32_t)jobs.list.count, &jobs);
        const td_plan_job *next = jobs.list.items;
        td_plan_crown(&jobs, &next, 0);
    }
    td_array_release(context, &jobs.list);
    return result;
}

// ---------------------------------------------------------------------------------------------------------

// Appends what stands for `node` in a block where it may take up to `slots` nodes.
static int td_add_members(uint32_t *members, int count, const td_collapse *collapse, uint32_t node,
                          uint32_t slots) {
    const td_tree_node *nodes = collapse->nodes;
    if (slots == 1 || nodes[node].count <= TD_LEAF_BLOCK) {
        members[count] = node;
        return count + 1;
    }
    const uint32_t plan = td_plan_of(&nodes[node]);
    if ((slots == 2 && (plan & TD_OPEN_2) == 0) || (slots == 3 && (plan & TD_OPEN_3) == 0)) {
        members[count] = node;
        return count + 1;
    }
    const uint32_t left = slots == 4 ? (plan >> TD_LEFT_4) + 1 : slots == 3 ? (plan >> TD_LEFT_3 & 1) + 1 : 1;
    count = td_add_members(members, count, collapse, td_tree_left(node), left);
    return td_add_members(members, count, collapse, td_tree_right(nodes, node), slots - left);
}

int td_block_members(uint32_t members[4], const td_collapse *collapse, uint32_t root) {
    return td_add_members(members, 0, collapse, root, 4);
}

static int td_add_quads(uint32_t *sizes, int count, const td_collapse *collapse, uint32_t node) {
    uint32_t prims = collapse->nodes[node].count;
    if (prims > collapse->leaf_size) {
        count = td_add_quads(sizes, count, collapse, td_tree_left(node));
        return td_add_quads(sizes, count, collapse, td_tree_right(collapse->nodes, node));
    }
    for (; prims > TD_QUAD; prims -= TD_QUAD) {
        sizes[count++] = TD_QUAD;
    }
    sizes[count] = prims;
    return count + 1;
}

int td_quad_sizes(uint32_t sizes[4], const td_collapse *collapse, uint32_t root) {
    return td_add_quads(sizes, 0, collapse, root);
}
