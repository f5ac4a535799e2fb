// Lists of contacts.
#include "../core/error.h"
#include "record_contact.h"
#include "record_half.h"

static bool td_moves_at_all(const td_contact_rest *rest, uint32_t body) {
    const td_body_kind kind = rest->cast->bodies[body].kind;
    return td_is_moving(rest->before[body], kind) || td_is_moving(rest->now[body], kind);
}

static bool td_pair_rests(const td_contact_rest *rest, const td_grid_contact *contact) {
    return !td_moves_at_all(rest, contact->a) && !td_moves_at_all(rest, contact->b);
}

static bool td_same_contact(const td_grid_contact *x, const td_grid_contact *y) {
    return td_compare_contacts(x, y) == 0 && x->where == y->where && x->normal[0] == y->normal[0] &&
           x->normal[1] == y->normal[1] && x->impulse == y->impulse;
}

// The next contact of a pair that rests; null behind the last.
static const td_grid_contact *td_next_at_rest(const td_contact_rest *rest, const td_grid_contacts *contacts,
                                              size_t *at) {
    while (*at < contacts->count) {
        const td_grid_contact *contact = &contacts->items[(*at)++];
        if (td_pair_rests(rest, contact)) {
            return contact;
        }
    }
    return NULL;
}

bool td_rest_is_kept(const td_contact_rest *rest, const td_grid_contacts *before,
                     const td_grid_contacts *now) {
    for (size_t i = 0, k = 0;;) {
        const td_grid_contact *old = td_next_at_rest(rest, before, &i);
        const td_grid_contact *late = td_next_at_rest(rest, now, &k);
        if (old == NULL || late == NULL) {
            return old == late;
        }
        if (!td_same_contact(old, late)) {
            return false;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Putting

static size_t td_count_of_pair(const td_grid_contacts *contacts, size_t first) {
    size_t end = first + 1;
    while (end < contacts->count &&
           td_compare_contacts(&contacts->items[first], &contacts->items[end]) == 0) {
        ++end;
    }
    return end - first;
}

void td_put_contacts(td_byte_writer *writer, const td_grid_contacts *contacts, const td_contact_rest *rest) {
    uint32_t last = 0; // a of the last entry
    for (size_t first = 0; first < contacts->count;) {
        const td_grid_contact *pair = &contacts->items[first];
        const size_t count = td_count_of_pair(contacts, first);
        first += count;
        if (rest != NULL && td_pair_rests(rest, pair)) {
            continue;
        }
        td_put_varint(writer, pair->a - last);
        td_put_varint(writer, pair->b - pair->a - 1);
        td_put_varint(writer, count);
        for (size_t i = 0; i < count; ++i) {
            td_put_u32(writer, pair[i].where);
            td_put_u8(writer, pair[i].normal[0]);
            td_put_u8(writer, pair[i].normal[1]);
            td_put_u16(writer, pair[i].impulse);
        }
        last = pair->a;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Taking

// Three varints; false if they are no pair of bodies that can follow `pair`, or there are not as many
// contacts.
static bool td_take_pair(td_grid_contact *pair, size_t *count, td_byte_reader *reader, bool first,
                         uint32_t body_count) {
    const td_grid_contact last = *pair;
    const uint64_t a = last.a + td_take_varint(reader);
    const uint64_t b = a + 1 + td_take_varint(reader);
    const uint64_t announced = td_take_varint(reader);
    if (reader->failed || b >= body_count || announced == 0 ||
        announced > td_bytes_left(reader) / TD_CONTACT_BYTES) {
        return false;
    }
    *pair = (td_grid_contact){.a = (uint32_t)a, .b = (uint32_t)b};
    *count = (size_t)announced;
    return first || td_compare_contacts(&last, pair) < 0;
}

static bool td_take_contact(td_grid_contact *contact, td_byte_reader *reader) {
    contact->where = td_take_u32(reader);
    contact->normal[0] = td_take_u8(reader);
    contact->normal[1] = td_take_u8(reader);
    contact->impulse = td_take_u16(reader);
    return contact->where >> 30 == 0 && contact->normal[0] <= TD_NORMAL_MOST &&
           contact->normal[1] <= TD_NORMAL_MOST && td_is_upper_half(contact->impulse);
}

// Lets the contacts at rest of pairs before `pair` (null: of all) go over, from the place *at of `before` on.
// There is room.
static void td_keep_contacts(td_grid_contacts *out, size_t *at, const td_grid_contacts *before,
                             const td_contact_rest *rest, const td_grid_contact *pair) {
    for (; *at < before->count; ++*at) {
        const td_grid_contact *old = &before->items[*at];
        if (pair != NULL && td_compare_contacts(old, pair) >= 0) {
            return;
        }
        if (td_pair_rests(rest, old)) {
            out->items[out->count++] = *old;
        }
    }
}

td_result td_take_contacts(bool *valid, td_grid_contacts *out, td_context *context, td_byte_reader *reader,
                           const td_grid_contacts *before, const td_contact_rest *rest, uint32_t body_count) {
    *valid = false;
    out->count = 0;
    // Room for all that can come: what is there, and what may be kept.
    const size_t most = td_bytes_left(reader) / TD_CONTACT_BYTES + (rest != NULL ? before->count : 0);
    TD_TRY(td_array_reserve(context, out, most));
    td_grid_contact pair = {0};
    size_t old = 0, count = 0;
    for (bool first = true; td_bytes_left(reader) > 0; first = false) {
        if (!td_take_pair(&pair, &count, reader, first, body_count) ||
            (rest != NULL && td_pair_rests(rest, &pair))) {
            return TD_OK;
        }
        if (rest != NULL) {
            td_keep_contacts(out, &old, before, rest, &pair);
        }
        for (size_t i = 0; i < count; ++i) {
            td_grid_contact contact = pair;
            if (!td_take_contact(&contact, reader)) {
                return TD_OK;
            }
            out->items[out->count++] = contact;
        }
    }
    if (rest != NULL) {
        td_keep_contacts(out, &old, before, rest, NULL);
    }
    *valid = true;
    return TD_OK;
}
