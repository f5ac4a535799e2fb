#include "levels.h"

#include "../core/error.h"
#include "../core/memory.h"

// By counting: heights[n] is the level of node n, of which there are `level_count`.
static td_result td_sort_levels(td_levels *out, const uint32_t *heights, uint32_t node_count,
                                uint32_t level_count, td_context *context) {
    *out = (td_levels){.node_count = node_count, .level_count = level_count};
    out->order = TD_NEW(context, uint32_t, node_count);
    out->first = TD_NEW(context, uint32_t, (size_t)level_count + 1);
    if (out->order == NULL || out->first == NULL) {
        td_levels_release(out, context);
        return TD_ERROR_MEMORY;
    }
    for (uint32_t i = 0; i <= level_count; ++i) {
        out->first[i] = 0;
    }
    for (uint32_t n = 0; n < node_count; ++n) {
        out->first[heights[n] + 1]++;
    }
    for (uint32_t i = 0; i < level_count; ++i) {
        out->first[i + 1] += out->first[i];
    }
    for (uint32_t n = 0; n < node_count; ++n) {
        out->order[out->first[heights[n]]++] = n;
    }
    for (uint32_t i = level_count; i > 0; --i) { // each first has become the next one's
        out->first[i] = out->first[i - 1];
    }
    out->first[0] = 0;
    return TD_OK;
}

static uint32_t td_height_of_block(const td_block *block, const uint32_t *heights) {
    uint32_t height = 0;
    for (uint32_t lane = 0; lane < block->node_count && !block->leaf; ++lane) {
        const uint32_t above = heights[block->child[lane]] + 1;
        height = above > height ? above : height;
    }
    return height;
}

static uint32_t td_height_of_node(const td_post_links *links, uint32_t node, const uint32_t *heights) {
    if (links[node].kind & TD_POST_LEAF) {
        return 0;
    }
    uint32_t child = links[node].child, height = heights[child];
    while (links[child].counter == 0) {
        child = links[child].escape;
        height = heights[child] > height ? heights[child] : height;
    }
    return height + 1;
}

// One of the two hierarchies.
static td_result td_find_levels(td_levels *out, const td_blocked *blocked, const td_postorder *post,
                                td_context *context) {
    const uint32_t count = blocked != NULL ? blocked->block_count : post->node_count;
    uint32_t *heights = TD_NEW(context, uint32_t, count), highest = 0;
    *out = (td_levels){0};
    if (heights == NULL) {
        return TD_ERROR_MEMORY;
    }
    for (uint32_t n = count; n-- > 0;) { // children stand behind their parents
        heights[n] = blocked != NULL ? td_height_of_block(&blocked->blocks[n], heights)
                                     : td_height_of_node(post->links, n, heights);
        highest = heights[n] > highest ? heights[n] : highest;
    }
    const td_result result = td_sort_levels(out, heights, count, highest + 1, context);
    TD_DELETE(context, uint32_t, heights, count);
    return result;
}

td_result td_levels_of_blocks(td_levels *out, const td_blocked *blocked, td_context *context) {
    return td_find_levels(out, blocked, NULL, context);
}

td_result td_levels_of_nodes(td_levels *out, const td_postorder *post, td_context *context) {
    return td_find_levels(out, NULL, post, context);
}

void td_levels_release(td_levels *levels, td_context *context) {
    TD_DELETE(context, uint32_t, levels->order, levels->node_count);
    TD_DELETE(context, uint32_t, levels->first, (size_t)levels->level_count + 1);
    *levels = (td_levels){0};
}
