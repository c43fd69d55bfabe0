/* view_messages.c - the JSON messages to clients. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/vec.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/page/page_model.h"
#include "cli/view/view_struct.h"

enum { PROTOCOL = 1 };

json_t *cli_hello_message(const cli_live_run *run)
{
  const hn_scene *scene = cli_session_world(run->session)->scene;
  return json_pack("{s:s, s:i, s:s, s:o, s:o}", "type", "hello", "protocol", PROTOCOL, "version",
                   hn_version(), "scene", cli_json_string(scene->name), "title",
                   cli_json_string(scene->summary));
}

/* ---- The model --------------------------------------------------------------------------------------- */

/* Bounds of the present scene: bodies, their shapes of finite size, joint points. */
static void find_bounds(const cli_session *s, double low[3], double high[3])
{
  const hn_model *model = cli_session_model(s);
  const hn_state *state = cli_session_world(s)->state;
  vec_set(low, DBL_MAX, DBL_MAX, DBL_MAX), vec_set(high, -DBL_MAX, -DBL_MAX, -DBL_MAX);
  for (int i = 1; i < model->nbody; i++)
    for (int k = 0; k < 3 && !model->body[i].gone; k++)
      low[k] = fmin(low[k], state->pose[i].x[k]), high[k] = fmax(high[k], state->pose[i].x[k]);
  for (int c = 0; c < model->ncollider; c++) {
    double from[3], to[3];
    const int body = model->collider[c].body;
    hn_collider_bounds(&model->collider[c], &state->pose[body], from, to);
    for (int k = 0; k < 3 && isfinite(model->collider[c].reach) && !model->body[body].gone; k++)
      low[k] = fmin(low[k], from[k]), high[k] = fmax(high[k], to[k]);
  }
  for (int j = 0; j < model->njoint; j++) {
    double x[3];
    quat_rotate(x, state->pose[model->joint[j].a].q, model->joint[j].point_a);
    vec_add(x, x, state->pose[model->joint[j].a].x);
    for (int k = 0; k < 3; k++) low[k] = fmin(low[k], x[k]), high[k] = fmax(high[k], x[k]);
  }
}

/* True if NAME is that of the force of a mouse spring. */
static bool is_mouse_spring(const cli_session *s, const char *name)
{
  return strncmp(name, "grip ", 5) == 0 && cli_world_find_spring(cli_session_world(s), name + 5) >= 0;
}

/* Returns the model without mouse springs, which change often. */
static json_t *build_model(const cli_session *s)
{
  const hn_model *of = cli_session_model(s);
  json_t *model = cli_page_model(of), *forces = json_object_get(model, "forces");
  for (size_t i = json_array_size(forces); i-- > 0;)
    if (is_mouse_spring(s, json_string_value(json_object_get(json_array_get(forces, i), "name"))))
      json_array_remove(forces, i);
  json_object_set_new(model, "nforce", json_integer((json_int_t)json_array_size(forces)));
  json_object_set_new(model, "collides", json_boolean(of->margin > 0.0));
  return model;
}

json_t *cli_model_message(cli_live_run *run, bool *changed)
{
  double low[3], high[3];
  json_t *model = build_model(run->session);
  char *text = json_dumps(model, JSON_COMPACT);
  *changed = !run->model || !text || strcmp(text, run->model) != 0;
  if (*changed) run->generation++;
  free(run->model);
  run->model = text;
  run->model_version = cli_session_model_version(run->session);
  find_bounds(run->session, low, high);
  return json_pack("{s:s, s:i, s:I, s:o, s:o, s:o}", "type", "model", "lane", run->number + 1, "generation",
                   (json_int_t)run->generation, "model", model, "low", cli_json_reals(low, 3), "high",
                   cli_json_reals(high, 3));
}

/* ---- The status -------------------------------------------------------------------------------------- */

static json_t *mouse_springs(const cli_session *s)
{
  json_t *list = json_array();
  const cli_world *w = cli_session_world(s);
  for (int i = 0; i < w->setup.nspring; i++) {
    const cli_mouse_spring *spring = &w->setup.spring[i];
    json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o}", "id", cli_json_string(spring->id), "body",
                                          cli_json_string(cli_world_model(w)->body[spring->body].name),
                                          "point", cli_json_reals(spring->point, 3), "target",
                                          cli_json_reals(cli_world_spring_target(w, i), 3)));
  }
  return list;
}

static json_t *slots(const cli_session *s)
{
  json_t *list = json_array();
  for (int slot = 1; slot <= CLI_SLOTS; slot++)
    if (cli_session_slot(s, slot)) json_array_append_new(list, json_integer(slot));
  return list;
}

static const char *kind_of_text(const char *text)
{
  char *end;
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) return "bool";
  strtod(text, &end);
  return *text && !*end ? "number" : "text";
}

static json_t *scene_parameters(const hn_scene *scene)
{
  json_t *list = json_array();
  for (const hn_scene_param *p = scene->param; p < scene->param + scene->nparam; p++)
    json_array_append_new(
      list, json_pack("{s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o}", "name", cli_json_string(p->name), "value",
                      cli_json_string(p->value), "default", cli_json_string(p->initial), "help",
                      cli_json_string(p->help), "kind", kind_of_text(p->initial), "live", p->live, "low",
                      cli_json_real(p->low), "high", cli_json_real(p->high)));
  return list;
}

static json_t *input(const char *of, const char *kind, double value, bool modes)
{
  return json_pack("{s:o, s:s, s:o, s:b}", "of", cli_json_string(of), "kind", kind, "value",
                   cli_json_real(value), "modes", modes);
}

static json_t *inputs(const cli_session *s)
{
  json_t *list = json_array();
  const hn_model *model = cli_session_model(s);
  const double *value = cli_session_world(s)->state->input;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    if (joint->input >= 0)
      json_array_append_new(list, input(joint->name, joint->type->name, value[joint->input], false));
  }
  for (int f = 0; f < model->nforce; f++) {
    const hn_force *force = &model->force[f];
    if (force->type->inputs > 0 && !is_mouse_spring(s, force->name))
      json_array_append_new(list,
                            input(force->name, force->type->name, value[force->input], force->type->modes));
  }
  return list;
}

/* Lists the solvers with the capabilities that the model needs. */
static json_t *solvers(const hn_model *model)
{
  size_t count;
  json_t *list = json_array();
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    if (!(model->needs & ~type[i]->capabilities)) json_array_append_new(list, json_string(type[i]->name));
  for (const hn_solver_type *const *own = model->own_solvers; own && *own; own++)
    json_array_append_new(list, cli_json_string((*own)->name));
  return list;
}

/* Returns the value of KEY in SPEC, "name:key=value,...", or null. */
static json_t *parameter_value(const char *spec, const char *key)
{
  const size_t length = strlen(key);
  for (const char *at = strchr(spec, ':'); at; at = strchr(at + 1, ',')) {
    if (strncmp(at + 1, key, length) != 0 || at[1 + length] != '=') continue;
    const char *value = at + length + 2;
    char *copy = cli_text("%.*s", (int)strcspn(value, ","), value);
    json_t *text = cli_json_string(copy);
    free(copy);
    return text;
  }
  return json_null();
}

/* Lists all parameters as live: changing one creates the solver anew. */
static json_t *solver_parameters(const hn_solver *solver)
{
  static const char *const kind[] = { "number", "integer", "bool", "choice", "text", "text" };
  json_t *list = json_array();
  for (const hn_param *p = solver->type->params; p->key; p++) {
    const bool ranged = p->kind == HN_REAL || p->kind == HN_INTEGER;
    json_t *row = json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:o, s:o, s:b}", "name", p->key, "value",
                            parameter_value(solver->spec, p->key), "default", p->initial, "kind",
                            kind[p->kind], "unit", p->unit, "help", p->help, "low",
                            ranged ? cli_json_real(p->min) : json_null(), "high",
                            ranged ? cli_json_real(p->max) : json_null(), "live", 1);
    if (p->choices) json_object_set_new(row, "choices", json_string(p->choices));
    json_array_append_new(list, row);
  }
  return list;
}

static json_t *run_status(const cli_live_run *run)
{
  const cli_session *s = run->session;
  const hn_solver *solver = cli_session_world(s)->solver;
  const bool ended = run->reason != HN_CONVERGED;
  return json_pack("{s:i, s:s, s:o, s:o, s:I, s:o, s:o, s:I, s:o}", "lane", run->number + 1, "spec",
                   solver->spec, "step", cli_json_real(cli_session_world(s)->setup.step), "time",
                   cli_json_real(cli_live_run_time(run)), "steps", (json_int_t)cli_session_steps(s), "ended",
                   ended ? json_string(hn_reason_name(run->reason)) : json_null(), "explanation",
                   ended ? cli_json_string(cli_session_explanation(s)) : json_null(), "generation",
                   (json_int_t)run->generation, "parameters", solver_parameters(solver));
}

json_t *cli_status_message(const cli_live_run run[CLI_MAX_RUNS], const cli_pace *pace, int clients)
{
  json_t *runs = json_array();
  const cli_live_run *first = NULL;
  for (int k = CLI_MAX_RUNS - 1; k >= 0; k--)
    if (run[k].session) first = &run[k], json_array_insert_new(runs, 0, run_status(first));
  const cli_session *s = first->session;
  return json_pack("{s:s, s:b, s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "type", "status", "paused",
                   pace->paused, "speed", cli_json_real(pace->speed), "pages", clients, "grips",
                   mouse_springs(s), "slots", slots(s), "parameters",
                   scene_parameters(cli_session_world(s)->scene), "inputs", inputs(s), "solvers",
                   solvers(cli_session_model(s)), "lanes", runs);
}
