#include "tri_tri.h"

#include "tri_tri_body.h"
