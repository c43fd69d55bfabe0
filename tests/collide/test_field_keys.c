/* test_field_keys.c - names of contacts with large height fields: their keys hold both shapes and any
 * feature. */
#include "models.h"
#include "base/vec.h"
#include "collide/contact_list.h"
#include "collide/cores.h"

#include <stdlib.h>

static double rough(double x, double z)
{
  return 0.01 * sin(37 * x + 5 * z * z) * cos(41 * z);
}

/* Adds a field of 701 x 401 points over 12 m x 4 m around x = 4 m. */
static void add_field(hn_model *model)
{
  enum { NX = 701, NZ = 401 };
  hn_error error;
  hn_body_spec spec = { .name = "field", .position = { 4, 0, 0 } };
  double *height = malloc(sizeof *height * NX * NZ);
  for (int k = 0; k < NX * NZ; k++)
    height[k] = rough(4 + 12.0 * (k % NX - 350) / (NX - 1), 4.0 * (k / NX - 200) / (NZ - 1));
  if (hn_shape_height_field(&spec.shape, (double[]){ 12, 4 }, NX, NZ, height, &error))
    fail_msg("%s", error.text);
  free(height);
  must_add(model, &spec);
  hn_shape_free(&spec.shape);
}

/* The key of a contact with one of 500 000 triangles names both shapes and a feature at the contact point. */
static void keys_name_the_features_of_large_fields(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_model();
  hn_work work = { 0 };
  double worst = 0;
  int kinds[HN_CORE_ELLIPSOID + 1] = { 0 };
  add_field(model);
  for (int i = 0; i < 40; i++) {
    char name[16];
    snprintf(name, sizeof name, "ball%d", i);
    must_add(model,
             &(hn_body_spec){ .name = name,
                              .kind = HN_RIGID,
                              .density = 500,
                              .position = { -1 + 0.25 * i, 0.05 + 0.01 * (i % 3), 0.31 * (i % 11) - 1.6 },
                              .shape = { .kind = HN_SPHERE, .size = { 0.05 + 0.002 * i } } });
  }
  if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.01 }, &error)) fail_msg("%s", error.text);
  hn_state *state = hn_state_create(model);
  hn_collision *collision = hn_collision_create(model, &error);
  assert_int_equal(hn_collide(collision, state, &work), HN_CONVERGED);
  for (int i = 0; i < state->ncontact; i++) {
    const hn_contact *c = &state->contact[i];
    const hn_pair pair = hn_contact_key_colliders(model->field_bits, c->key);
    hn_core core[2];
    double to[3], along[3];
    assert_true(i == 0 || state->contact[i - 1].key < c->key);
    if (pair.a != 0) continue; /* two balls */
    assert_int_equal(model->collider[pair.b].body, c->a == 1 ? c->b : c->a);
    hn_contact_cores(model, c, state, core);
    const int field = c->a == 1 ? 0 : 1;
    vec_sub(to, field ? c->point_b : c->point_a, core[field].at);
    vec_copy(along, core[field].axis);
    if (core[field].kind == HN_CORE_PLANE) worst = larger(worst, fabs(vec_dot(to, along)));
    if (core[field].kind == HN_CORE_LINE) vec_add_scaled(to, -vec_dot(to, along), along);
    if (core[field].kind != HN_CORE_PLANE) worst = larger(worst, vec_norm(to));
    kinds[core[field].kind]++;
  }
  printf(" %d contacts: %d faces, %d edges, %d vertices\n", state->ncontact, kinds[HN_CORE_PLANE],
         kinds[HN_CORE_LINE], kinds[HN_CORE_POINT]);
  assert_true(kinds[HN_CORE_PLANE] > 5 && kinds[HN_CORE_LINE] > 5);
  check_below("distance of contact points from their features, m", worst, 1e-12);
  check_near("shapes that keys can name", hn_contact_key_colliders_limit(model->field_bits), 32768, 0);
  hn_collision_free(collision), hn_state_free(state), hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(keys_name_the_features_of_large_fields),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
