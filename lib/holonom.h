/* holonom.h - the public interface of Holonom, in the order in which data flows:
 *
 *   base.h     errors, parameters, where files are
 *   bodies.h   bodies and shapes; joints.h, the joints between them; forces.h
 *   model.h    the model that is built of these
 *   state.h    the state of a model, its measures, work
 *   system.h   the system: the door between solvers and physics
 *   solver.h   solvers and plugins
 *   run.h      the step loop, its record, studies
 *   contact.h  the problem of an instant with contacts, and its solvers
 *
 * and beside it scene.h, which loads scenes written in Lua, and elementary.h: sin, cos, ... whose bits do not depend on
 * the processor.
 *
 * SI units and radians; right-handed world axes. Vectors are in world axes unless their name ends in _b (body axes).
 * A quaternion is (w, x, y, z) and turns body axes into world axes. Functions that can fail because of the world
 * return 0 or a valid index on success and -1 otherwise, with one line of text in their hn_error.
 *
 * In a host program the library keeps to itself, but for this:
 *   MPI, PETSc started when a solver first needs them, unless the host has, and ended with the process; what the host
 *              started it ends, after it has freed its solvers. Once it has ended them, solvers that need PETSc are
 *              refused, and steps of those there are end as HN_INTERRUPTED. Where the library starts PETSc, SuiteSparse
 *              prints nothing from then on. A host with PETSc on several ranks starts it itself.
 *   environment  written while PETSc, SuiteSparseQR and SUNDIALS are loaded and started, the first time that one is
 *              needed, and then as it was; no other thread should touch it while that solver or rank is made.
 *   OpenBLAS   runs in one thread afterwards: sums must not depend on how many there are.
 * Lua, GSL and SUNDIALS are parts of the library and share nothing with those of a host.
 * The locale is left alone and does not matter: numbers are read and written with a point.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HOLONOM_H
#define HOLONOM_H

#include "base.h"
#include "bodies.h"
#include "contact.h"
#include "elementary.h"
#include "forces.h"
#include "joints.h"
#include "model.h"
#include "run.h"
#include "solver.h"
#include "state.h"
#include "system.h"

#endif
