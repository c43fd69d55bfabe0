/* unique.c - joint forces that are not unique: where constraints repeat each other only sums of forces are known, and
 * what a method reports of the single ones is its own choice. */
#include <math.h>
#include <string.h>
#include "cli.h"

enum { SHOWN = 24 };

hn_rank *cli_rank_at(const hn_model *model, const hn_state *state, hn_error *error)
{
  hn_system *system = hn_system_create(model, error);
  if (!system) return NULL;
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_AUTO, error);
  hn_system_free(system);
  return rank;
}

/* A method without a policy has solved with a regular K: its forces are unique. */
bool cli_forces_may_vary(const cli_outcome *outcome)
{
  if (!outcome->solver || !(outcome->solver->type->capabilities & HN_HAS_MULTIPLIERS)) return false;
  const char *policy = strstr(outcome->solver->spec, "redundancy=");
  bool refuses = policy && strncmp(policy, "redundancy=error", strlen("redundancy=error")) == 0;
  return outcome->plan.scene->model->nrow > 0 && !refuses;
}

bool cli_force_unique(const hn_rank *rank, const hn_joint *joint)
{
  bool unique = true;
  for (int r = 0; r < joint->type->rows; r++) unique &= hn_rank_unique(rank, joint->row + r);
  return unique;
}

/* Forces to compare: those of runs that reached the end. */
static bool reports_forces(const cli_outcome *outcome)
{
  return outcome->solver && outcome->summary.reason == HN_CONVERGED &&
         outcome->solver->type->capabilities & HN_HAS_MULTIPLIERS;
}

static cli_table *head(const cli_comparison *c)
{
  char *titles = cli_text("<force not unique|row|how free");
  for (size_t i = 0; i < c->count; i++) {
    if (!reports_forces(&c->outcome[i])) continue;
    char *longer = cli_text("%s|%s", titles, c->outcome[i].plan.solver);
    free(titles);
    titles = longer;
  }
  cli_table *table = cli_table_create(titles);
  free(titles);
  return table;
}

static void add_row(cli_table *table, const cli_comparison *c, const hn_rank *rank, const hn_joint *joint, int r)
{
  cli_cell(table, "%s", joint->name);
  cli_cell(table, "%d of %d", r + 1, joint->type->rows);
  cli_cell_real(table, "%.4f", rank->measured ? rank->undetermined[joint->row + r] : NAN);
  for (size_t i = 0; i < c->count; i++)
    if (reports_forces(&c->outcome[i])) cli_cell_real(table, "%.6g", c->outcome[i].solver->multipliers[joint->row + r]);
}

static void print_forces(const cli_comparison *c, const hn_rank *rank, bool markdown, FILE *out)
{
  const hn_model *model = c->scene->model;
  cli_table *table = head(c);
  int shown = 0, more = 0;
  for (int j = 0; j < model->njoint; j++)
    for (int r = 0; r < model->joint[j].type->rows; r++) {
      if (hn_rank_unique(rank, model->joint[j].row + r)) continue;
      if (shown < SHOWN) add_row(table, c, rank, &model->joint[j], r), shown++;
      else more++;
    }
  (markdown ? cli_table_markdown : cli_table_print)(table, out);
  if (more > 0) fprintf(out, "and %d more\n", more);
  cli_table_free(table);
}

void cli_comparison_unique(const cli_comparison *c, bool markdown, FILE *out)
{
  size_t first = 0;
  while (first < c->count && !reports_forces(&c->outcome[first])) first++;
  if (first == c->count) return;
  hn_rank *rank = cli_rank_at(c->scene->model, c->outcome[first].state, NULL);
  if (rank && rank->rank < rank->rows) {
    fprintf(out, "%s%d constraints, rank %d. Joint forces at the end that are not unique, in N and N m; how free they\n"
            "are: 0 is unique, 1 not known at all.\n\n", markdown ? "## Redundant constraints\n\n" : "\n", rank->rows,
            rank->rank);
    print_forces(c, rank, markdown, out);
    if (markdown) fputc('\n', out);
  }
  hn_rank_free(rank);
}
