/* roles.c - roles of blocks as they are told: what touches, and what of it slides. */
#include "events/events_parts.h"

static hn_grip grip_of(const hn_block *block, hn_role role)
{
  if (role == HN_ROLE_GONE) return HN_GRIP_NONE;
  if (role == HN_ROLE_OPEN) return block->joint->set->kind == HN_WITHIN ? HN_GRIP_STICKS : HN_GRIP_NONE;
  return role == HN_ROLE_HELD ? HN_GRIP_STICKS : HN_GRIP_SLIDES;
}

void hn_roles_tell(hn_solver *solver, const hn_block_role *role, double time)
{
  const hn_system *s = solver->system;
  hn_grip *grip = hn_events_grips(solver);
  for (int k = 0; grip && k < s->nblock; k++) grip[k] = grip_of(&s->block[k], role[k].role);
  hn_events_touch(solver, time, grip);
}
