#include "published_003.h"

const td_published_tracing td_published_003 = {.hardware = "AMD HD 7990",
                                               .fig6 = {1.31, 2.73},
                                               .fig7 = 1.84,
                                               .table1 = {2.84, 1.97, 2.05},
                                               .table2 = {0.79, 0.28}};
