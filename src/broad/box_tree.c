#include "box_tree.h"

#include "../core/error.h"

void td_tree_start(td_box_tree *tree) {
    *tree = (td_box_tree){.root = TD_NO_NODE, .free_node = TD_NO_NODE};
}

void td_tree_release(td_box_tree *tree, td_context *context) {
    td_array_release(context, &tree->nodes);
    td_tree_start(tree);
}

td_result td_tree_reserve(td_box_tree *tree, td_context *context, size_t extra) {
    const size_t wanted = 2 * extra;
    if (tree->nodes.count + wanted >= TD_NO_NODE) {
        return td_fail(TD_ERROR_UNSUPPORTED, "broad phase: %zu boxes more are too many for a tree", extra);
    }
    if (wanted <= tree->free_count) {
        return TD_OK;
    }
    return td_array_reserve(context, &tree->nodes, wanted - tree->free_count);
}

// Those given back are used first, the last one first.
static uint32_t td_take_node(td_box_tree *tree) {
    const uint32_t node = tree->free_node;
    if (node == TD_NO_NODE) {
        return (uint32_t)tree->nodes.count++;
    }
    tree->free_node = tree->nodes.items[node].parent;
    tree->free_count--;
    return node;
}

static void td_give_node(td_box_tree *tree, uint32_t node) {
    tree->nodes.items[node].parent = tree->free_node;
    tree->free_node = node;
    tree->free_count++;
}

// ---------------------------------------------------------------------------------------------------------
// Boxes

static double td_least(double a, double b) {
    return a < b ? a : b;
}

static double td_most(double a, double b) {
    return a > b ? a : b;
}

static td_box td_join(const td_box *a, const td_box *b) {
    return (td_box){
        {td_least(a->lower.x, b->lower.x), td_least(a->lower.y, b->lower.y),
         td_least(a->lower.z, b->lower.z)},
        {td_most(a->upper.x, b->upper.x), td_most(a->upper.y, b->upper.y), td_most(a->upper.z, b->upper.z)},
    };
}

// Half of it.
static double td_surface(const td_box *box) {
    const td_vec3 d = td_sub(box->upper, box->lower);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

static double td_joint_surface(const td_box *a, const td_box *b) {
    const td_box both = td_join(a, b);
    return td_surface(&both);
}

// ---------------------------------------------------------------------------------------------------------
// Heights

// Box and height from the children.
static void td_refit(td_tree_node *nodes, uint32_t at) {
    td_tree_node *node = &nodes[at];
    const td_tree_node *left = &nodes[node->left], *right = &nodes[node->right];
    node->box = td_join(&left->box, &right->box);
    node->height = 1 + (left->height > right->height ? left->height : right->height);
}

static void td_replace_child(td_box_tree *tree, uint32_t parent, uint32_t old, uint32_t now) {
    td_tree_node *nodes = tree->nodes.items;
    nodes[now].parent = parent;
    if (parent == TD_NO_NODE) {
        tree->root = now;
    } else if (nodes[parent].left == old) {
        nodes[parent].left = now;
    } else {
        nodes[parent].right = now;
    }
}

// Puts the taller child of `at` in its place; `at` becomes a child of it, in place of a grandchild that `at`
// takes over: the lower one, of equally high ones the one with which `at` stays smaller.
//
//        at                    tall
//       /  \                  /    \        .
//     low   tall     →      at      stays
//          /    \          /  \             .
//       moves  stays     low  moves
static void td_rotate(td_box_tree *tree, uint32_t at) {
    td_tree_node *nodes = tree->nodes.items;
    const bool left_is_tall = nodes[nodes[at].left].height > nodes[nodes[at].right].height;
    const uint32_t tall = left_is_tall ? nodes[at].left : nodes[at].right;
    const uint32_t low = left_is_tall ? nodes[at].right : nodes[at].left;
    const uint32_t left = nodes[tall].left, right = nodes[tall].right;
    bool left_moves = nodes[left].height < nodes[right].height;
    if (nodes[left].height == nodes[right].height) {
        left_moves = td_joint_surface(&nodes[low].box, &nodes[left].box) <
                     td_joint_surface(&nodes[low].box, &nodes[right].box);
    }
    const uint32_t moves = left_moves ? left : right;
    const uint32_t stays = left_moves ? right : left;
    td_replace_child(tree, nodes[at].parent, at, tall);
    nodes[tall].left = at;
    nodes[tall].right = stays;
    nodes[at].parent = tall;
    nodes[at].left = low;
    nodes[at].right = moves;
    nodes[moves].parent = at;
    td_refit(nodes, at);
    td_refit(nodes, tall);
}

// The exchange of a child of a node with one of its grandchildren below the other child, whose surface
// becomes smaller by `gain`.
typedef struct td_exchange {
    double gain;
    uint32_t child, sibling; // the sibling changes: the child goes below it
    uint32_t grandchild;     // and this one comes up
} td_exchange;

// How much taller one side of a node may be than the other. No scene of scattered boxes comes near.
static const uint32_t td_tolerated = 8;

static bool td_is_lopsided(uint32_t height_a, uint32_t height_b) {
    return height_a > height_b + td_tolerated || height_b > height_a + td_tolerated;
}

// `up` and `stays` are the children of the sibling.
static void td_consider_exchange(td_exchange *best, const td_tree_node *nodes, uint32_t child,
                                 uint32_t sibling, uint32_t up, uint32_t stays) {
    const double gain =
        td_surface(&nodes[sibling].box) - td_joint_surface(&nodes[child].box, &nodes[stays].box);
    const uint32_t below = nodes[child].height, beside = nodes[stays].height;
    const uint32_t height = 1 + (below > beside ? below : beside);
    if (gain > best->gain && !td_is_lopsided(below, beside) && !td_is_lopsided(height, nodes[up].height)) {
        *best = (td_exchange){gain, child, sibling, up};
    }
}

static void td_consider_exchanges(td_exchange *best, const td_tree_node *nodes, uint32_t child,
                                  uint32_t sibling) {
    const td_tree_node *changing = &nodes[sibling];
    if (!td_is_leaf(changing)) {
        td_consider_exchange(best, nodes, child, sibling, changing->left, changing->right);
        td_consider_exchange(best, nodes, child, sibling, changing->right, changing->left);
    }
}

static void td_exchange_best(td_box_tree *tree, uint32_t at) {
    td_tree_node *nodes = tree->nodes.items;
    td_exchange best = {0};
    td_consider_exchanges(&best, nodes, nodes[at].left, nodes[at].right);
    td_consider_exchanges(&best, nodes, nodes[at].right, nodes[at].left);
    if (best.gain > 0) {
        td_replace_child(tree, at, best.child, best.grandchild);
        td_replace_child(tree, best.sibling, best.grandchild, best.child);
        td_refit(nodes, best.sibling);
    }
    td_refit(nodes, at);
}

// From `at` up to the root: refits, exchanges where the surface gets smaller, balances where it has to.
static void td_refit_upward(td_box_tree *tree, uint32_t at) {
    const td_tree_node *nodes = tree->nodes.items;
    while (at != TD_NO_NODE) {
        // Each rotation takes `at` one level down, to a place where less is below it; the nodes that went up
        // in its place are the next ones on the way to the root.
        while (td_is_lopsided(nodes[nodes[at].left].height, nodes[nodes[at].right].height)) {
            td_rotate(tree, at);
        }
        td_exchange_best(tree, at);
        at = nodes[at].parent;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Leaves

// What it adds to the surfaces at and below `child` at least, if the new box goes there: somewhere a new
// inner node is needed, which is no smaller than the box itself.
static double td_price(const td_tree_node *child, const td_box *box, double box_surface) {
    const double joint = td_joint_surface(&child->box, box);
    return td_is_leaf(child) ? joint : joint - td_surface(&child->box) + box_surface;
}

// The node beside which a leaf with that box goes: down, unless a new parent here is cheaper. Of equal prices
// down the lower side, so that boxes that are all the same make a low tree.
static uint32_t td_find_sibling(const td_box_tree *tree, const td_box *box) {
    const td_tree_node *nodes = tree->nodes.items;
    const double box_surface = td_surface(box);
    uint32_t at = tree->root;
    while (!td_is_leaf(&nodes[at])) {
        const td_tree_node *left = &nodes[nodes[at].left], *right = &nodes[nodes[at].right];
        const double price_left = td_price(left, box, box_surface);
        const double price_right = td_price(right, box, box_surface);
        const double joint = td_joint_surface(&nodes[at].box, box);
        const double growth = joint - td_surface(&nodes[at].box); // of this node, if the leaf goes below it
        if (joint < growth + td_least(price_left, price_right)) {
            break;
        }
        const bool lower_left = price_left == price_right && left->height < right->height;
        at = price_left < price_right || lower_left ? nodes[at].left : nodes[at].right;
    }
    return at;
}

uint32_t td_tree_insert(td_box_tree *tree, td_box box, uint32_t proxy) {
    const uint32_t leaf = td_take_node(tree);
    td_tree_node *nodes = tree->nodes.items;
    nodes[leaf] = (td_tree_node){.box = box, .parent = TD_NO_NODE, .left = TD_NO_NODE, .right = proxy};
    if (tree->root == TD_NO_NODE) {
        tree->root = leaf;
        return leaf;
    }
    const uint32_t sibling = td_find_sibling(tree, &box);
    const uint32_t parent = td_take_node(tree);
    td_replace_child(tree, nodes[sibling].parent, sibling, parent);
    nodes[parent].left = sibling;
    nodes[parent].right = leaf;
    nodes[sibling].parent = parent;
    nodes[leaf].parent = parent;
    td_refit_upward(tree, parent);
    return leaf;
}

void td_tree_remove(td_box_tree *tree, uint32_t leaf) {
    td_tree_node *nodes = tree->nodes.items;
    const uint32_t parent = nodes[leaf].parent;
    td_give_node(tree, leaf);
    if (parent == TD_NO_NODE) {
        tree->root = TD_NO_NODE;
        return;
    }
    const uint32_t sibling = nodes[parent].left == leaf ? nodes[parent].right : nodes[parent].left;
    const uint32_t above = nodes[parent].parent;
    td_replace_child(tree, above, parent, sibling);
    td_give_node(tree, parent);
    td_refit_upward(tree, above);
}

// ---------------------------------------------------------------------------------------------------------

static bool td_holds(const td_box *outer, const td_box *inner) {
    const td_box both = td_join(outer, inner);
    return td_same_point(both.lower, outer->lower) && td_same_point(both.upper, outer->upper);
}

static bool td_inner_node_is_valid(const td_tree_node *nodes, uint32_t at) {
    const td_tree_node *node = &nodes[at], *left = &nodes[node->left], *right = &nodes[node->right];
    const uint32_t taller = left->height > right->height ? left->height : right->height;
    return left->parent == at && right->parent == at && node->height == taller + 1 &&
           td_holds(&node->box, &left->box) && td_holds(&node->box, &right->box);
}

// Every node in the array is free, a leaf, or an inner node; of these all must hang from the root.
static size_t td_count_free(const td_box_tree *tree) {
    size_t count = 0;
    for (uint32_t at = tree->free_node; at != TD_NO_NODE && count <= tree->nodes.count; ++count) {
        at = tree->nodes.items[at].parent;
    }
    return count;
}

// From leaf to leaf by the links to the parents, without a stack: a broken link ends the walk early or makes
// it longer than there are nodes.
bool td_tree_is_valid(const td_box_tree *tree, size_t leaf_count) {
    const td_tree_node *nodes = tree->nodes.items;
    const size_t used = leaf_count == 0 ? 0 : 2 * leaf_count - 1;
    if (td_count_free(tree) != tree->free_count || used + tree->free_count != tree->nodes.count) {
        return false;
    }
    if (tree->root == TD_NO_NODE || leaf_count == 0) {
        return tree->root == TD_NO_NODE && leaf_count == 0;
    }
    size_t visited = 0, leaves = 0;
    uint32_t at = tree->root, from = nodes[at].parent;
    while (at != TD_NO_NODE && visited <= 3 * used) {
        const td_tree_node *node = &nodes[at];
        uint32_t next = node->parent;
        if (td_is_leaf(node)) {
            leaves++;
        } else if (from == node->parent) {
            if (!td_inner_node_is_valid(nodes, at)) {
                return false;
            }
            next = node->left;
        } else if (from == node->left) {
            next = node->right;
        }
        from = at;
        at = next;
        visited++;
    }
    return at == TD_NO_NODE && leaves == leaf_count;
}
