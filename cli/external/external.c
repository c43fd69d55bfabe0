/* external.c - solver `external`: each step is taken by a program of the user's (external.h).
 *
 * Holonom sends the model and its own version, then a line for each step with the state, and reads the state
 * at the end of the step; doc/external.md has the protocol. Everything is one JSON value a line. What the
 * program cannot do it says in words, which become the reason of the run. */
#include "cli/external/external.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/external/pair_surfaces.h"
#include "cli/external/program.h"
#include "cli/record/model_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 13 }; /* of a body: position, orientation, velocity, angular velocity */

/* Largest difference of the squared norm of an orientation from 1. */
static const double most_stretch = 1e-6;

typedef struct external {
  const char *command;
  double time_limit; /* s */
  cli_program *program;
  int order;        /* declared by the program; 0: none */
  bool unsupported; /* it does not take the model */
  char why[512];    /* "" or why no step can be taken */
  hn_state *last;   /* end of the last step; its time is NAN if there is none */
} external;

static const hn_param params[] = {
  { "command", HN_TEXT, offsetof(external, command), "", 0, 0, "", NULL,
    "command line of the program, which has no comma" },
  { "time_limit", HN_REAL, offsetof(external, time_limit), "60", 1e-3, 1e9, "s", NULL,
    "time for the answer to one line" },
  { .key = NULL },
};

static char *const *words; /* of the command line */

/* ---- Answers ------------------------------------------------------------------------------------------- */

/* Asks MESSAGE, which is freed. Returns the answer, an object to be freed, or NULL after storing why. */
static json_t *ask(external *d, json_t *message, const volatile sig_atomic_t *stop)
{
  hn_error error;
  json_error_t mistake;
  char *text = json_dumps(message, JSON_COMPACT | JSON_REAL_PRECISION(17)),
       *line = text ? cli_program_ask(d->program, text, d->time_limit, stop, &error) : NULL;
  json_decref(message);
  free(text);
  if (!line) {
    snprintf(d->why, sizeof d->why, "the program: it %.400s", error.text);
    return NULL;
  }
  json_t *answer = json_loads(line, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &mistake);
  const char *said = json_string_value(json_object_get(answer, "error"));
  if (!json_is_object(answer))
    snprintf(d->why, sizeof d->why, "the program: its answer is no JSON object: %.60s", line);
  else if (said) snprintf(d->why, sizeof d->why, "the program: %.400s", said);
  free(line);
  if (json_is_object(answer) && !said) return answer;
  json_decref(answer);
  return NULL;
}

/* Reads the numbers of BODY of the model from the array FROM into STATE. Returns what is wrong, or NULL. */
static const char *read_body(const hn_body *body, const json_t *from, hn_pose *pose, hn_twist *twist)
{
  double x[NUMBERS], norm = 0.0;
  if (json_array_size(from) != NUMBERS) return "has no 13 numbers";
  for (size_t i = 0; i < NUMBERS; i++) {
    const json_t *number = json_array_get(from, i);
    if (!json_is_number(number)) return "has no 13 numbers";
    x[i] = json_number_value(number);
  }
  for (int i = 3; i < 7; i++) norm += x[i] * x[i];
  if (body->kind == HN_FIXED) return NULL;
  if (!(fabs(norm - 1.0) <= most_stretch)) return "has an orientation that is no unit quaternion";
  memcpy(pose->x, x, sizeof pose->x), memcpy(pose->q, x + 3, sizeof pose->q);
  memcpy(twist->v, x + 7, sizeof twist->v), memcpy(twist->w, x + 10, sizeof twist->w);
  return NULL;
}

/* Reads the state of all bodies from ANSWER. Returns -1 after storing why. */
static int read_state(external *d, const hn_model *model, const json_t *answer, hn_state *state)
{
  const json_t *bodies = json_object_get(answer, "bodies");
  if (json_array_size(bodies) != (size_t)model->nbody) {
    snprintf(d->why, sizeof d->why, "the program: its answer has no \"bodies\" for all %d bodies",
             model->nbody);
    return -1;
  }
  for (int i = 0; i < model->nbody; i++) {
    const char *wrong = read_body(&model->body[i], json_array_get(bodies, (size_t)i), &state->pose[i],
                                  &state->twist[i]);
    if (!wrong) continue;
    snprintf(d->why, sizeof d->why, "the program: its answer for body \"%.80s\" %s", model->body[i].name,
             wrong);
    return -1;
  }
  return 0;
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

/* True if the command line has "command=COMMAND" in a spec, or --command COMMAND. */
static bool is_from_command_line(const char *command)
{
  char *setting = cli_text("command=%s", command);
  bool found = false;
  for (char *const *word = words; *word && !found; word++) {
    const char *at = strstr(*word, setting), *end = at ? at + strlen(setting) : NULL;
    found = (end && (*end == '\0' || *end == ',')) ||
            (strcmp(*word, "--command") == 0 && word[1] && strcmp(word[1], command) == 0);
  }
  free(setting);
  return found;
}

/* Sends the model and reads what the program says of itself. */
static void introduce(external *d, const hn_model *model)
{
  json_t *answer = ask(d,
                       json_pack("{s:i, s:o, s:o}", "protocol", 1, "model", cli_json_mechanism(model),
                                 "surfaces", cli_json_surfaces(model)),
                       cli_stop());
  const char *unsupported = json_string_value(json_object_get(answer, "unsupported"));
  const double order = json_number_value(json_object_get(answer, "order"));
  if (unsupported) snprintf(d->why, sizeof d->why, "the program: %.400s", unsupported);
  else if (answer && !json_is_string(json_object_get(answer, "name")))
    snprintf(d->why, sizeof d->why, "the program: its first answer has no \"name\"");
  d->unsupported = unsupported;
  d->order = order >= 1.0 && order <= 100.0 ? (int)order : 0;
  json_decref(answer);
}

static int setup(hn_solver *solver, hn_error *error)
{
  external *d = solver->data;
  hn_error why;
  if (!*d->command) return hn_fail(error, "external: command=... must give the command line of a program");
  if (!is_from_command_line(d->command))
    return hn_fail(error,
                   "external: programs are started by the command line only, not by a scene or a study");
  d->last = hn_state_create(solver->system->model);
  if (!d->last) return hn_fail(error, "out of memory");
  d->last->time = NAN;
  d->program = cli_program_start(d->command, &why);
  if (d->program) introduce(d, solver->system->model);
  else snprintf(d->why, sizeof d->why, "the program: it %.400s", why.text);
  return 0;
}

static json_t *state_json(const hn_state *state)
{
  json_t *bodies = json_array();
  for (int i = 0; i < state->nbody; i++) {
    double x[NUMBERS];
    memcpy(x, state->pose[i].x, sizeof state->pose[i].x);
    memcpy(x + 3, state->pose[i].q, sizeof state->pose[i].q);
    memcpy(x + 7, state->twist[i].v, sizeof state->twist[i].v);
    memcpy(x + 10, state->twist[i].w, sizeof state->twist[i].w);
    json_array_append_new(bodies, cli_json_reals(x, NUMBERS));
  }
  return bodies;
}

/* True if STATE is the end of the last step, so that the program may go on from its own data. */
static bool continues(const external *d, const hn_state *state)
{
  return !isnan(d->last->time) &&
         memcmp(d->last->pose, state->pose, sizeof *state->pose * (size_t)state->nbody) == 0 &&
         memcmp(d->last->twist, state->twist, sizeof *state->twist * (size_t)state->nbody) == 0 &&
         memcmp(d->last->input, state->input, sizeof *state->input * (size_t)state->ninput) == 0;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  external *d = solver->data;
  json_t *answer = NULL;
  if (!*d->why)
    answer = ask(d,
                 json_pack("{s:f, s:f, s:b, s:o, s:o}", "step", h, "time", state->time, "restart",
                           (int)!continues(d, state), "bodies", state_json(state), "inputs",
                           cli_json_reals(state->input, state->ninput)),
                 solver->stop);
  const bool good = answer && read_state(d, solver->system->model, answer, state) == 0;
  const double iterations = json_number_value(json_object_get(answer, "iterations"));
  solver->report.position_iterations = iterations >= 0.0 && iterations < 1e9 ? (int)iterations : 0;
  json_decref(answer);
  if (!good)
    return hn_step_failed(solver,
                          solver->stop && *solver->stop ? HN_INTERRUPTED
                          : d->unsupported              ? HN_UNSUPPORTED
                                                        : HN_STALLED,
                          d->why, -1, 0.0);
  hn_state_copy(d->last, state);
  return HN_CONVERGED;
}

static void reset(hn_solver *solver)
{
  ((external *)solver->data)->last->time = NAN;
}

static void free_data(hn_solver *solver)
{
  external *d = solver->data;
  cli_program_end(d->program);
  hn_state_free(d->last);
}

static int order_of(const hn_solver *solver)
{
  return ((const external *)solver->data)->order;
}

static const hn_solver_type type = {
  .abi = HN_ABI,
  .name = "external",
  .summary = "a program of yours, by lines of JSON (doc/external.md)",
  .citation = "the program's own",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE |
                  HN_CAN_BOUNCE | HN_CAN_VELOCITY | HN_CAN_ROLL | HN_CAN_ANISOTROPIC | HN_CAN_COMPLIANT |
                  HN_HIDES_IMPULSES,
  .data_size = sizeof(external),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .free = free_data,
  .order_of = order_of,
};

int cli_external_offer(int argc, char *const *argv, hn_error *error)
{
  static const hn_solver_type *const types[] = { &type, NULL };
  bool named = false;
  for (int i = 1; i < argc && !named; i++) named = strstr(argv[i], "external");
  words = argv;
  return named ? hn_solvers_register(types, error) : 0;
}
