/* loops.h - mechanisms with loops for tests: grids of boxes, Bricard's mechanism, Bennett's linkage. */
#ifndef HN_LOOPS_H
#define HN_LOOPS_H

#include "models.h"
#include "base/vec.h"

/* Returns n x n boxes, each joined to its neighbours by balls halfway between them. HEIGHT is the amplitude
 * of irregular displacements out of the plane. */
static inline hn_model *grid(int n, double height)
{
  hn_model *model = new_model();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      char name[32];
      snprintf(name, sizeof name, "box%d-%d", i, j);
      int box = add_box(model, name, i, j, height * sin(1.7 * i + 0.3 * j) * cos(2.3 * j));
      if (j > 0)
        add_ball(model, box - 1, box, i + height * sin(3.1 * i + j), j - 0.5, height * cos(i + 2.2 * j));
      if (i > 0)
        add_ball(model, box - n, box, i - 0.5, j + height * cos(1.3 * i + j),
                 height * sin(0.7 * i + 1.9 * j));
    }
  return model;
}

/* Returns five rods between six hinges on the edges of a cube, the first and the last on the ground (IFToMM
 * A04). */
static inline hn_model *bricard(void)
{
  static const double point[6][3] = { { 0, 0, 0 },  { 1, 0, 0 },  { 1, -1, 0 },
                                      { 1, -1, 1 }, { 0, -1, 1 }, { 0, 0, 1 } };
  static const double axis[6][3] = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 },
                                     { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
  static const int edge[5] = { 0, 1, 2, 0, 1 }; /* axis along which the rod lies */
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 6; i++) {
    if (i < 5) {
      char name[16];
      snprintf(name, sizeof name, "rod%d", i + 1);
      hn_body_spec rod = { .name = name,
                           .kind = HN_RIGID,
                           .shape = { .kind = HN_BOX, .size = { 0.1, 0.1, 0.1 } },
                           .density = 100,
                           .orientation = { 1, 0, 0, 0 } };
      rod.shape.size[edge[i]] = 1.0;
      for (int c = 0; c < 3; c++) rod.position[c] = 0.5 * (point[i][c] + point[i + 1][c]);
      must_add(model, &rod);
    }
    hn_joint_spec hinge = { .type = "hinge", .a = i, .b = i < 5 ? i + 1 : 0, .has_points = true };
    vec_copy(hinge.at_a, point[i]), vec_copy(hinge.at_b, point[i]), vec_copy(hinge.axis_a, axis[i]);
    if (hn_model_add_joint(model, &hinge, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

/* Returns four hinges in a loop with equal opposite links and lengths proportional to the sines of their
 * twists (45 and 90 degrees). The fourth link is the ground. 20 rows of rank 17; the single freedom exists on
 * the constraint set only. */
static inline hn_model *bennett(void)
{
  static const double point[4][3] = { { 0, 0, 0 },
                                      { 0.38205142437008976, 0.59500983952938591, 0 },
                                      { -0.36178103881184431, 0, 0.30442824701382643 },
                                      { -1, 0, 0 } };
  static const double axis[4][3] = { { 0, 0, 1 },
                                     { 0.59500983952938591, -0.38205142437008976, 0.70710678118654757 },
                                     { -0.30442824701382626, 0.70710678118654768, 0.63821896118815569 },
                                     { 0, 1, 0 } };
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 4; i++) {
    if (i < 3) {
      char name[8];
      snprintf(name, sizeof name, "link%d", i);
      hn_body_spec link = rigid_body(name, 1, 0.1, 0.1, 0.1);
      for (int c = 0; c < 3; c++) link.position[c] = 0.5 * (point[i][c] + point[i + 1][c]);
      must_add(model, &link);
    }
    hn_joint_spec hinge = { .type = "hinge", .a = i, .b = i < 3 ? i + 1 : 0, .has_points = true };
    vec_copy(hinge.at_a, point[i]), vec_copy(hinge.at_b, point[i]), vec_copy(hinge.axis_a, axis[i]);
    if (hn_model_add_joint(model, &hinge, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

#endif
