/* breakage.h - joints that break in the motion between events. Internal. */
#ifndef HN_EVENTS_BREAKAGE_H
#define HN_EVENTS_BREAKAGE_H

#include "events/events_parts.h"

/* Joints that can break. The margin of a joint is 1 less its load divided by its breakage load. */
typedef struct hn_breakage {
  int count;
  int *joint; /* [count] joints that can break */
  bool *gone; /* [njoint] broken in this step, or beside such a joint */
  /* [count] the margin is negative at the end of the search: its root is located without the rounding
   * tolerance */
  bool *yields;
  double *margin, *force; /* [count] margins at the last evaluation, and the force or torque, N, N m */
  double *rate;           /* [count] 1/s */
  hn_state *ahead;
  hn_twist *acceleration; /* [nbody] */
  hn_arrays arrays;
} hn_breakage;

int hn_breakage_setup(const hn_model *model, hn_breakage *breakage, hn_error *error);
void hn_breakage_free(hn_breakage *breakage);
/* Appends the margins at STATE as event functions. MODE has led from FROM to STATE in H seconds. RATES: with
 * their rates, unless a margin is negative. */
hn_reason hn_breakage_list(hn_breakage *breakage, const hn_system *system, hn_mode *mode,
                           const hn_state *from, const hn_state *state, double h, bool rates,
                           hn_event_list *list);
/* Breaks the joints whose margins at STATE, in MODE, are negative, or zero if STATE is AT_ROOT. BROKE: a
 * joint has broken. */
hn_reason hn_breakage_apply(hn_solver *solver, hn_breakage *breakage, hn_mode *mode, const hn_state *state,
                            bool at_root, bool *broke);

#endif
