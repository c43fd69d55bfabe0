/* holonom.h - the public interface of Holonom, in the order in which data flows:
 *
 *   model.h    errors, parameters, bodies, joints, forces: what a model is made of
 *   system.h   state, measures, and the system: the door between methods and physics
 *   solver.h   methods and plugins
 *   run.h      the step loop, its record, studies
 *
 * SI units and radians; right-handed world axes. Vectors are in world axes unless their name ends in _b (body axes).
 * A quaternion is (w, x, y, z) and turns body axes into world axes. Functions that can fail because of the world
 * return 0 or a valid index on success and -1 otherwise, with one line of text in their hn_error.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HOLONOM_H
#define HOLONOM_H

#include "model.h"
#include "run.h"
#include "solver.h"
#include "system.h"

#endif
