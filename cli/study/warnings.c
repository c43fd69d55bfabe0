/* warnings.c - warnings about runs whose results are unreliable (doc/manual.md, "Warnings").
 *
 * An error of a tenth leaves no significant digit: of the energies in play, of the size of the mechanism, or
 * of the distance that its bodies have moved. Rates of joints are compared with both. A step that changes the
 * energy more than ten times as much as all others together has met a singular position, as a rule. The run
 * may then follow another motion, however small all other errors are. */
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/study_runs.h"
#include "base/vec.h"

static const double tenth = 0.1;            /* relative error without a significant digit */
static const double max_rise = 100.0;       /* energy that appeared, over the energies in play */
static const double jump_ratio = 10.0;      /* a jump of the energy over all other changes */
static const double min_jump = 1e-9;        /* a jump over the energies in play that is not rounding */
enum { MAX_WARNINGS = 13, MIN_STEPS = 10 }; /* MIN_STEPS: of a run whose jumps are judged */

static void warn(char **list, char *text)
{
  list[cli_strings_count(list)] = text;
}

/* Returns the longest distance of a body from its start, m. */
static double largest_displacement(const cli_outcome *o)
{
  double longest = 0.0;
  for (int i = 1; i < o->plan.scene->model->nbody; i++) {
    double distance[3];
    vec_sub(distance, o->state->pose[i].x, o->plan.scene->model->body[i].pose0.x);
    longest = fmax(longest, vec_norm(distance));
  }
  return longest;
}

static void check_energy(char **list, const hn_summary *s)
{
  double energies = s->energy_in_play;
  if (!(energies > 0.0)) return; /* energy is not conserved, or nothing moves */
  if (s->energy_error_max > tenth * energies)
    warn(list, cli_text("the energy error is %.0f %% of the energies in play, %.3g J",
                        100.0 * s->energy_error_max / energies, energies));
  if (s->steps >= MIN_STEPS && s->energy_jump > jump_ratio * s->energy_changes &&
      s->energy_jump > min_jump * energies)
    warn(
      list,
      cli_text(
        "the energy jumps by %.2g J in the step to t = %.6g s and changes by %.2g J in all others together: "
        "the motion after it may be a different one",
        s->energy_jump, s->energy_jump_time, s->energy_changes));
}

/* Warns of bodies that turn by more than half a turn in a step. Solvers that control their error are right
 * nevertheless, and so are bodies without joints and contacts. */
static void check_turns(char **list, const cli_outcome *o)
{
  const hn_summary *s = &o->summary;
  const hn_model *model = o->plan.scene->model;
  const double turn = s->spin * s->last_step, half = 3.14159265358979323846;
  if (o->solver->type->capabilities & HN_CONTROLS_ERROR ||
      (model->njoint == 0 && model->max_contacts == 0 && !model->compliant))
    return;
  if (turn > half)
    warn(list,
         cli_text("a body turns by %.3g rad in a step: its joints and contacts are not resolved; half a turn "
                  "takes %.3g s",
                  turn, half / s->spin));
}

/* Returns the radius of the smallest shape of a body that moves, m; infinite without one. */
static double smallest_reach(const hn_model *model)
{
  double smallest = HUGE_VAL;
  for (const hn_collider *c = model->collider; c < model->collider + model->ncollider; c++)
    if (c->group && model->body[c->body].kind != HN_FIXED) smallest = fmin(smallest, c->reach);
  return smallest;
}

/* Warns of shapes that have passed into each other, and of energy out of nothing. */
static void check_contacts(char **list, const cli_outcome *o)
{
  const hn_summary *s = &o->summary;
  const double reach = smallest_reach(o->plan.scene->model);
  if (s->collides && s->contact.penetration > reach)
    warn(list, cli_text(
                 "shapes penetrate each other by up to %.3g m, more than the radius of the smallest, %.3g m: "
                 "use a smaller step",
                 s->contact.penetration, reach));
  if (s->energy_rise > max_rise * s->energy_supply && s->energy_supply > 0.0)
    warn(list,
         cli_text("the energy rises by %.3g J, %.2g times the energies in play, and nothing adds any: use a "
                  "smaller step",
                  s->energy_rise, s->energy_rise / s->energy_supply));
}

/* Warns of shapes that overlap at the start by more than the contact margin. */
static void check_overlap(char **list, const hn_model *model)
{
  const hn_overlap *overlap = &model->overlap;
  if (overlap->depth > model->margin)
    warn(list, cli_text("bodies \"%s\" and \"%s\" overlap by %.3g m at the start",
                        model->body[overlap->a].name, model->body[overlap->b].name, overlap->depth));
}

/* Warns of an axis_angle beyond a full turn. */
static void check_angle(char **list, const hn_scene *scene)
{
  if (scene->widest_angle != 0.0)
    warn(list, cli_text("an axis_angle turns by %.6g rad, more than a full turn: is it in degrees? Write "
                        "math.rad(%.6g)",
                        scene->widest_angle, scene->widest_angle));
}

bool cli_outcome_law(const cli_outcome *o, char *text, size_t size)
{
  hn_contact_law law;
  if (o->solver) return hn_solver_contact_law(o->solver, &law, text, size);
  return hn_contact_solver_law(NULL, false, text, size);
}

/* Warns of a law of contact other than Coulomb's, as a run that meets it converges. */
static void check_law(char **list, const cli_outcome *o)
{
  char law[64];
  if (!o->summary.collides || cli_outcome_law(o, law, sizeof law)) return;
  if (isnan(o->summary.contact.own_residual))
    warn(list, cli_text("its contact solver solves another law than Coulomb's, %s", law));
  else
    warn(list,
         cli_text(
           "its contact solver solves another law than Coulomb's, %s: residual %.2g m/s of that law, %.2g "
           "m/s of Coulomb's",
           law, o->summary.contact.own_residual, o->summary.contact.residual));
}

char **cli_warnings(const cli_outcome *o)
{
  const hn_summary *s = &o->summary;
  char **list = cli_alloc(MAX_WARNINGS + 1, sizeof *list);
  if (o->solver && s->reason == HN_CONVERGED) {
    double distance = fmax(s->size, largest_displacement(o));
    /* Energy and joints */
    check_energy(list, s);
    if (s->position_max > tenth * s->size)
      warn(list, cli_text("joints are off by up to %.0f %% of the size of the mechanism, %.3g m",
                          100.0 * s->position_max / s->size, s->size));
    if (s->slip > tenth)
      warn(list,
           cli_text("the rates of joints are off by %.0f %% of what the mechanism has moved and its size",
                    100.0 * s->slip));
    /* Contacts */
    check_turns(list, o);
    check_contacts(list, o);
    check_law(list, o);
    check_overlap(list, o->plan.scene->model);
    check_angle(list, o->plan.scene);
    if (s->contradictions > 0)
      warn(list, cli_text("the law of contact was met no better than contact_limit, gaps or rounding allow, "
                          "%" PRIu64 " times: contacts contradict each other, or masses are far apart",
                          s->contradictions));
    if (s->time_stepped > 0)
      warn(list,
           cli_text("no smooth motion was found in %" PRIu64 " parts of steps, %.2g s in all: they are of "
                    "order 1, by time stepping",
                    s->time_stepped, s->time_stepped_s));
    if (s->capped > 0)
      warn(list,
           cli_text("speeds were cut to max_speed %" PRIu64 " times: momentum and energy were lost there",
                    s->capped));
    if (o->error[CLI_POSITION] > tenth * distance)
      warn(list,
           cli_text("the error is %.0f %% of the size of the mechanism, or of the way of its bodies, %.3g m",
                    100.0 * o->error[CLI_POSITION] / distance, distance));
  }
  return list;
}

char *cli_warning_of_reference(const cli_reference *reference, double size)
{
  if (!(reference->uncertainty > tenth * size)) return NULL;
  return cli_text(
    "the reference is uncertain by %.2g m, and the mechanism is %.3g m large: errors mean nothing",
    reference->uncertainty, size);
}
