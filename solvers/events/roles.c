/* roles.c - reports the contact modes of blocks to the framework. */
#include "events/events_parts.h"

static hn_contact_mode mode_of(const hn_block *block, hn_row_mode role)
{
  if (role == HN_ROW_BROKEN) return HN_MODE_OPEN;
  if (role == HN_ROW_OPEN) return block->joint->set->kind == HN_WITHIN ? HN_MODE_STICKING : HN_MODE_OPEN;
  return role == HN_ROW_HELD ? HN_MODE_STICKING : HN_MODE_SLIDING;
}

void hn_block_modes_log(hn_solver *solver, const hn_block_mode *role, double time)
{
  const hn_system *s = solver->system;
  hn_contact_mode *mode = hn_events_modes(solver);
  for (int k = 0; mode && k < s->nblock; k++) mode[k] = mode_of(&s->block[k], role[k].role);
  hn_events_report_modes(solver, time, mode);
}
