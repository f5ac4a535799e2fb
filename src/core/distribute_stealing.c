// Every task has a stack that only it touches, and a shelf, under a lock, that anybody takes from. Who finds
// somebody hungry, and its shelf empty, puts the older half of its stack there: these units are high up in
// the tree and have the most below them.
//
// Nobody waits for a task that has not begun: its units lie on its shelf. A task goes home when all shelves
// are empty and nobody is at work. Who is at work has counted itself before it took its units off a shelf,
// and clears its own shelf before it stops; so units that are nowhere to be seen belong to somebody who is
// counted.
#include "array.h"
#include "distribute.h"
#include "error.h"
#include "tasks.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

typedef TD_ARRAY(td_unit) td_unit_list;

enum { TD_LEAST_TO_SHARE = 16 }; // units that somebody keeps to itself: taking turns would cost more

typedef struct td_thief {
    _Alignas(64) pthread_mutex_t lock; // of the shelf
    td_unit_list shelf;
    atomic_size_t on_shelf; // its count, for a look without the lock
    td_unit_list stack;
    uint64_t units, thefts, stolen;
} td_thief;

typedef struct td_thieves {
    const td_distribution *def;
    td_context *context;
    td_thief *tasks; // of the distributor
    atomic_uint hungry, at_work;
    atomic_bool stopped, failed;
} td_thieves;

static void td_fail_all(td_thieves *all) {
    atomic_store(&all->failed, true);
    atomic_store(&all->stopped, true);
}

static bool td_is_over(td_thieves *all) {
    return atomic_load_explicit(&all->stopped, memory_order_relaxed);
}

// Room on the stack. The shelf gets as much, so that who has done all the work once needs nothing more.
static bool td_make_room(td_thieves *all, td_thief *self, size_t count) {
    if (count <= self->stack.capacity - self->stack.count) {
        return true;
    }
    td_result result = td_array_reserve(all->context, &self->stack, count);
    if (result == TD_OK) {
        pthread_mutex_lock(&self->lock);
        const size_t more =
            self->stack.capacity > self->shelf.count ? self->stack.capacity - self->shelf.count : 0;
        result = td_array_reserve(all->context, &self->shelf, more);
        pthread_mutex_unlock(&self->lock);
    }
    if (result != TD_OK) {
        td_fail_all(all);
    }
    return result == TD_OK;
}

// Takes what is on a shelf, all of one's own, half of another's, the older ones first.
static bool td_take_from(td_thief *self, td_thief *victim) {
    if (atomic_load_explicit(&victim->on_shelf, memory_order_relaxed) == 0 && victim != self) {
        return false;
    }
    pthread_mutex_lock(&victim->lock);
    const size_t there = victim->shelf.count, wanted = victim == self ? there : (there + 1) / 2;
    // The stack is empty. Nobody holds two locks, so its room is made before; what does not fit is left.
    const size_t room = self->stack.capacity - self->stack.count, count = wanted < room ? wanted : room;
    const bool taken = count > 0;
    if (taken) {
        memcpy(self->stack.items + self->stack.count, victim->shelf.items, count * sizeof(td_unit));
        memmove(victim->shelf.items, victim->shelf.items + count, (there - count) * sizeof(td_unit));
        self->stack.count += count;
        victim->shelf.count = there - count;
        atomic_store_explicit(&victim->on_shelf, there - count, memory_order_relaxed);
        if (victim != self) {
            self->thefts++;
            self->stolen += count;
        }
    }
    pthread_mutex_unlock(&victim->lock);
    return taken;
}

static void td_put_out(td_thieves *all, td_thief *self) {
    pthread_mutex_lock(&self->lock);
    const size_t count = self->stack.count / 2;
    if (self->shelf.count == 0) {
        if (td_array_reserve(all->context, &self->shelf, count) == TD_OK) {
            memcpy(self->shelf.items, self->stack.items, count * sizeof(td_unit));
            memmove(self->stack.items, self->stack.items + count,
                    (self->stack.count - count) * sizeof(td_unit));
            self->shelf.count = count;
            self->stack.count -= count;
            atomic_store_explicit(&self->on_shelf, count, memory_order_relaxed);
        } else {
            td_fail_all(all);
        }
    }
    pthread_mutex_unlock(&self->lock);
}

static void td_work_off_stack(td_thieves *all, td_thief *self, uint32_t task) {
    const td_distribution *def = all->def;
    bool stop = false;
    while (self->stack.count > 0 && !td_is_over(all)) {
        if (!td_make_room(all, self, def->most_new)) {
            return;
        }
        const td_unit unit = self->stack.items[--self->stack.count];
        self->stack.count +=
            def->work(self->stack.items + self->stack.count, unit, task, &stop, def->payload);
        self->units++;
        if (stop) {
            atomic_store(&all->stopped, true);
        }
        if (atomic_load_explicit(&all->hungry, memory_order_relaxed) > 0 &&
            self->stack.count >= TD_LEAST_TO_SHARE &&
            atomic_load_explicit(&self->on_shelf, memory_order_relaxed) == 0) {
            td_put_out(all, self);
        }
    }
}

// Finds something to do: one's own shelf, then those of the others.
static bool td_find_work(td_thieves *all, td_thief *self, uint32_t task) {
    const uint32_t tasks = all->def->task_count;
    for (uint32_t k = 0; k < tasks; ++k) {
        if (td_take_from(self, &all->tasks[(task + k) % tasks])) {
            return true;
        }
    }
    return false;
}

// Waits until there is something on a shelf (true), or nothing will be (false).
static bool td_wait_for_work(td_thieves *all) {
    while (!td_is_over(all)) {
        for (uint32_t t = 0; t < all->def->task_count; ++t) {
            if (atomic_load(&all->tasks[t].on_shelf) > 0) {
                return true;
            }
        }
        if (atomic_load(&all->at_work) == 0) {
            return false;
        }
        sched_yield();
    }
    return false;
}

static void td_thief_task(uint32_t task, void *payload) {
    td_thieves *all = payload;
    td_thief *self = &all->tasks[task];
    bool more = true;
    while (more) {
        atomic_fetch_add(&all->at_work, 1);
        while (!td_is_over(all) && td_find_work(all, self, task)) {
            td_work_off_stack(all, self, task);
        }
        atomic_fetch_sub(&all->at_work, 1);
        atomic_fetch_add(&all->hungry, 1);
        more = td_wait_for_work(all);
        atomic_fetch_sub(&all->hungry, 1);
    }
}

// ---------------------------------------------------------------------------------------------------------

void td_thieves_release(td_distributor *distributor, td_context *context) {
    for (uint32_t t = 0; distributor->thieves != NULL && t < distributor->task_count; ++t) {
        td_thief *thief = &distributor->thieves[t];
        pthread_mutex_destroy(&thief->lock);
        td_array_release(context, &thief->shelf);
        td_array_release(context, &thief->stack);
    }
    TD_DELETE(context, td_thief, distributor->thieves, distributor->task_count);
    distributor->thieves = NULL;
}

uint64_t td_thieves_bytes(const td_distributor *distributor) {
    uint64_t bytes = 0;
    for (uint32_t t = 0; distributor->thieves != NULL && t < distributor->task_count; ++t) {
        const td_thief *thief = &distributor->thieves[t];
        bytes += sizeof *thief + (thief->shelf.capacity + thief->stack.capacity) * sizeof(td_unit);
    }
    return bytes;
}

static td_result td_make_thieves(td_distributor *distributor, td_context *context) {
    if (distributor->thieves == NULL) {
        distributor->thieves = TD_NEW(context, td_thief, distributor->task_count);
        if (distributor->thieves == NULL) {
            return TD_ERROR_MEMORY;
        }
        for (uint32_t t = 0; t < distributor->task_count; ++t) {
            distributor->thieves[t] = (td_thief){.units = 0};
            pthread_mutex_init(&distributor->thieves[t].lock, NULL);
        }
    }
    for (uint32_t t = 0; t < distributor->task_count; ++t) {
        td_thief *thief = &distributor->thieves[t];
        thief->stack.count = thief->shelf.count = 0;
        thief->units = thief->thefts = thief->stolen = 0;
    }
    return TD_OK;
}

static td_result td_fill_shelves(td_thieves *all, const td_unit *units, size_t count) {
    const uint32_t tasks = all->def->task_count;
    for (uint32_t t = 0; t < tasks; ++t) {
        const size_t begin = (size_t)((uint64_t)count * t / tasks),
                     end = (size_t)((uint64_t)count * (t + 1) / tasks);
        td_thief *thief = &all->tasks[t];
        TD_TRY(td_array_reserve(all->context, &thief->stack, end - begin + all->def->most_new + 1));
        TD_TRY(td_array_reserve(all->context, &thief->shelf, thief->stack.capacity));
        if (end > begin) {
            memcpy(thief->shelf.items, units + begin, (end - begin) * sizeof *units);
        }
        thief->shelf.count = end - begin;
        atomic_store(&thief->on_shelf, end - begin);
    }
    return TD_OK;
}

td_result td_distribute_by_stealing(td_distribution_report *out, td_distributor *distributor,
                                    td_context *context, const td_distribution *def, const td_unit *units,
                                    size_t count) {
    *out = (td_distribution_report){0};
    td_distributor_prepare(distributor, context, def->task_count);
    TD_TRY(td_make_thieves(distributor, context));
    td_thieves all = {.def = def, .context = context, .tasks = distributor->thieves};
    TD_TRY(td_fill_shelves(&all, units, count));
    td_run_tasks(context, td_thief_task, def->task_count, &all);
    for (uint32_t t = 0; t < def->task_count; ++t) {
        out->units += all.tasks[t].units;
        out->balances += all.tasks[t].thefts;
        out->moved += all.tasks[t].stolen;
    }
    return atomic_load(&all.failed) ? td_fail(TD_ERROR_MEMORY, "out of memory for units of work") : TD_OK;
}
