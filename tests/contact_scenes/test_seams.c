/* test_seams.c - bodies slide and roll over the seams of flush tiles as on one slab; a step is felt. */
#include "movers.h"

typedef enum floor_kind { SLAB, TILES, COMPOUND, TRIANGLES, GRID, FLOORS } floor_kind;
static const char *const floor_names[] = { "slab", "tiles", "parts of one body", "triangles", "grid" };
/* Allowed differences from the motion on a slab (m). Contacts that pass to the next tile are new to a
 * method of order 2, which h^2 m/s^2 allows for. On a roller, whose line of contact crosses diagonals, only
 * the solvers marked are exact enough on a slab to be compared; `events` and `impulse-gs` stall in the
 * impact on a step. */
typedef struct allowance {
  const char *spec;
  double difference;
  bool rollers, steps;
} allowance;
static const allowance solvers[] = {
  { "events", 1e-9, true, false },         { "impulse-contact", STEP *STEP, false, true },
  { "moreau", 1e-6, true, true },          { "moreau:theta=0.5", 1e-6, true, true },
  { "impulse-gs", 1e-6, false, false },    { "xpbd", STEP *STEP, false, true },
  { "tgs-soft", STEP *STEP, false, true },
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* Adds a body with the friction of the floor. */
static int add_rough(setting *s, hn_body_spec spec)
{
  spec.friction = mu;
  return add(s, spec);
}

/* Adds a floor tile from X to X + WIDTH and from Z to Z + DEPTH whose top is at HEIGHT. */
static void add_square(setting *s, double x, double width, double z, double depth, double height)
{
  char name[16];
  snprintf(name, sizeof name, "tile%d", s->shapes++);
  add_rough(s, (hn_body_spec){ .name = name,
                               .position = { x + 0.5 * width, height - 0.5, z + 0.5 * depth },
                               .shape = { .kind = HN_BOX, .size = { width, 1, depth } } });
}

/* Adds a floor tile from X to X + WIDTH across the whole floor. */
static void add_tile(setting *s, double x, double width, double height)
{
  add_square(s, x, width, -2, 4, height);
}

/* Adds half of a square tile, a prism over a triangle. */
static void add_triangle(setting *s, double x, bool upper)
{
  double point[18];
  const double corner[4][2] = { { x, -2 }, { x + 1, -2 }, { x + 1, 2 }, { x, 2 } };
  char name[16];
  hn_error error;
  hn_body_spec spec = { .name = name };
  snprintf(name, sizeof name, "tile%d", s->shapes++);
  for (int k = 0; k < 3; k++)
    for (int low = 0; low < 2; low++)
      vec_set(point + 3 * (2 * k + low), corner[(k + 2 * upper) % 4][0], low ? -1 : 0,
              corner[(k + 2 * upper) % 4][1]);
  if (hn_shape_hull(&spec.shape, HN_CONVEX, point, 6, &error)) fail_msg("%s", error.text);
  add_rough(s, spec);
  hn_shape_free(&spec.shape);
}

static void add_floor(setting *s, floor_kind kind)
{
  enum { TILE_COUNT = 6 };
  hn_part part[TILE_COUNT];
  const double off[] = { 0, 1e-13, -1e-12, 1e-16, 0, 3e-13 }; /* m: tiles that differ by rounding */
  memset(part, 0, sizeof part);
  for (int i = 0; i < TILE_COUNT; i++) {
    if (kind == TILES) add_tile(s, i - 1.0, 1.0, off[i]);
    for (int k = 0; kind == GRID && k < 4; k++) add_square(s, i - 1.0, 1.0, k - 2.0, 1.0, off[(i + k) % 6]);
    if (kind == TRIANGLES) add_triangle(s, i - 1.0, false), add_triangle(s, i - 1.0, true);
    part[i] = (hn_part){ .shape = { .kind = HN_BOX, .size = { 1, 1, 4 } }, .position = { i - 0.5, -0.5, 0 } };
  }
  if (kind == SLAB) add_tile(s, -1.0, TILE_COUNT, 0.0);
  if (kind == COMPOUND) add_rough(s, (hn_body_spec){ .name = "floor", .part = part, .nparts = TILE_COUNT });
}

/* Runs SPEC on the model of S, which is freed; stores where the mover ends, in the axes of the floor. */
static void run_setting(setting *s, const char *spec, double place[3])
{
  hn_error error;
  hn_summary summary;
  if (hn_model_collide(s->model, &(hn_contact_spec){ 0 }, &error)) fail_msg("%s", error.text);
  hn_solver *solver = new_solver(spec, s->model);
  hn_state *state = hn_state_create(s->model);
  const hn_run_options options = { .step = STEP, .duration = duration };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", spec, summary.explanation);
  quat_unrotate(place, s->q, state->pose[s->mover ? s->mover : state->nbody - 1].x);
  hn_state_free(state), hn_solver_free(solver), hn_model_free(s->model);
}

static void run_on(floor_kind floor, mover_kind mover, bool turn, const char *spec, double place[3])
{
  setting s;
  start_setting(&s, turn);
  add_floor(&s, floor);
  add_mover(&s, mover);
  run_setting(&s, spec, place);
}

/* Checks the way on a slab within 1 %, for solvers of order 1: mu g brakes what slides, not what rolls. */
static void check_slab(mover_kind mover, const char *spec, const double place[3])
{
  const double v = mover >= BALL ? speed : hypot(speed, oblique);
  const double way = v * duration - (mover >= BALL ? 0 : 0.5 * mu * gravity * duration * duration);
  printf("%s, %s on a slab\n", spec, mover_names[mover]);
  check_below("relative error of the way", fabs(place[0] / (speed / v) / way - 1), 0.01);
}

static void seams_are_not_felt(void **unused)
{
  (void)unused;
  for (int m = 0; m < SOLVERS; m++)
    for (mover_kind mover = 0; mover < MOVERS; mover++) {
      double slab[3], place[3], worst = 0.0;
      if (mover == ROLLER && !solvers[m].rollers) continue;
      run_on(SLAB, mover, false, solvers[m].spec, slab);
      check_slab(mover, solvers[m].spec, slab);
      for (floor_kind floor = TILES; floor < FLOORS; floor++) {
        run_on(floor, mover, floor == TILES || floor == GRID, solvers[m].spec, place);
        vec_sub(place, place, slab);
        printf("  %s: %.3g m\n", floor_names[floor], vec_norm(place));
        worst = larger(worst, vec_norm(place));
      }
      check_below("difference between tiles and a slab", worst, solvers[m].difference);
    }
}

/* Adds a plane and two tiles that can move; the mover is body ORDER of the three. */
static void add_loose_tiles(setting *s, mover_kind mover, int order)
{
  hn_body_spec tile = { .kind = HN_RIGID, .density = 5000, .position = { 0, -0.5, 0 } };
  tile.shape = (hn_shape){ .kind = HN_BOX, .size = { 2, 1, 4 } };
  add_rough(s, (hn_body_spec){ .name = "plane",
                               .position = { 0, -1, 0 },
                               .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } } });
  for (int i = 0; i < 3; i++) {
    if (i == order) add_mover(s, mover);
    else tile.name = i == 0 ? "first" : "second", add_rough(s, tile), tile.position[0] = 2;
  }
}

/* They bear the mover as a slab does, in any order of the bodies. */
static void loose_tiles_are_a_slab(void **unused)
{
  (void)unused;
  double order = 0.0, tiles = 0.0, slab[3], place[2][3];
  for (mover_kind mover = BOX; mover <= BALL; mover++) {
    run_on(SLAB, mover, false, "moreau", slab);
    for (int k = 0; k < 2; k++) {
      setting s;
      start_setting(&s, false);
      add_loose_tiles(&s, mover, 2 - k);
      run_setting(&s, "moreau", place[k]);
    }
    vec_sub(slab, slab, place[0]), vec_sub(place[0], place[0], place[1]);
    order = larger(order, vec_norm(place[0])), tiles = larger(tiles, vec_norm(slab));
  }
  check_below("difference of places, m, by the order of bodies", order, 1e-8);
  check_below("difference of places, m, from a slab", tiles, 1e-8);
}

/* Two tiles of reach R are flush within 2e-9 R: a tenth of that is not felt, a hundred times is. */
static void steps_are_felt_above_the_tolerance(void **unused)
{
  (void)unused;
  const double width = 4, tolerance = 2e-9 * 0.5 * sqrt(width * width + 1 + 16);
  for (int m = 0; m < SOLVERS; m++) {
    double x[3];
    for (int k = 0; k < 3 && solvers[m].steps; k++) {
      setting s;
      double place[3];
      start_setting(&s, false);
      add_tile(&s, 1 - width, width, 0.0), add_tile(&s, 1, width,
                                                    k == 0   ? 0
                                                    : k == 1 ? 0.1 * tolerance
                                                             : 100 * tolerance);
      add_mover(&s, BOX);
      run_setting(&s, solvers[m].spec, place);
      x[k] = place[0];
    }
    if (!solvers[m].steps) continue;
    printf("%s\n", solvers[m].spec);
    check_below("difference by a step below the tolerance", fabs(x[1] - x[0]), 1e-8);
    check_below("share of the way that is left beyond a step above the tolerance", x[2] / x[0], 0.9);
  }
}

/* Returns the number of contacts of the body SPEC that rests on FLOOR, whose tiles have corners at all
 * integers. The body must not move in SECONDS. */
static int contacts_at_rest(floor_kind floor, hn_body_spec spec, double seconds)
{
  setting s;
  hn_error error;
  hn_summary summary;
  start_setting(&s, true);
  add_floor(&s, floor);
  add_rough(&s, spec);
  if (hn_model_collide(s.model, &(hn_contact_spec){ 0 }, &error)) fail_msg("%s", error.text);
  hn_solver *solver = new_solver("moreau", s.model);
  hn_state *state = hn_state_create(s.model);
  const int box = state->nbody - 1;
  double start[3], way[3];
  vec_copy(start, state->pose[box].x);
  assert_int_equal(hn_run(solver, state, &(hn_run_options){ .step = STEP, .duration = seconds }, &summary),
                   HN_CONVERGED);
  vec_sub(way, state->pose[box].x, start);
  check_below("  way of a box at rest, m", vec_norm(way), 1e-9);
  check_below("  its angular velocity, rad/s", vec_norm(state->twist[box].w), 1e-9);
  const int count = state->ncontact;
  hn_state_free(state), hn_solver_free(solver), hn_model_free(s.model);
  return count;
}

/* Corners of tiles below a box are no contacts. Corners of the box that meet a corner or an edge of tiles
 * still are: without them it would tip. */
static void corners_inside_a_floor_are_left_out(void **unused)
{
  (void)unused;
  static const struct {
    const char *name;
    double width, x, z, angle;
    bool corners; /* those of the box are at seams */
  } box[] = { { "above a corner", 0.6, 0.1, -0.05, 0.3, false },
              { "above four corners", 1.3, 0.52, 0.47, 0.0, false },
              { "its corners on those of a tile", 1.0, 0.5, 0.5, 0.0, true },
              { "its corners on those of four tiles", 2.0, 1.0, 0.0, 0.0, true },
              { "one corner on that of a tile", 0.5, 0.25, 0.25, 0.0, true },
              { "its corners on four edges", M_SQRT1_2, 0.5, 0.5, M_PI / 4, true },
              { "an edge along a seam", 0.5, 0.25, 0.4, 0.0, true } };
  for (size_t i = 0; i < sizeof box / sizeof *box; i++) {
    printf("a box, %s\n", box[i].name);
    const double width = box[i].width, angle = box[i].angle;
    const hn_body_spec spec = { .name = "box",
                                .kind = HN_RIGID,
                                .density = 500,
                                .position = { box[i].x, 0.1, box[i].z },
                                .orientation = { cos(0.5 * angle), 0, sin(0.5 * angle), 0 },
                                .shape = { .kind = HN_BOX, .size = { width, 0.2, width } } };
    const int count = contacts_at_rest(GRID, spec, 0.2);
    if (!box[i].corners) check_near("  contacts", count, 4, 0);
  }
}

/* The lower face of a body of four blocks, two a side, has one contact at each of its corners and at the end
 * of each seam, and none at its middle, where four corners meet. */
static void corners_inside_a_body_are_left_out(void **unused)
{
  (void)unused;
  hn_part block[4];
  memset(block, 0, sizeof block);
  for (int i = 0; i < 4; i++)
    block[i] = (hn_part){ .shape = { .kind = HN_BOX, .size = { side, side, side } },
                          .position = { (i % 2 - 0.5) * side, 0, (i / 2 - 0.5) * side } };
  const hn_body_spec spec = { .name = "blocks",
                              .kind = HN_RIGID,
                              .density = 500,
                              .position = { 0.3, 0.5 * side, 0.1 },
                              .part = block,
                              .nparts = 4 };
  check_near("contacts", contacts_at_rest(SLAB, spec, 0.2), 8, 0);
}

/* Friction of a box that turns while it slides on four points is not unique. Its way has bounds: the friction
 * of points that move in other directions brakes it less than that of a box that does not turn. */
static void turning_boxes_slide_on(void **unused)
{
  (void)unused;
  for (int m = 0; m < SOLVERS; m++) {
    setting s;
    double place[3];
    start_setting(&s, true);
    add_floor(&s, GRID);
    add_rough(&s, (hn_body_spec){ .name = "mover",
                                  .kind = HN_RIGID,
                                  .density = 500,
                                  .position = { 0, 0.5 * side, 0.05 },
                                  .velocity = { speed, 0, oblique },
                                  .angular_velocity = { 0, 4, 0 },
                                  .shape = { .kind = HN_BOX, .size = { side, side, side } } });
    run_setting(&s, solvers[m].spec, place);
    const double straight = hypot(speed, oblique) * duration - 0.5 * mu * gravity * duration * duration;
    printf("%s: a box that turns\n", solvers[m].spec);
    check_below("  straight way without a turn / way", straight / hypot(place[0], place[2] - 0.05), 1 + 1e-3);
    check_below("  way / way without friction",
                hypot(place[0], place[2] - 0.05) / (hypot(speed, oblique) * duration), 1);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(seams_are_not_felt),
    cmocka_unit_test(corners_inside_a_floor_are_left_out),
    cmocka_unit_test(corners_inside_a_body_are_left_out),
    cmocka_unit_test(turning_boxes_slide_on),
    cmocka_unit_test(loose_tiles_are_a_slab),
    cmocka_unit_test(steps_are_felt_above_the_tolerance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
