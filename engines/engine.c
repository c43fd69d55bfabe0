/* engine.c - the solver that lets another engine take the steps (engine.h).
 *
 * The engine keeps its own state, with what it carries from step to step, while each step begins where the
 * last one has ended. Where it does not, after an impulse from outside, the engine's state is set; after a
 * reset its world is created anew. So a run is repeated to the bit, and goes on from a checkpoint as the run
 * that has written it.
 *
 * Requests and answers lie in memory that is shared with the process of the engine. With worker=false the
 * engine runs in this process. */
#include "engines/engine_scene.h"
#include "engines/engine_process.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum engine_request { CREATE, STEP } engine_request;

/* The memory that both processes see, followed by poses, twists and inputs. */
typedef struct board {
  engine_request request;
  bool fresh, set; /* of a step: the world is created anew before it; its state is set */
  double time, h;
  int status, iterations;
  hn_work work;
  char why[ENGINE_WHY];
} board;

typedef struct engine_run {
  const engine_kind *kind;
  engine_scene scene;
  board *board;
  size_t size; /* bytes of the board with what follows */
  hn_pose *pose;
  hn_twist *twist;
  double *input;
  hn_state *state;       /* the engine's side of the board */
  hn_state *last;        /* end of the last step; its time is NAN if there is none */
  void *world;           /* in the process of the engine */
  engine_worker *worker; /* NULL: this process */
  bool untouched, fresh; /* the world has taken no step; it is to be created anew */
} engine_run;

/* ---- The engine's side --------------------------------------------------------------------------------- */

static int create_world(engine_run *run)
{
  if (run->world) run->kind->free(run->world);
  run->world = run->kind->create(&run->scene, run->board->why);
  return run->world ? 0 : -1;
}

static int take_step(engine_run *run)
{
  board *b = run->board;
  const size_t n = (size_t)run->state->nbody;
  memcpy(run->state->pose, run->pose, n * sizeof *run->pose);
  memcpy(run->state->twist, run->twist, n * sizeof *run->twist);
  memcpy(run->state->input, run->input, (size_t)run->state->ninput * sizeof *run->input);
  run->state->time = b->time;
  if (b->fresh && create_world(run)) return -1;
  if (b->set) run->kind->set(run->world, run->state);
  if (run->kind->step(run->world, b->h, run->state, &b->iterations, b->why)) return -1;
  memcpy(run->pose, run->state->pose, n * sizeof *run->pose);
  memcpy(run->twist, run->state->twist, n * sizeof *run->twist);
  return 0;
}

static void serve(void *user)
{
  engine_run *run = user;
  board *b = run->board;
  run->scene.system->work = (hn_work){ 0 };
  b->iterations = 0;
  b->status = b->request == CREATE ? create_world(run) : take_step(run);
  b->work = run->scene.system->work;
}

/* ---- The solver's side --------------------------------------------------------------------------------- */

/* Lets the engine serve a request. Returns -1 with the reason on the board. */
static int ask(hn_solver *solver, engine_request request)
{
  const engine_data *d = solver->data;
  engine_run *run = d->run;
  const hn_work before = solver->system->work;
  run->board->request = request;
  if (run->worker) {
    char why[ENGINE_WHY] = "";
    if (engine_worker_call(run->worker, d->time_limit, solver->stop, why)) {
      memcpy(run->board->why, why, sizeof why);
      return -1;
    }
  } else serve(run);
  solver->system->work = before;
  hn_work_add(&solver->system->work, &run->board->work);
  return run->board->status;
}

/* Allocates what both sides share. */
static int allocate(engine_run *run, const hn_model *model)
{
  const size_t n = (size_t)model->nbody, head = (sizeof(board) + 63) / 64 * 64;
  run->size = head + n * (sizeof *run->pose + sizeof *run->twist) +
              (size_t)model->ninput * sizeof *run->input;
  char *memory = engine_shared_memory(run->size);
  run->state = hn_state_create(model), run->last = hn_state_create(model);
  if (!memory || !run->state || !run->last) return -1;
  run->board = (board *)memory;
  run->pose = (hn_pose *)(memory + head);
  run->twist = (hn_twist *)(run->pose + n);
  run->input = (double *)(run->twist + n);
  run->last->time = NAN;
  return 0;
}

int engine_setup(hn_solver *solver, hn_error *error)
{
  engine_data *d = solver->data;
  const char *name = solver->type->engine;
  char why[ENGINE_WHY] = "";
  engine_run *run = d->run = calloc(1, sizeof *run);
  if (!run) return hn_fail(error, "out of memory");
  run->kind = solver->type->user;
  run->scene = (engine_scene){ .model = solver->system->model, .options = d, .system = solver->system };
  if (allocate(run, solver->system->model)) return hn_fail(error, "out of memory");
  if (engine_scene_read(&run->scene, run->kind, why)) return hn_fail(error, "%s: %s", name, why);
  if (d->worker && !(run->worker = engine_worker_start(serve, run, why)))
    return hn_fail(error, "%s: %s", name, why);
  if (ask(solver, CREATE)) return hn_fail(error, "%s: %s", name, run->board->why);
  run->untouched = true;
  return 0;
}

/* True if STATE is the end of the last step, so that the engine may go on from its own data. */
static bool goes_on(const hn_state *last, const hn_state *state)
{
  return last->time == state->time &&
         memcmp(last->pose, state->pose, sizeof *state->pose * (size_t)state->nbody) == 0 &&
         memcmp(last->twist, state->twist, sizeof *state->twist * (size_t)state->nbody) == 0;
}

static void load(engine_run *run, const hn_state *state, double h)
{
  board *b = run->board;
  const size_t n = (size_t)state->nbody;
  b->fresh = run->fresh;
  b->set = run->fresh || run->untouched || !goes_on(run->last, state);
  b->time = state->time, b->h = h;
  memcpy(run->pose, state->pose, n * sizeof *run->pose);
  memcpy(run->twist, state->twist, n * sizeof *run->twist);
  memcpy(run->input, state->input, (size_t)state->ninput * sizeof *run->input);
}

/* Copies the end of a step to STATE: moving bodies are the engine's. */
static void unload(const engine_run *run, hn_state *state, double h)
{
  const hn_model *model = run->scene.model;
  for (int i = 0; i < state->nbody; i++) {
    if (model->body[i].kind == HN_FIXED) continue;
    state->pose[i] = run->pose[i], state->twist[i] = run->twist[i];
  }
  hn_state_copy_motion(run->last, state);
  run->last->time = state->time + h;
}

hn_reason engine_step(hn_solver *solver, hn_state *state, double h)
{
  engine_run *run = ((engine_data *)solver->data)->run;
  load(run, state, h);
  const int status = ask(solver, STEP);
  run->fresh = status != 0, run->untouched = false;
  if (status == 0) {
    solver->report.position_iterations = run->board->iterations;
    unload(run, state, h);
    return HN_CONVERGED;
  }
  return hn_step_failed(solver, solver->stop && *solver->stop ? HN_INTERRUPTED : HN_STALLED, run->board->why,
                        -1, 0.0);
}

void engine_reset(hn_solver *solver)
{
  engine_run *run = ((engine_data *)solver->data)->run;
  run->fresh = !run->untouched;
  run->last->time = NAN;
}

void engine_free(hn_solver *solver)
{
  engine_run *run = ((engine_data *)solver->data)->run;
  if (!run) return;
  engine_worker_end(run->worker);
  if (run->world) run->kind->free(run->world);
  engine_scene_free(&run->scene);
  hn_state_free(run->state), hn_state_free(run->last);
  engine_shared_free(run->board, run->size);
  free(run);
}
