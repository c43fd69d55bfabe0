/* test_moving_contacts.c - contacts that move over both bodies, as joints: their rows satisfy the contract of
 * joints (closed form, power series and derivatives agree), and gaps equal those of collision detection. */
#include "written.h"
#include "base/vec.h"
#include "collide/contact_list.h"
#include "collide/polytope.h"
#include "system/contact_blocks.h"
#include "system/moving_contact.h"

#include <string.h>

typedef struct pair {
  const char *name;
  const char *a, *b;    /* fields of two bodies in a scene */
  hn_core_kind kind[2]; /* cores of their contact, in either order */
  bool nearest;         /* the gap is the distance of the cores, which no face truncates */
} pair;

#define P HN_CORE_POINT
#define L HN_CORE_LINE
#define C HN_CORE_CIRCLE
#define F HN_CORE_PLANE
#define E HN_CORE_ELLIPSOID
#define SPHERE(r) "shape = scene.sphere { radius = " #r " }, "
#define CAPSULE(r, h) "shape = scene.capsule { radius = " #r ", height = " #h " }, "
#define CYLINDER(r, h) "shape = scene.cylinder { radius = " #r ", height = " #h " }, "
#define ELLIPSOID(x, y, z) "shape = scene.ellipsoid { " #x ", " #y ", " #z " }, "
#define BOX(x, y, z) "shape = scene.box { " #x ", " #y ", " #z " }, "
#define CUBE BOX(1, 1, 1) "position = { 0, 0, 0 }"
#define ROOF BOX(3, 1, 1) "position = { 0, 0, 0 }, axis_angle = { 1, 0, 0, math.pi / 4 }"
#define UPRIGHT CYLINDER(0.5, 1) "position = { 0, 0, 0 }"
#define LYING CYLINDER(0.3, 1) "axis_angle = { 0, 0, 1, math.pi / 2 }, "

/* clang-format off */
static const pair pairs[] = {
  { "two balls", SPHERE(0.5) "position = { 0, 0, 0 }",
    SPHERE(0.4) "position = { 0.5, 0.7, 0.4 }", { P, P }, true },
  { "ball, edge", CUBE, SPHERE(0.6) "position = { 0.9, 0.9, 0.1 }", { P, L }, true },
  { "ball, corner", CUBE, SPHERE(0.6) "position = { 0.8, 0.85, 0.9 }", { P, P }, true },
  { "capsule across an edge", CUBE,
    CAPSULE(0.3, 1) "position = { 0.7, 0.7, 0.05 }, axis_angle = { 0.1, 0, 1, 0.8 }", { L, L }, true },
  { "capsules that cross", CAPSULE(0.3, 1.5) "position = { 0, 0, 0 }",
    CAPSULE(0.2, 1.5) "position = { 0.05, 0.1, 0.52 }, axis_angle = { 0, 0.1, 1, 1.3 }", { L, L }, true },
  { "end of a capsule, capsule", CAPSULE(0.3, 1.5) "position = { 0, 0, 0 }",
    CAPSULE(0.2, 1) "position = { 0.05, 0.1, 1 }, axis_angle = { 1, 0, 0, 1.2 }", { P, L }, true },
  { "edges that cross", ROOF,
    BOX(1, 1, 3) "position = { 0.1, 1.45, 0.05 }, axis_angle = { 0, 0, 1, math.pi / 4 }", { L, L }, true },
  { "rim, plane", "fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } }",
    CYLINDER(0.5, 0.2) "position = { 0, 0.4, 0 }, axis_angle = { 1, 0.2, 0, 0.7 }", { F, C }, true },
  { "cylinder that lies on a face", BOX(3, 1, 3) "position = { 0, 0, 0 }",
    LYING "position = { 0.1, 0.85, 0.05 }", { F, C }, true },
  { "cylinder that lies over an edge", BOX(1, 1, 3) "position = { 0, 0, 0 }",
    LYING "position = { 0.4, 0.85, 0.05 }", { L, L }, false },
  { "rim, edge", ROOF,
    CYLINDER(0.5, 0.4) "position = { 0.1, 1.2, 0.2 }, axis_angle = { 1, 0.2, 0.3, 0.6 }", { C, L }, true },
  { "side, edge", ROOF,
    CYLINDER(0.4, 1) "position = { 0, 1.15, 0.05 }, axis_angle = { 1, 0, 0, 1.5 }", { L, L }, true },
  { "two rims", UPRIGHT,
    CYLINDER(0.4, 0.3) "position = { 0.85, 0.85, 0.02 }, axis_angle = { 1, 0, 0.1, 1.2 }", { C, C }, true },
  { "rim, side", UPRIGHT,
    CYLINDER(0.4, 0.3) "position = { 1, 0.1, 0.05 }, axis_angle = { 0, 0.3, 1, 0.9 }", { C, L }, true },
  { "sides that cross", UPRIGHT,
    CYLINDER(0.4, 1) "position = { 0.93, 0.05, 0.05 }, axis_angle = { 1, 0, 0, 1.3 }", { L, L }, true },
  { "sides that are parallel", UPRIGHT,
    CYLINDER(0.4, 0.6) "position = { 0.8, 0.05, 0.45 }", { P, L }, false },
  { "ball, rim", UPRIGHT, SPHERE(0.5) "position = { 0.7, 0.9, 0.3 }", { P, C }, true },
  { "ball, side", UPRIGHT, SPHERE(0.5) "position = { 0.8, 0.1, 0.6 }", { P, L }, true },
  { "corner, side", CUBE,
    CYLINDER(0.4, 1.5) "position = { 0.75, 0.75, 0.75 }, axis_angle = { -1, 0, 1, 0.6 }", { P, L }, true },
  { "end of a capsule, rim", UPRIGHT,
    CAPSULE(0.3, 1) "position = { 0.95, 1, 0.3 }, axis_angle = { 0, 0, 1, -0.6 }", { P, C }, true },
  { "ellipsoid, plane",
    "fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0.48, 0.6, 0.64 } }",
    ELLIPSOID(0.5, 0.2, 0.3) "position = { 0.1, 0.25, 0.3 }, axis_angle = { 1, 0.2, 0, 0.7 }", { F, E },
    true },
  { "ellipsoid, turned face", BOX(3, 1, 3) "position = { 0, 0, 0 }, axis_angle = { 0.6, 0, 0.8, 0.3 }",
    ELLIPSOID(0.3, 0.5, 0.2) "position = { 0.1, 0.85, 0.05 }, axis_angle = { 0, 1, 1, 1 }", { F, E }, true },
  { "end over an edge", CUBE,
    CYLINDER(0.5, 1) "position = { 0.4, 1.02, 0 }, axis_angle = { 0, 0, 1, 0.01 }", { C, L }, false },
};
/* clang-format on */
enum { PAIRS = sizeof pairs / sizeof *pairs };

/* ---- Set-up of a pair ---------------------------------------------------------------------------------- */

typedef struct fixture {
  hn_scene *scene;
  hn_system *system;
  hn_state *state;
  hn_moving_contact moving;
  hn_contact contact;
} fixture;

static bool has_cores(const hn_core core[2], const hn_core_kind kind[2])
{
  return (core[0].kind == kind[0] && core[1].kind == kind[1]) ||
         (core[0].kind == kind[1] && core[1].kind == kind[0]);
}

/* Sets up the first moving contact of the pair with the given cores. */
static void set_up(const pair *p, fixture *m)
{
  char text[2048];
  hn_error error = { "" };
  snprintf(text, sizeof text,
           "sys:body { name = 'a', %s%s }\nsys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, %s }\n"
           "sys:contact { margin = 0.3 }\nreturn sys",
           strstr(p->a, "fixed") ? "" : "mass = 1, inertia = { 1, 1, 1 }, ", p->a, p->b);
  write_scene(text);
  m->scene = load_written(NULL, 0);
  m->system = hn_system_create(m->scene->model, &error);
  m->state = hn_state_create(m->scene->model);
  if (!m->system || !m->state || hn_system_begin(m->system, m->state) != HN_CONVERGED)
    fail_msg("%s", error.text);
  for (int i = 0; i < m->state->ncontact; i++) {
    m->contact = m->state->contact[i];
    if (hn_contact_is_fixed(m->scene->model, &m->contact)) continue;
    if (hn_moving_contact_set(&m->moving, m->scene->model, &m->contact, m->state) &&
        has_cores(m->moving.core, p->kind))
      return;
  }
  for (int i = 0; i < m->state->ncontact; i++) {
    const hn_contact *contact = &m->state->contact[i];
    const uint64_t feature = hn_contact_key_feature(0, contact->key);
    const bool smooth = hn_moving_contact_set(&m->moving, m->scene->model, contact, m->state);
    printf("  found %d %d %d: cores %d %d, %s\n", (int)hn_feature_kind(feature),
           hn_feature_number(feature, 0), hn_feature_number(feature, 1), m->moving.core[0].kind,
           m->moving.core[1].kind, smooth ? "smooth" : "not smooth");
  }
  fail_msg("%s: no such contact", p->name);
}

static void tear_down(fixture *m)
{
  hn_state_free(m->state);
  hn_system_free(m->system);
  hn_scene_free(m->scene);
}

/* ---- The contract of joints ---------------------------------------------------------------------------- */

static void rows_satisfy_the_contract_of_joints(void **unused)
{
  (void)unused;
  hn_contract worst = { .value = 0.0 };
  for (const pair *p = pairs; p < pairs + PAIRS; p++) {
    fixture m;
    set_up(p, &m);
    for (unsigned tangents = 0; tangents < 4; tangents++) {
      hn_joint joint = tangents ? hn_moving_contact_stick_joint(&m.moving, &m.contact, false, tangents)
                                : hn_moving_contact_gap_joint(&m.moving, &m.contact);
      hn_model model = *m.scene->model;
      hn_contract c;
      hn_error error;
      model.joint = &joint, model.njoint = 1;
      assert_int_equal(hn_joint_contract(&model, 0, &c, &error), 0);
      assert_true(c.has_jet);
      worst.value = larger(worst.value, c.value), worst.rate = larger(worst.rate, c.rate);
      worst.acceleration = larger(worst.acceleration, c.acceleration);
      worst.jacobian = larger(worst.jacobian, c.jacobian);
      worst.difference = larger(worst.difference, c.difference), worst.slope = larger(worst.slope, c.slope);
      if (!c.kept)
        fail_msg("%s, rows %u: value %.1e, rate %.1e, acceleration %.1e, Jacobian %.1e; "
                 "differences %.1e, %.1e",
                 p->name, tangents, c.value, c.rate, c.acceleration, c.jacobian, c.difference, c.slope);
    }
    tear_down(&m);
  }
  check_below("series less closed form: gaps", worst.value, HN_CONTRACT_EXACT);
  check_below("  rates", worst.rate, HN_CONTRACT_EXACT);
  check_below("  accelerations", worst.acceleration, HN_CONTRACT_EXACT);
  check_below("  Jacobians", worst.jacobian, HN_CONTRACT_EXACT);
  check_below("differences less closed form: rates", worst.difference, HN_CONTRACT_DIFFERENCE);
  check_below("  Jacobians", worst.slope, HN_CONTRACT_DIFFERENCE);
}

/* ---- Comparison with collision detection --------------------------------------------------------------- */

/* Returns the next pseudo-random number in [-1, 1]. */
static double random_number(void)
{
  static uint32_t seed = 271828;
  seed = seed * 1664525u + 1013904223u;
  return (double)(int32_t)seed / 2147483648.0;
}

static void displace_slightly(hn_state *state)
{
  for (int i = 1; i < state->nbody; i++) {
    double turn[4] = { 1.0 }, turned[4];
    for (int c = 0; c < 3; c++)
      state->pose[i].x[c] += 0.01 * random_number(), turn[1 + c] = 0.01 * random_number();
    quat_mul(turned, turn, state->pose[i].q);
    quat_normalise(turned);
    memcpy(state->pose[i].q, turned, sizeof turned);
  }
}

/* Collision detection computes gap, normal and place on b by other closed forms. */
static void gaps_equal_those_of_collision(void **unused)
{
  (void)unused;
  double apart = 0.0, turned = 0.0, beside = 0.0;
  int count = 0;
  for (const pair *p = pairs; p < pairs + PAIRS; p++) {
    fixture m;
    if (!p->nearest) continue;
    set_up(p, &m);
    const hn_joint gap = hn_moving_contact_gap_joint(&m.moving, &m.contact);
    for (int trial = 0; trial < 10; trial++) {
      hn_state *near = hn_state_create(m.scene->model);
      double g, G_a[6], G_b[6], normal[3], arm[3], moment[3];
      displace_slightly(near);
      assert_int_equal(hn_system_begin(m.system, near), HN_CONVERGED);
      hn_system_linearise(m.system, near);
      for (int k = 0; k < near->ncontact; k++) {
        const hn_contact *found = &near->contact[k];
        const int a = gap.a, b = gap.b;
        if (found->key != m.contact.key) continue;
        gap.type->eval(&gap, 0, &near->pose[a], &near->twist[a], &near->pose[b], &near->twist[b],
                       &(hn_rows){ .g = &g, .G_a = G_a, .G_b = G_b });
        quat_rotate(normal, near->pose[a].q, found->frame);
        quat_rotate(arm, near->pose[b].q, found->point_b);
        vec_cross(moment, arm, normal);
        for (int c = 0; c < 3; c++) {
          turned = larger(turned, fabs(G_b[c] - normal[c]));
          beside = larger(beside, fabs(G_b[3 + c] - moment[c]));
        }
        apart = larger(apart, fabs(g - m.system->g[m.system->block[k].row]));
        count++;
      }
      hn_state_free(near);
    }
    tear_down(&m);
  }
  printf("  %d contacts\n", count);
  assert_true(count > 120);
  check_below("gaps, m", apart, 1e-13);
  check_below("normals", turned, 1e-12);
  check_below("moments about b, m", beside, 1e-12);
}

/* A nearly flat disc has a unique lowest point, as soon as it does not count as a fixed contact. */
static void nearly_flat_discs_have_a_contact(void **unused)
{
  (void)unused;
  static const double tilt[] = { 1.01e-8, 1.5e-8, 1e-7, 1e-4 };
  for (int i = 0; i < 4; i++) {
    char b[256];
    snprintf(b, sizeof b,
             "shape = scene.cylinder { radius = 0.5, height = 0.2 }, position = { 0, 0.11, 0 }, "
             "axis_angle = { 1, 0, 0.2, %.17g }",
             tilt[i]);
    const pair flat = { "rim of a flat disc",
                        "fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } }",
                        b,
                        { F, C },
                        true };
    fixture m;
    set_up(&flat, &m); /* fails if there is none */
    const hn_joint gap = hn_moving_contact_gap_joint(&m.moving, &m.contact);
    double g;
    gap.type->eval(&gap, 0, &m.state->pose[gap.a], &m.state->twist[gap.a], &m.state->pose[gap.b],
                   &m.state->twist[gap.b], &(hn_rows){ .g = &g });
    check_near("gap, m", g, 0.01 - 0.5 * tilt[i], 1e-8);
    tear_down(&m);
  }
}

/* ---- Contacts without such a joint --------------------------------------------------------------------- */

static void corners_have_no_normal(void **unused)
{
  (void)unused;
  /* clang-format off */
  static const pair sharp[] = {
    { "corner, edge", ROOF,
      BOX(1, 1, 1) "position = { 0, 1.6, 0 }, axis_angle = { 1, 0, -1, 0.9553 }", { P, L }, true },
    { "corner, rim", UPRIGHT,
      BOX(1, 1, 1) "position = { 1.14, 1.14, 0.1 }, axis_angle = { -1, 1, 0, 0.6 }", { P, C }, true },
  };
  /* clang-format on */
  for (size_t i = 0; i < sizeof sharp / sizeof *sharp; i++) {
    char text[2048];
    int found = 0;
    snprintf(text, sizeof text,
             "sys:body { name = 'a', mass = 1, inertia = { 1, 1, 1 }, %s }\n"
             "sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, %s }\n"
             "sys:contact { margin = 0.5 }\nreturn sys",
             sharp[i].a, sharp[i].b);
    write_scene(text);
    hn_scene *scene = load_written(NULL, 0);
    hn_error error;
    hn_system *s = hn_system_create(scene->model, &error);
    hn_state *state = hn_state_create(scene->model);
    assert_int_equal(hn_system_begin(s, state), HN_CONVERGED);
    for (int k = 0; k < state->ncontact; k++) {
      hn_moving_contact moving;
      const bool fixed = hn_contact_is_fixed(scene->model, &state->contact[k]);
      if (fixed || hn_moving_contact_set(&moving, scene->model, &state->contact[k], state)) continue;
      found += has_cores(moving.core, sharp[i].kind);
    }
    printf("  %s: %d of %d contacts are refused\n", sharp[i].name, found, state->ncontact);
    assert_true(found > 0);
    hn_state_free(state);
    hn_system_free(s);
    hn_scene_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_satisfy_the_contract_of_joints),
    cmocka_unit_test(gaps_equal_those_of_collision),
    cmocka_unit_test(nearly_flat_discs_have_a_contact),
    cmocka_unit_test(corners_have_no_normal),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
