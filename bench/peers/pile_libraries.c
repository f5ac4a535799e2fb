#include "pile.h"

#include <string.h>

extern const td_pile_library td_pile_tandem, td_pile_ode, td_pile_bullet;

static const td_pile_library *const td_pile_libraries[] = {
    &td_pile_tandem,
#ifdef TD_PEER_WITH_ODE
    &td_pile_ode,
#endif
#ifdef TD_PEER_WITH_BULLET
    &td_pile_bullet,
#endif
};

uint32_t td_pile_library_count(void) {
    return (uint32_t)(sizeof td_pile_libraries / sizeof td_pile_libraries[0]);
}

const td_pile_library *td_pile_library_at(uint32_t index) {
    return td_pile_libraries[index];
}

const td_pile_library *td_find_pile_library(const char *name) {
    for (uint32_t i = 0; i < td_pile_library_count(); ++i) {
        if (strcmp(td_pile_libraries[i]->name, name) == 0) {
            return td_pile_libraries[i];
        }
    }
    return NULL;
}
