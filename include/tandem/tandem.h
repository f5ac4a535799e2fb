// All of tandem's public API.
#ifndef TANDEM_TANDEM_H
#define TANDEM_TANDEM_H

#include "base.h"
#include "continuous.h"
#include "device.h"
#include "front.h"
#include "io.h"
#include "mesh.h"
#include "planar.h"
#include "query.h"
#include "ray.h"
#include "render.h"
#include "traced.h"
#include "world.h"

#endif
