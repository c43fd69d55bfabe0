/* picture.h - cli/picture/: a drawing of a mechanism. It stands on cli/base/ and the library.
 *
 *   model, state, view -> faces, lines and marks in the plane of the picture -> gnuplot, far faces first */
#ifndef HN_CLI_PICTURE_H
#define HN_CLI_PICTURE_H

#include "cli/base/options.h"
#include "cli/picture/view.h"

/* A flat piece of a body, or what a round one covers. */
typedef struct picture_face {
  int body;
  int first, count;           /* corners among those of the picture */
  double depth;               /* of its middle: towards the eye; the planes of the ground have -HUGE_VAL */
  double light;               /* 0 to 1 */
  bool rim;                   /* its rim is drawn */
  bool ghost;                 /* stands for moments of inertia, and lets through what is behind it */
} picture_face;

typedef enum picture_line_kind { PICTURE_ROD, PICTURE_SPRING, PICTURE_LINK, PICTURE_AXIS, PICTURE_PATH } picture_line_kind;

typedef struct picture_line {
  picture_line_kind kind;
  int number;                 /* of a path or a link, its body */
  int first, count;
} picture_line;

typedef enum picture_mark_kind { PICTURE_JOINT, PICTURE_GROUND, PICTURE_PARTICLE } picture_mark_kind;

typedef struct picture_mark {
  picture_mark_kind kind;
  int body, at;               /* at: a point of the picture */
} picture_mark;

typedef struct picture {
  const hn_model *model;
  picture_view view;
  double (*point)[2];         /* [npoint] m */
  int npoint;
  picture_face *face;
  int nface;
  picture_line *line;
  int nline;
  picture_mark *mark;
  int nmark;
  double size;                /* m: of the mechanism in the picture */
  double low[2], high[2];     /* m: what is to be seen */
  double width, height;       /* mm */
} picture;

/* The mechanism as STATE has it. */
void picture_make(picture *p, const hn_model *model, const hn_state *state, const picture_view *view);
/* Adds the path of a body: COUNT points of the world. */
void picture_add_path(picture *p, int body, const double (*point)[3], int count);
void picture_free(picture *p);
/* Into the file PATH, .pdf, .svg, .png or .gp, WIDTH mm wide (0: 120) and HEIGHT high (0: as the mechanism is). */
int picture_draw(picture *p, const char *path, double width, double height, hn_error *error);

/* ---- Parts ------------------------------------------------------------------------------------------------------- */

/* Adds a point of the world; its number. */
int picture_add_point(picture *p, const double x[3]);
/* Adds the faces of BODY's shapes that the eye sees. */
void picture_add_shapes(picture *p, int body, const hn_pose *pose);
/* Adds the ball, cylinder or box with the mass and moments of inertia of a body that has no shape. */
void picture_add_inertia(picture *p, int body, const hn_pose *pose);
/* Adds the planes that fill half spaces, as far as the rest goes. */
void picture_add_planes(picture *p, const hn_state *state);

#endif
