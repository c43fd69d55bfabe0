/* solver_law.c - the law of contact that a solver of motion solves (solver.h). */
#include "contact.h"
#include "solver.h"

#include <string.h>

/* Returns a contact solver as in the settings of a solver that shows none; NULL if it has no such settings.
 * Free it. */
static hn_contact_solver *contact_solver_of_settings(const hn_solver *solver)
{
  hn_contact_options options = { .tolerance = 1.0, .iterations = 1 };
  hn_error error;
  const hn_param *p = solver->type->params;
  while (p->key && (strcmp(p->key, "contact") != 0 || p->kind != HN_TEXT)) p++;
  if (!p->key) return NULL;
  memcpy(&options.solver, (const char *)solver->data + p->offset, sizeof options.solver);
  return hn_contact_solver_for(solver->system, &options, &error);
}

bool hn_solver_contact_law(const hn_solver *solver, hn_contact_law *law, char *text, size_t size)
{
  const bool planar = solver->system->model->planar;
  const hn_contact_solver *shown = hn_solver_contact(solver);
  hn_contact_solver *own = shown ? NULL : contact_solver_of_settings(solver);
  const bool coulomb = hn_contact_solver_law(shown ? shown : own, planar, text, size);
  *law = hn_contact_solver_law_of(shown ? shown : own, planar);
  hn_contact_solver_free(own);
  return coulomb;
}
