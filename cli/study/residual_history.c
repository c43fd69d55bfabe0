/* residual_history.c - residuals of a contact solver over its iterations, in one step of a run. */
#include <string.h>
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/study/residual_history.h"

enum { MOST = 20000 }; /* residuals of a solution */

cli_history *cli_history_create(const hn_solver *solver, double at)
{
  hn_contact_solver *of = hn_solver_contact(solver);
  if (!of) return NULL;
  int room = 0;
  for (const hn_contact_solver *each = of; each && room < MOST; each = each->next)
    room = each->options.iterations < MOST - room ? room + each->options.iterations : MOST;
  cli_history *h = cli_alloc(1, sizeof *h);
  *h = (cli_history){ .of = of,
                      .solved = solver->system,
                      .room = room,
                      .at = at,
                      .residual = cli_alloc((size_t)room, sizeof *h->residual) };
  if (hn_contact_solver_remember(of, room, NULL) == 0) return h;
  cli_history_free(h);
  return NULL;
}

void cli_history_follow(cli_history *h, const hn_solver *solver)
{
  if (h->solved == solver->system) return;
  h->solved = solver->system, h->of = hn_solver_contact(solver);
  hn_contact_solver_remember(h->of, h->room, NULL); /* without memory it keeps none */
}

void cli_history_free(cli_history *h)
{
  if (!h) return;
  free(h->residual);
  free(h);
}

static bool is_wanted(const cli_history *h, double time)
{
  const hn_contact_solver *of = h->of;
  if (h->at > 0.0) return h->step == 0 && time >= h->at * (1.0 - 1e-12);
  if (h->step == 0 || of->iterations != h->iterations) return h->step == 0 || of->iterations > h->iterations;
  return of->error > h->error;
}

void cli_history_note(cli_history *h, long index, double time)
{
  const hn_contact_solver *of = h->of;
  if (!is_wanted(h, time)) return;
  h->step = index, h->time = time;
  h->iterations = of->iterations, h->error = of->error, h->count = of->kept;
  memcpy(h->residual, of->history, sizeof *h->residual * (size_t)of->kept);
}

void cli_history_write(const cli_history *h, FILE *out)
{
  fputs("iteration,residual\n", out);
  for (int i = 0; i < h->count; i++) fprintf(out, "%d,%.17g\n", i + 1, h->residual[i]);
}

json_t *cli_history_json(const cli_history *h)
{
  if (h->step == 0) return json_null();
  json_t *residuals = json_array();
  for (int i = 0; i < h->count; i++) json_array_append_new(residuals, cli_json_real(h->residual[i]));
  return json_pack("{s:I, s:o, s:i, s:o}", "step", (json_int_t)h->step, "time", cli_json_real(h->time),
                   "iterations", h->iterations, "residuals", residuals);
}
