/* system_parts.h - the private part of a system, in the lowest folder that reads it. Internal. */
#ifndef HN_SYSTEM_PARTS_H
#define HN_SYSTEM_PARTS_H

#include "system.h"

enum { HN_SHARED_SETS = 16 };

typedef struct hn_system_parts {
  struct hn_flight *flight;       /* NULL before hn_system_use_flight */
  struct hn_linear *linear;       /* NULL before hn_system_use_linear */
  struct hn_redundant *redundant; /* policy for a singular K; NULL: reported as HN_SINGULAR */
  double *inv_inertia;            /* [9 * nbody] R J^-1 R' in world axes, computed with T */
  /* [6 * nbody] forces and torques of the last hn_system_kick; empty if the model has no forces */
  double *wrench;
  hn_impact_law *impact_law; /* computes the targets in hn_system_list; NULL: the solver computes impacts */
  double *target;            /* [max_rows] required value of G u + bias; read only if `ntarget` is not 0 */
  int ntarget;               /* rows with a target other than 0 */
  /* [max_rows] active set: rows that are equations in K; other rows are decoupled, with impulse 0 */
  bool *held;
  int nreleased;                  /* number of rows that are not held */
  double shift;                   /* see hn_system_set_shift */
  const double *compliance;       /* [nrow] see hn_system_set_compliance; NULL: none */
  bool chooses_modes;             /* see hn_system_choose_modes */
  bool omits_responses;           /* see hn_system_omit_responses */
  bool factored;                  /* see hn_system_is_factored */
  struct hn_collision *collision; /* NULL if the model has no shapes that collide */
  /* [model->max_contacts] geometry of the contacts; NULL if there are none */
  struct hn_contact_joint *contact_joint;
  /* Sets of the contacts: few have different coefficients, and share them. [model->max_contacts] own sets of
   * contacts that find no room there; their memory is not touched before */
  hn_set shared_set[HN_SHARED_SETS], *own_set;
  int nshared_set;
  int ncontact;
  uint64_t listing; /* see hn_system_contact_version */
  int *asymmetric;  /* [nasymmetric] asymmetric bodies; NULL before hn_system_list_asymmetric */
  int nasymmetric;
  /* The last hn_system_factor found K singular, or the last hn_system_solve an inconsistent right-hand
   * side. */
  bool is_singular;
  void *sweeps;  /* hn_contact_solver.shared */
  int roundings; /* contact problems of the step that were solved to the level of rounding only */
} hn_system_parts;

#endif
