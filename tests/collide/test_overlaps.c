/* test_overlaps.c - the overlap of a scene's start: the deepest one of all pairs, whatever their order,
 * compared with radii and distances of spheres. */
#include "written.h"

#include "base/random.h"

enum { SPHERES = 9, SCENES = 40 };

typedef struct sphere {
  double x[3], radius;
} sphere;

/* Returns the depth of the overlap of two spheres; negative: they are apart. */
static double depth_of(const sphere *a, const sphere *b)
{
  double square = 0;
  for (int c = 0; c < 3; c++) square += (a->x[c] - b->x[c]) * (a->x[c] - b->x[c]);
  return a->radius + b->radius - sqrt(square);
}

/* Loads a scene of these spheres, named by their numbers from 1. */
static hn_scene *load_spheres(const sphere *s)
{
  char text[3000];
  int length = 0;
  for (int i = 0; i < SPHERES; i++)
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "sys:body { name = '%d', mass = 1, shape = scene.sphere { radius = %.17g },\n"
                       "  position = { %.17g, %.17g, %.17g } }\n",
                       i + 1, s[i].radius, s[i].x[0], s[i].x[1], s[i].x[2]);
  length += snprintf(text + length, sizeof text - (size_t)length, "sys:contact { margin = 0.1 }\nreturn sys");
  assert_true((size_t)length < sizeof text);
  write_scene(text);
  return load_written(NULL, 0);
}

/* Distances are below 5 m, so that their rounding is of some 1e-15 m. */
static void deepest_overlap_is_found(void **unused)
{
  (void)unused;
  uint32_t seed = RANDOM_SEED;
  double most = 0;
  int none = 0, several = 0;
  for (int k = 0; k < SCENES; k++) {
    sphere s[SPHERES];
    for (int i = 0; i < SPHERES; i++) {
      for (int c = 0; c < 3; c++) s[i].x[c] = random_between(&seed, 0, 2);
      s[i].radius = random_between(&seed, 0.1, k % 4 == 0 ? 0.12 : 0.7);
    }
    double deepest = 0;
    int a = -1, b = -1, count = 0;
    for (int i = 0; i < SPHERES; i++)
      for (int j = i + 1; j < SPHERES; j++) {
        const double depth = depth_of(&s[i], &s[j]);
        count += depth > 0;
        if (depth > deepest) deepest = depth, a = i + 1, b = j + 1;
      }
    none += count == 0, several += count > 1;
    hn_scene *scene = load_spheres(s);
    const hn_overlap *found = &scene->model->overlap;
    assert_true((found->a == a && found->b == b) || (found->a == b && found->b == a));
    most = larger(most, fabs(found->depth - deepest));
    hn_scene_free(scene);
  }
  printf("  of %d scenes %d without overlap, %d with several\n", SCENES, none, several);
  assert_true(none > 0 && several > SCENES / 2);
  check_below("error of the depth, m", most, 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(deepest_overlap_is_found) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
