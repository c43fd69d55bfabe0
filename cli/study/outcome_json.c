/* outcome_json.c - JSON of a run, used by every command. Keys and their order are part of the interface. Only
 * "cost" may differ between two runs. */
#include <string.h>
#include "cli/base/file_hash.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/bodies_json.h"
#include "cli/study/outcome_json.h"
#include "cli/study/study_runs.h"
#include "cli/study/unique.h"

static json_t *integer(uint64_t value)
{
  return json_integer((json_int_t)value);
}

static json_t *choice_word(const char *choices, int index)
{
  for (; index > 0 && *choices; index--) {
    choices += strcspn(choices, ",");
    choices += *choices == ',';
  }
  char *word = cli_text("%.*s", (int)strcspn(choices, ","), choices);
  json_t *string = cli_json_string(word);
  free(word);
  return string;
}

json_t *cli_json_setting(const hn_param *param, const void *data)
{
  const char *at = (const char *)data + param->offset;
  double real;
  int whole, pair[2];
  const char *text;
  switch (param->kind) {
  case HN_PAIR: memcpy(pair, at, sizeof pair); return json_pack("[i, i]", pair[0], pair[1]);
  case HN_REAL: memcpy(&real, at, sizeof real); return cli_json_real(real);
  case HN_INTEGER: memcpy(&whole, at, sizeof whole); return json_integer(whole);
  case HN_FLAG: memcpy(&whole, at, sizeof whole); return json_boolean(whole);
  case HN_CHOICE: memcpy(&whole, at, sizeof whole); return choice_word(param->choices, whole);
  default: memcpy(&text, at, sizeof text); return cli_json_string(text ? text : "");
  }
}

static json_t *scene_value(const char *text)
{
  double number;
  return cli_parse_number(text, &number) && !strchr(text, '/') ? cli_json_real(number)
                                                               : cli_json_string(text);
}

json_t *cli_json_parameters(const hn_scene *scene)
{
  json_t *parameters = json_object();
  for (size_t i = 0; i < scene->nparam; i++)
    json_object_set_new(parameters, scene->param[i].name, scene_value(scene->param[i].value));
  return parameters;
}

json_t *cli_json_options(const cli_outcome *outcome)
{
  const hn_solver *solver = outcome->solver;
  json_t *parameters = cli_json_parameters(outcome->plan.scene), *settings = json_object();
  for (const hn_param *p = solver ? solver->type->params : NULL; p && p->key; p++)
    json_object_set_new(settings, p->key, cli_json_setting(p, solver->data));
  return json_pack("{s:o, s:o}", "scene", parameters, "solver", settings);
}

static json_t *work_json(const cli_outcome *outcome)
{
  const hn_work *work = &outcome->summary.work;
  const hn_range *impulses = &outcome->summary.impulses;
  const bool collides = outcome->summary.collides;
  json_t *per_step = json_pack("{s:o, s:o, s:o}", "min", integer(impulses->min), "mean",
                               cli_json_real(cli_outcome_impulses(outcome)), "max", integer(impulses->max));
  return json_pack(
    "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*, s:o*, s:o*}", "residuals",
    integer(work->residuals), "jacobians", integer(work->jacobians), "jets", integer(work->jets),
    "velocity_residuals", integer(work->velocity_residuals), "accelerations", integer(work->accelerations),
    "flights", integer(work->flights), "sweeps", integer(work->sweeps), "impulses", integer(work->impulses),
    "forces", integer(work->forces), "factorisations", integer(work->factorisations), "solves",
    integer(work->solves), "detections", integer(work->detections), "impulses_per_step", per_step, "pairs",
    collides ? integer(work->pairs) : NULL, "contact_points", collides ? integer(work->manifolds) : NULL,
    "contact_iterations", collides ? integer(work->contact_iterations) : NULL);
}

static json_t *coordinates_json(const hn_joint *joint, const hn_state *state)
{
  json_t *all = json_object();
  for (int i = 0; i < hn_joint_coordinates(joint); i++) {
    double value, rate;
    hn_joint_coordinate(joint, i, state, &value, &rate);
    json_object_set_new(all, joint->type->coordinates[i]->name,
                        json_pack("{s:o, s:o}", "value", cli_json_real(value), "rate", cli_json_real(rate)));
  }
  return all;
}

/* Adds the force and torque on body b of the joint, and the multiplier of each row. */
static void add_reaction(json_t *to, const cli_outcome *outcome, const hn_joint *joint, const hn_rank *rank)
{
  double force[3], torque[3];
  const double *multipliers = outcome->solver->multipliers + joint->row;
  hn_joint_reaction(joint, outcome->state, multipliers, force, torque);
  json_object_set_new(to, "force", cli_json_reals(force, 3));
  json_object_set_new(to, "torque", cli_json_reals(torque, 3));
  json_object_set_new(to, "multipliers", cli_json_reals(multipliers, joint->type->rows));
  json_object_set_new(to, "unique", json_boolean(!rank || cli_force_unique(rank, joint)));
}

static bool has_coordinates(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (hn_joint_coordinates(&model->joint[j]) > 0) return true;
  return false;
}

static json_t *joints_json(const cli_outcome *outcome)
{
  const hn_model *model = cli_outcome_model(outcome);
  json_t *joints = json_array();
  hn_rank *rank = cli_may_have_nonunique_forces(outcome) ? cli_rank_at(model, outcome->state, NULL) : NULL;
  for (const hn_joint *joint = model->joint; joint < model->joint + model->njoint; joint++) {
    json_t *one = json_pack("{s:o, s:o}", "name", cli_json_string(joint->name), "coordinates",
                            coordinates_json(joint, outcome->state));
    if (cli_outcome_has_forces(outcome)) add_reaction(one, outcome, joint, rank);
    json_array_append_new(joints, one);
  }
  hn_rank_free(rank);
  return joints;
}

json_t *cli_json_solver(const cli_outcome *outcome)
{
  char *name = cli_solver_name(outcome->plan.solver);
  json_t *string = cli_json_string(name);
  free(name);
  return string;
}

/* Describes the projection of the start; NULL: there was none. */
static json_t *start_json(const hn_projection *done)
{
  if (!done->done) return NULL;
  return json_pack("{s:o, s:o, s:o, s:i}", "position_error", cli_json_real(done->position), "velocity_error",
                   cli_json_real(done->velocity), "moved", cli_json_real(done->moved), "steps", done->steps);
}

static json_t *event_json(const hn_event *event, const hn_model *model)
{
  json_t *bodies = json_pack("[o, o]", cli_json_string(model->body[event->a].name),
                             cli_json_string(model->body[event->b].name));
  json_t *joint = event->joint ? cli_json_string(event->joint) : json_null();
  const char *kind = hn_event_name(event->kind);
  return json_pack("{s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "time", cli_json_real(event->time),
                   "kind", kind, "bodies", bodies, "joint", joint, "impulse", cli_json_real(event->impulse),
                   "friction", cli_json_real(event->friction), "force", cli_json_real(event->force), "until",
                   cli_json_real(event->until), "angular", cli_json_real(event->angular));
}

/* Counts events by kind, and lists them if they were kept. */
static json_t *events_json(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  json_t *kinds = json_object(), *list = outcome->plan.list_events ? json_array() : NULL;
  uint64_t count = 0;
  for (int k = 0; k < HN_EVENT_KINDS; k++) {
    json_object_set_new(kinds, hn_event_name((hn_event_kind)k), integer(s->events[k]));
    count += s->events[k];
  }
  for (size_t i = 0; i < outcome->nevent && list; i++)
    json_array_append_new(list, event_json(&outcome->event[i], cli_outcome_model(outcome)));
  return json_pack("{s:o, s:o, s:o, s:o, s:o*}", "count", integer(count), "lost", integer(s->events_lost),
                   "changes", integer(s->changes), "kinds", kinds, "list", list);
}

static json_t *contact_json(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  char law[64];
  cli_outcome_law(outcome, law, sizeof law);
  return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "law", law, "count_max", s->contact.contacts,
                   "penetration_max", cli_json_real(s->contact.penetration), "residual_max",
                   cli_json_real(s->contact.residual), "own_residual_max",
                   cli_json_real(s->contact.own_residual), "balance_max", cli_json_real(s->contact.balance),
                   "cone_excess_max", cli_json_real(s->contact.cone_excess), "energy_gain_max",
                   cli_json_real(s->energy_gain));
}

static json_t *warnings_json(const cli_outcome *outcome)
{
  json_t *array = json_array();
  char **text = cli_warnings(outcome);
  for (size_t i = 0; text[i]; i++) json_array_append_new(array, cli_json_string(text[i]));
  cli_strings_free(text);
  return array;
}

json_t *cli_json_cost(const cli_outcome *outcome)
{
  return json_pack("{s:o, s:o}", "wall_s", cli_json_real(outcome->summary.wall_s), "us_per_step",
                   cli_json_real(cli_outcome_us_per_step(outcome)));
}

json_t *cli_json_quantities(const double value[CLI_QUANTITIES])
{
  return json_pack("{s:o, s:o, s:o, s:o}", "position", cli_json_real(value[CLI_POSITION]), "orientation",
                   cli_json_real(value[CLI_ORIENTATION]), "velocity", cli_json_real(value[CLI_VELOCITY]),
                   "force", cli_json_real(value[CLI_FORCE]));
}

static json_t *head_json(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  return json_pack("{s:o, s:o, s:o, s:o*, s:o, s:I, s:o, s:o*, s:s, s:o*}", "scene",
                   cli_json_string(outcome->plan.scene->name), "solver", cli_json_solver(outcome), "options",
                   cli_json_options(outcome), "start", start_json(&outcome->plan.scene->model->projection),
                   "step", cli_json_real(outcome->plan.step), "steps", (json_int_t)s->steps, "time",
                   cli_json_real(s->time), "last_step",
                   cli_outcome_short_step(outcome) > 0.0 ? cli_json_real(s->last_step) : NULL, "reason",
                   hn_reason_name(s->reason), "explanation",
                   s->reason != HN_CONVERGED ? cli_json_string(s->explanation) : NULL);
}

/* Returns the step control of a run with error_tolerance, else NULL. */
static json_t *control_json(const hn_error_summary *c)
{
  if (!(c->tolerance > 0.0)) return NULL;
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o*}", "tolerance", cli_json_real(c->tolerance),
                   "estimate", cli_json_real(c->estimate), "local", cli_json_real(c->local), "shortest",
                   cli_json_real(c->shortest), "accepted", integer(c->accepted), "rejected",
                   integer(c->rejected), "pilots", integer(c->pilots), "why",
                   *c->why ? json_string(c->why) : NULL);
}

/* Returns the JSON of the parts of steps that were time-stepped; NULL: none. */
static json_t *time_stepped_json(const hn_summary *s)
{
  if (s->time_stepped == 0) return NULL;
  return json_pack("{s:o, s:o}", "parts", integer(s->time_stepped), "seconds",
                   cli_json_real(s->time_stepped_s));
}

static json_t *measures_json(const cli_outcome *outcome)
{
  const hn_summary *s = &outcome->summary;
  json_t *joint_error = json_pack("{s:o, s:o}", "position_max", cli_json_real(s->position_max),
                                  "velocity_max", cli_json_real(s->velocity_max));
  json_t *energy = json_pack("{s:o, s:o, s:o, s:b}", "initial", cli_json_real(s->energy_initial), "final",
                             cli_json_real(s->energy_final), "error_max", cli_json_real(s->energy_error_max),
                             "conserved", (int)s->energy_conserved);
  json_t *iterations = json_pack(
    "{s:o, s:i, s:o, s:I}", "position_mean", cli_json_real(s->position_iterations_mean), "position_max",
    s->position_iterations_max, "velocity_mean", cli_json_real(s->velocity_iterations_mean), "halvings",
    (json_int_t)s->halvings);
  return json_pack(
    "{s:o, s:o, s:o, s:o, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*, s:o}", "error",
    cli_json_real(outcome->error[CLI_POSITION]), "errors", cli_json_quantities(outcome->error), "joint_error",
    joint_error, "energy", energy, "contact", s->collides ? contact_json(outcome) : NULL, "events",
    s->eventful ? events_json(outcome) : NULL, "asleep", s->asleep > 0 ? json_integer(s->asleep) : NULL,
    "speeds_cut", s->capped > 0 ? integer(s->capped) : NULL, "contradictions",
    s->contradictions > 0 ? integer(s->contradictions) : NULL, "time_stepped", time_stepped_json(s),
    "rounding_steps", s->rounding_steps > 0 ? integer(s->rounding_steps) : NULL, "error_control",
    control_json(&s->control), "iterations", iterations);
}

/* Returns the JSON of a run, with an empty list BODIES, which it owns. */
static json_t *without_bodies(const cli_outcome *outcome, json_t *bodies)
{
  const bool has_joints = cli_outcome_has_forces(outcome) || has_coordinates(cli_outcome_model(outcome));
  json_t *root = head_json(outcome);
  char *hash = cli_hash_text(outcome->summary.hash);
  cli_json_merge(root, measures_json(outcome));
  cli_json_merge(root, json_pack("{s:o, s:o, s:s, s:o, s:o*, s:o*, s:o}", "warnings", warnings_json(outcome),
                                 "work", work_json(outcome), "hash", hash, "bodies", bodies, "joints",
                                 has_joints ? joints_json(outcome) : NULL, "at",
                                 outcome->states ? cli_states_at_json(outcome->states) : NULL, "cost",
                                 cli_json_cost(outcome)));
  free(hash);
  return root;
}

/* Appends the bodies at the end of the run to BODIES. */
static void add_bodies(const cli_outcome *outcome, json_t *bodies)
{
  json_t *all = cli_json_bodies(cli_outcome_model(outcome), outcome->state);
  json_array_extend(bodies, all);
  json_decref(all);
}

json_t *cli_json_outcome(const cli_outcome *outcome)
{
  json_t *bodies = json_array(), *root = without_bodies(outcome, bodies);
  add_bodies(outcome, bodies);
  return root;
}

json_t *cli_json_last(cli_outcome *outcome)
{
  json_t *bodies = json_array(), *root = without_bodies(outcome, bodies);
  if (cli_outcome_model(outcome) == outcome->plan.scene->model) {
    hn_solver_free(outcome->solver);
    outcome->solver = NULL;
  }
  add_bodies(outcome, bodies);
  return root;
}
