/* residual_history.c - residuals over the iterations of a contact solver, in one step of a run. */
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/study/residual_history.h"

static const double time_rounding = 1e-12; /* relative error of the time after many steps */
enum { MAX_RESIDUALS = 20000 };            /* of a solution */

cli_history *cli_history_create(const hn_solver *solver, double at)
{
  hn_contact_solver *contact_solver = hn_solver_contact(solver);
  if (!contact_solver) return NULL;
  int capacity = 0;
  for (const hn_contact_solver *each = contact_solver; each && capacity < MAX_RESIDUALS; each = each->next)
    capacity = each->options.iterations < MAX_RESIDUALS - capacity ? capacity + each->options.iterations
                                                                   : MAX_RESIDUALS;
  cli_history *h = cli_alloc(1, sizeof *h);
  *h = (cli_history){ .contact_solver = contact_solver,
                      .system = solver->system,
                      .capacity = capacity,
                      .at = at,
                      .residual = cli_alloc((size_t)capacity, sizeof *h->residual) };
  if (hn_contact_solver_keep_history(contact_solver, capacity, NULL) == 0) return h;
  cli_history_free(h);
  return NULL;
}

void cli_history_follow(cli_history *h, const hn_solver *solver)
{
  if (h->system == solver->system) return;
  h->system = solver->system, h->contact_solver = hn_solver_contact(solver);
  hn_contact_solver_keep_history(h->contact_solver, h->capacity, NULL); /* without memory it records none */
}

void cli_history_free(cli_history *h)
{
  if (!h) return;
  free(h->residual);
  free(h);
}

/* True if the last step is the wanted one, or the worst so far. */
static bool is_wanted(const cli_history *h, double time)
{
  const hn_contact_solver *contact_solver = h->contact_solver;
  if (h->at > 0.0) return h->step == 0 && time >= h->at * (1.0 - time_rounding);
  if (h->step == 0 || contact_solver->iterations != h->iterations)
    return h->step == 0 || contact_solver->iterations > h->iterations;
  return contact_solver->error > h->error;
}

void cli_history_note(cli_history *h, long index, double time)
{
  const hn_contact_solver *contact_solver = h->contact_solver;
  if (!is_wanted(h, time)) return;
  h->step = index, h->time = time;
  h->iterations = contact_solver->iterations, h->error = contact_solver->error,
  h->count = contact_solver->kept;
  memcpy(h->residual, contact_solver->history, sizeof *h->residual * (size_t)contact_solver->kept);
}

json_t *cli_history_json(const cli_history *h)
{
  if (h->step == 0) return json_null();
  return json_pack("{s:I, s:o, s:i, s:o}", "step", (json_int_t)h->step, "time", cli_json_real(h->time),
                   "iterations", h->iterations, "residuals", cli_json_reals(h->residual, h->count));
}
