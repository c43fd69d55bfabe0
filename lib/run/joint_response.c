/* joint_response.c - instantaneous response of joints to a change of velocities (joint_response.h). */
#include "run/joint_response.h"

hn_system *hn_joint_response_create(const hn_model *model, hn_error *error)
{
  const hn_linear_options options = { .backend = "ldl", .petsc = "", .redundancy = HN_REMOVE };
  hn_system *s = hn_system_create(model, error);
  if (!s || hn_system_use_linear(s, &options, error) == 0) return s;
  hn_system_free(s);
  return NULL;
}

hn_reason hn_joint_response(hn_system *s, double *b, hn_state *state)
{
  hn_reason reason = hn_system_factor(s);
  if (reason == HN_CONVERGED) reason = hn_system_solve(s, b, b);
  if (reason == HN_CONVERGED) hn_system_apply(s, b, 1.0, state);
  return reason;
}
