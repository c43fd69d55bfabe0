/* holonom.h - the public interface of Holonom, in the order of the data flow:
 *
 *   base.h     errors, parameters, directories
 *   bodies.h   bodies and shapes; joints.h: joints between bodies; forces.h: forces
 *   model.h    the model, built from bodies, joints and forces
 *   state.h    the state of a model, its measures, work counters
 *   system.h   the system: the interface between solvers and physics
 *   solver.h   solvers and plugins
 *   run.h      the step loop, its record, studies
 *   contact.h  the contact problem of one step, and contact solvers
 *
 * Not included here: parts.h, parts of steps for authors of solvers; scene.h, which loads scenes written in
 * Lua. elementary.h has sin, cos, ... whose bits do not depend on
 * the processor.
 *
 * SI units and radians; right-handed world axes. Vectors are in world axes unless their name ends in _b (body
 * axes). A quaternion (w, x, y, z) rotates body axes into world axes. A function that can fail returns 0 or a
 * valid index on success. On failure it returns -1 and writes one line of text into its hn_error.
 *
 * Effects of the library on a host program:
 *   MPI, PETSc   Started when a solver first needs them, unless the host has started them, and ended with the
 *                process. A host ends what it has started, after it has freed its solvers. After that,
 *                solvers that need PETSc are refused and steps of existing ones end as HN_INTERRUPTED. If the
 *                library starts PETSc, SuiteSparse prints nothing from then on. A host with PETSc on several
 *                ranks must start it itself.
 *   environment  Changed while PETSc, SuiteSparseQR and SUNDIALS are loaded and first started, then restored.
 *                No other thread may use it while such a solver or rank analysis is created.
 *   OpenBLAS     Set to one thread, because sums must not depend on the number of threads.
 * Lua, GSL and SUNDIALS are parts of the library and share nothing with those of the host. The library leaves
 * the locale alone and does not depend on it: numbers always have a decimal point.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HOLONOM_H
#define HOLONOM_H

#include "analysis.h"
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
#include "tree.h"

#endif
