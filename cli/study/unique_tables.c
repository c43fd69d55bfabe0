/* unique_tables.c - tables of forces that are not unique at the end of a comparison, for each solver. */
#include <math.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/base/text_table.h"
#include "cli/study/comparison.h"
#include "cli/study/unique.h"

enum { MAX_SHOWN = 24 }; /* forces in a table */

/* True if a run has forces to compare. */
typedef bool has_forces(const cli_outcome *outcome);

static bool has_joint_forces(const cli_outcome *o)
{
  return o->summary.reason == HN_CONVERGED && cli_outcome_has_forces(o);
}

static bool has_contact_forces(const cli_outcome *o)
{
  return o->solver && o->summary.reason == HN_CONVERGED && o->summary.collides;
}

static const cli_outcome *first_of(const cli_comparison *c, has_forces *is_included)
{
  for (size_t i = 0; i < c->count; i++)
    if (is_included(&c->outcome[i])) return &c->outcome[i];
  return NULL;
}

/* Creates the table. A narrow screen drops the columns of the last solvers, never of the first one. */
static cli_table *create_table(const cli_comparison *c, const char *name, has_forces *is_included)
{
  char *titles = cli_text("<%s not unique|row|undetermined", name);
  for (size_t i = 0, rank = c->count; i < c->count; i++) {
    if (!is_included(&c->outcome[i])) continue;
    cli_append(&titles, "|%s", c->outcome[i].plan.solver);
    if (rank < c->count) cli_append(&titles, "~%zu", rank);
    rank--;
  }
  cli_table *table = cli_table_create(titles);
  free(titles);
  return table;
}

static void add_undetermined(cli_table *table, const hn_rank *rank, int row)
{
  cli_cell_real(table, "%.4f", rank->measured ? rank->undetermined[row] : NAN);
}

static void print(cli_table *table, int more, bool markdown, FILE *out)
{
  (markdown ? cli_table_markdown : cli_table_print)(table, out);
  if (more > 0) fprintf(out, "and %d more\n", more);
  if (markdown) fputc('\n', out);
}

/* ---- Joints -------------------------------------------------------------------------------------------- */

static void add_joint(cli_table *table, const cli_comparison *c, const hn_rank *rank, const hn_joint *joint,
                      int r)
{
  cli_cell(table, "%s", joint->name);
  cli_cell(table, "%d of %d", r + 1, joint->type->rows);
  add_undetermined(table, rank, joint->row + r);
  for (size_t i = 0; i < c->count; i++)
    if (has_joint_forces(&c->outcome[i]))
      cli_cell_real(table, "%.6g", c->outcome[i].solver->multipliers[joint->row + r]);
}

static void print_joints(const cli_comparison *c, const hn_rank *rank, bool markdown, FILE *out)
{
  const hn_model *model = c->scene->model;
  cli_table *table = create_table(c, "force", has_joint_forces);
  int shown = 0, more = 0;
  for (int j = 0; j < model->njoint; j++)
    for (int r = 0; r < model->joint[j].type->rows; r++) {
      if (hn_rank_unique(rank, model->joint[j].row + r)) continue;
      if (shown < MAX_SHOWN) add_joint(table, c, rank, &model->joint[j], r), shown++;
      else more++;
    }
  print(table, more, markdown, out);
}

static void print_redundant_joints(const cli_comparison *c, bool markdown, FILE *out)
{
  const cli_outcome *first = first_of(c, has_joint_forces);
  hn_rank *rank = first ? cli_rank_at(c->scene->model, first->state, NULL) : NULL;
  if (rank && rank->rank < rank->rows) {
    const char *heading = markdown ? "## Redundant constraints\n\n" : "\n";
    fprintf(out,
            "%s%d constraints, rank %d. Joint forces at the end that are not unique, in N and N m, with "
            "their\nundetermined part: 0 is unique, 1 not determined at all.\n\n",
            heading, rank->rows, rank->rank);
    print_joints(c, rank, markdown, out);
  }
  hn_rank_free(rank);
}

/* ---- Contacts ------------------------------------------------------------------------------------------ */

/* Active contacts as equations beside those of the joints: normal rows with an impulse, and friction rows of
 * sticking contacts. Friction of a sliding contact follows from its normal impulse. */
typedef struct equations {
  hn_system *system;
  hn_state *state; /* state with its contacts */
  hn_rank *rank;   /* NULL: there are no contacts, or no memory */
} equations;

static const double stick_part = 1.0 - 1e-6; /* friction below this part of its cone sticks */
static const double stick_velocity = 1e-6;   /* m/s: slower contacts stick */

static const hn_block *block_of(const equations *t, int contact)
{
  return &t->system->block[t->system->model->njoint + contact];
}

/* Holds the active rows of contact I: normal with an impulse, friction if it sticks. Moments of rolling and
 * torsional friction are not held. V: rates of rows. */
static void hold_contact(equations *t, int i, const double *v)
{
  const hn_contact *c = &t->state->contact[i];
  const hn_block *block = block_of(t, i);
  const int tangents = block->n < 3 ? block->n - 1 : 2;
  const double *p = c->impulse, friction[2] = { p[1], p[2] / (1.0 - c->anisotropy) };
  const double slip = norm_of(v + block->row + 1, tangents);
  const bool acts = p[0] > 0.0;
  const bool sticks = norm_of(friction, 2) < stick_part * c->friction * p[0] || slip < stick_velocity;
  for (int r = 0; r < block->n; r++)
    hn_system_hold(t->system, block->row + r, acts && (r == 0 || (sticks && r <= tangents)));
}

/* Determines equations and rank at STATE, with the impulses of its last step. Free them in either case. */
static void find_equations(equations *t, const hn_model *model, const hn_state *state)
{
  if (state->ncontact == 0 || !(t->state = hn_state_duplicate(state)) ||
      !(t->system = hn_system_create(model, NULL)) || hn_system_begin(t->system, t->state) != HN_CONVERGED)
    return;
  double *v = cli_alloc((size_t)t->system->nrow + 1, sizeof *v);
  for (int i = 0; i < t->system->nrow; i++) hn_system_hold(t->system, i, true);
  hn_system_jacobian(t->system, t->state);
  hn_system_velocity_residual(t->system, t->state, v, NULL);
  for (int i = 0; i < t->state->ncontact; i++) hold_contact(t, i, v);
  free(v);
  t->rank = hn_rank_create(t->system, HN_RANK_AUTO, NULL);
}

/* Returns a contact force, from the impulse of the last step; NAN if the solver has no such contact. */
static double force_of(const cli_outcome *o, uint64_t key, int r)
{
  const double h = o->summary.last_step > 0.0 ? o->summary.last_step : o->plan.step;
  for (int i = 0; i < o->state->ncontact; i++)
    if (o->state->contact[i].key == key) return o->state->contact[i].impulse[r] / h;
  return NAN;
}

static void add_contact(cli_table *table, const cli_comparison *c, const equations *t, int i, int r)
{
  static const char *const row[] = { "normal", "friction 1", "friction 2" };
  const hn_contact *contact = &t->state->contact[i];
  const hn_body *body = c->scene->model->body;
  int number = 1;
  for (int k = 0; k < i; k++) number += contact[k - i].a == contact->a && contact[k - i].b == contact->b;
  cli_cell(table, "%s - %s, %d", body[contact->a].name, body[contact->b].name, number);
  cli_cell(table, "%s", row[r]);
  add_undetermined(table, t->rank, block_of(t, i)->row + r);
  for (size_t k = 0; k < c->count; k++)
    if (has_contact_forces(&c->outcome[k]))
      cli_cell_real(table, "%.6g", force_of(&c->outcome[k], contact->key, r));
}

static void print_contacts(const cli_comparison *c, const equations *t, bool markdown, FILE *out)
{
  cli_table *table = create_table(c, "contact force", has_contact_forces);
  int shown = 0, more = 0;
  for (int i = 0; i < t->state->ncontact; i++)
    for (int r = 0; r < block_of(t, i)->n && r < 3; r++) { /* moments are not shown */
      if (hn_rank_unique(t->rank, block_of(t, i)->row + r)) continue;
      if (shown < MAX_SHOWN) add_contact(table, c, t, i, r), shown++;
      else more++;
    }
  print(table, more, markdown, out);
}

static void print_redundant_contacts(const cli_comparison *c, bool markdown, FILE *out)
{
  equations t = { .rank = NULL };
  const cli_outcome *first = first_of(c, has_contact_forces);
  if (first) find_equations(&t, cli_outcome_model(first), first->state);
  if (t.rank && t.rank->rank < t.rank->rows) {
    cli_print_wrapped(
      out,
      "%sActive normal and sticking rows, with the joints: %d equations, rank %d. Contact forces at "
      "the end that are not unique, in N, for the contacts of %s, with their undetermined part: 0 is "
      "unique, 1 not determined at all.\n\n",
      markdown ? "## Redundant contacts\n\n" : "\n", t.rank->rows, t.rank->rank, first->plan.solver);
    print_contacts(c, &t, markdown, out);
  }
  hn_rank_free(t.rank);
  hn_system_free(t.system);
  hn_state_free(t.state);
}

void cli_comparison_unique(const cli_comparison *c, bool markdown, FILE *out)
{
  print_redundant_joints(c, markdown, out);
  print_redundant_contacts(c, markdown, out);
}
