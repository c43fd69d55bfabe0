/* solver_history.c - the history of a contact solver's iterations. */
#include "contact.h"

#include <stdlib.h>

void hn_contact_note(hn_contact_solver *solver, double error)
{
  solver->iterations++;
  solver->error = error;
  if (solver->kept < solver->room) solver->history[solver->kept++] = error;
}

int hn_contact_solver_keep_history(hn_contact_solver *solver, int room, hn_error *error)
{
  double *history = calloc((size_t)room + 1, sizeof *history);
  if (!history) return hn_fail(error, "no memory for a history of %d iterations", room);
  free(solver->history);
  solver->history = history;
  solver->room = room, solver->kept = 0;
  return 0;
}
