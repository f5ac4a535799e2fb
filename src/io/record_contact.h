// Contacts on the grid of the bodies they are at, eight bytes each, and lists of them as bytes.
//
// A contact's place is told in the frame of the smaller of the two bodies, in 1023 steps along each side of
// its mesh's box (of a soft body: in the world, in the box around it in that frame), which is widened by an
// eighth of its diagonal: off by 0.71 thousandths of that diagonal at most. The normal is folded onto a
// square (an octahedron laid flat) of 255 x 255 places: off by 1 degree at most. The impulse is off by 0.4 %
// at most.
//
// The contacts of bodies that rest do not change, and make up most of them in a pile: a frame that follows
// another lists only those of pairs of which a body moves, or did in the frame before.
#ifndef TD_IO_RECORD_CONTACT_H
#define TD_IO_RECORD_CONTACT_H

#include "record_motion.h"

typedef struct td_grid_contact {
    uint32_t a, b;     // bodies, a < b
    uint32_t where;    // ten bits each for x, y and z
    uint8_t normal[2]; // up to TD_NORMAL_MOST
    uint16_t impulse;
} td_grid_contact;

typedef TD_ARRAY(td_grid_contact) td_grid_contacts;

enum { TD_NORMAL_MOST = 254 };

// The bodies may come in either order, not being the same; `poses` are those of all bodies. What is not
// finite becomes some contact.
td_grid_contact td_contact_to_grid(const td_recorded_contact *contact, const td_cast *cast,
                                   const td_pose *poses);
td_recorded_contact td_contact_from_grid(const td_grid_contact *contact, const td_cast *cast,
                                         const td_pose *poses);

// Of the pairs: (a, b) before (b, c) before (b, d).
int td_compare_contacts(const td_grid_contact *x, const td_grid_contact *y);

// What tells which pairs rest.
typedef struct td_contact_rest {
    const td_cast *cast;
    const td_grid_motion *before, *now;
} td_contact_rest;

// Whether the pairs that rest have, in both frames, the same contacts: only then the second can leave them
// out. They have, but where a body woke and slept again between the two.
bool td_rest_is_kept(const td_contact_rest *rest, const td_grid_contacts *before,
                     const td_grid_contacts *now);

// Puts contacts that are sorted: those of pairs that do not rest, or all of them if `rest` is null.
void td_put_contacts(td_byte_writer *writer, const td_grid_contacts *contacts, const td_contact_rest *rest);

// Takes what td_put_contacts put, up to the reader's end, and, with `rest`, those of pairs that rest from
// `before`. *valid tells whether these are such bytes: if not, `out` is undefined. Fails only if memory is
// short.
td_result td_take_contacts(bool *valid, td_grid_contacts *out, td_context *context, td_byte_reader *reader,
                           const td_grid_contacts *before, const td_contact_rest *rest, uint32_t body_count);

// The most bytes that td_put_contacts puts for a contact.
enum { TD_CONTACT_BYTES = 8, TD_CONTACT_MOST_BYTES = 3 * TD_VARINT_MOST + TD_CONTACT_BYTES };

#endif
