// Soft bodies touch with thousands of vertices: more contacts than an eye wants, or a recording.
#ifndef TD_IO_RECORD_THIN_H
#define TD_IO_RECORD_THIN_H

#include <tandem/scene.h>

enum { TD_SOFT_CONTACTS = 16 }; // of a pair, at most

// Thins out the contacts of pairs of which a body is soft, in place, and returns how many are left: those of
// a pair are cut into runs, and a run becomes its strongest contact, the first of several, with the impulses
// of all. A run of one stays as it is. Contacts of a pair stand together, in the order of pairs.
size_t td_thin_contacts(td_recorded_contact *contacts, size_t count, const bool *soft);

#endif
