/* build_model.c - builds a model in C, runs it, and writes its records (doc/embedding.md).
 *
 *   cc build_model.c -o build_model $(pkg-config --cflags --libs holonom)
 *   ./build_model
 *
 * An arm on a hinge falls from the horizontal and pushes a crate over the floor until friction stops it.
 * Writes run.csv, run.contacts.csv and events.csv. */
#include <run.h>

#include <stdio.h>

/* Adds the bodies, and the hinge of the arm. Returns the index of the crate, or -1. */
static int add_parts(hn_model *model, hn_error *error)
{
  const hn_body_spec floor = {
    .name = "floor", .kind = HN_FIXED, .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } }, .friction = 0.4
  };
  const hn_body_spec arm = { .name = "arm",
                             .kind = HN_RIGID,
                             .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                             .density = 800.0,
                             .friction = 0.4,
                             .position = { -0.5, 1.15, 0 } };
  const hn_body_spec crate = { .name = "crate",
                               .kind = HN_RIGID,
                               .shape = { .kind = HN_BOX, .size = { 0.4, 0.4, 0.4 } },
                               .density = 100.0,
                               .friction = 0.4,
                               .position = { 0.3, 0.2, 0 } };
  const int a = hn_model_add_body(model, &arm, error);
  const int b = hn_model_add_body(model, &crate, error);
  /* Body 0 is the ground. Points and axes of a joint are in world coordinates at t = 0. */
  const hn_joint_spec hinge = { .type = "hinge",
                                .name = "hinge",
                                .a = 0,
                                .b = a,
                                .has_points = true,
                                .at_a = { 0, 1.15, 0 },
                                .at_b = { 0, 1.15, 0 },
                                .axis_a = { 0, 0, 1 } };
  if (a < 0 || b < 0 || hn_model_add_body(model, &floor, error) < 0) return -1;
  return hn_model_add_joint(model, &hinge, error) < 0 ? -1 : b;
}

/* Returns the complete model, or NULL; stores the index of the crate. */
static hn_model *build(int *crate, hn_error *error)
{
  const double gravity[3] = { 0, -9.81, 0 };
  const hn_contact_spec contact = { .margin = 0.02 };
  hn_model *model = hn_model_create(gravity);
  if (!model) hn_fail(error, "out of memory");
  *crate = model ? add_parts(model, error) : -1;
  /* Collisions are enabled when all shapes exist; the start must satisfy the joints. */
  if (*crate >= 0 && !hn_model_collide(model, &contact, error) && !hn_model_check_start(model, error))
    return model;
  hn_model_free(model);
  return NULL;
}

/* The two records of the run. */
typedef struct records {
  hn_record *motion;
  hn_record *events;
} records;

/* Writes a frame to both records; called for the initial state and after every step. */
static bool write_frame(void *user, const hn_frame *frame)
{
  records *r = user;
  return hn_record_frame(r->motion, frame) && hn_record_frame(r->events, frame);
}

/* Opens the records, runs, and closes the records. Returns 0, or -1 with an error. */
static int run(hn_solver *solver, hn_state *state, hn_summary *summary, hn_error *error)
{
  const hn_record_options every_tenth = { .every = 10, .joints = true, .contacts = true };
  records r = { .motion = hn_record_create("run.csv", solver->system->model, &every_tenth, error) };
  const hn_run_options options = { .step = 0.001, .duration = 2.0, .observe = write_frame, .user = &r };
  if (!r.motion || hn_solver_keep_impulses(solver, error)) return -1;
  r.events = hn_event_record_create("events.csv", NULL, NULL, error);
  int status = r.events ? 0 : -1;
  if (r.events && hn_run(solver, state, &options, summary) != HN_CONVERGED)
    status = hn_fail(error, "%s", summary->explanation);
  if (r.events && hn_record_close(r.events, status ? NULL : error)) status = -1;
  if (hn_record_close(r.motion, status ? NULL : error)) status = -1;
  return status;
}

int main(void)
{
  hn_error error;
  hn_summary summary;
  int crate;
  hn_model *model = build(&crate, &error);
  hn_solver *solver = model ? hn_solver_create("moreau", model, &error) : NULL;
  hn_state *state = solver ? hn_state_create(model) : NULL;
  if (solver && !state) hn_fail(&error, "out of memory");
  const int status = state ? run(solver, state, &summary, &error) : -1;
  if (status == 0)
    printf("crate pushed by %.3f m in %ld steps, joints apart by at most %.1e m, hash %016llx\n",
           state->pose[crate].x[0] - model->body[crate].pose0.x[0], summary.steps, summary.position_max,
           (unsigned long long)summary.hash);
  else fprintf(stderr, "build_model: %s\n", error.text);
  /* The model belongs to its creator and outlives the solver and the state. */
  hn_state_free(state);
  hn_solver_free(solver);
  hn_model_free(model);
  return status ? 2 : 0;
}
