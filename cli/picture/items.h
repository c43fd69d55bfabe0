/* items.h - cli/picture/: draws a mechanism. It depends on cli/base/ and the library.
 *
 *   model, state, view -> faces, lines and marks in the plane of the picture -> gnuplot, far faces first */
#ifndef HN_CLI_PICTURE_ITEMS_H
#define HN_CLI_PICTURE_ITEMS_H

#include <stdio.h>
#include "holonom.h"

/* The direction from which a mechanism is drawn, in parallel projection. */
typedef struct picture_view {
  double right[3], up[3]; /* axes of the picture, world axes */
  double eye[3];          /* towards the observer */
  double above[3];        /* opposite to gravity, or y */
} picture_view;

/* A flat face of a body, or the outline of a round one. */
typedef struct picture_face {
  int body;
  int first, count; /* corners: a range of the points of the picture */
  double depth;     /* depth of its middle, increasing towards the eye; -HUGE_VAL for planes of the ground */
  double light;     /* brightness, 0 to 1 */
  bool behind;      /* large, and all moving bodies are in front of it: drawn first, after planes */
  bool rim;         /* its rim is drawn */
  bool ghost;       /* represents moments of inertia; drawn transparent */
} picture_face;

typedef enum { PICTURE_ROD, PICTURE_SPRING, PICTURE_LINK, PICTURE_AXIS, PICTURE_PATH } picture_line_kind;

typedef struct picture_line {
  picture_line_kind kind;
  int number; /* body of a path or a link */
  int first, count;
} picture_line;

typedef enum { PICTURE_JOINT, PICTURE_GROUND, PICTURE_PARTICLE } picture_mark_kind;

typedef struct picture_mark {
  picture_mark_kind kind;
  int body, at; /* at: index of a point of the picture */
} picture_mark;

/* A rectangle in the plane of the picture, m; empty if low > high. */
typedef struct picture_bounds {
  double low[2], high[2];
} picture_bounds;

typedef struct picture {
  const hn_model *model;
  picture_view view;
  double (*point)[2]; /* [npoint] in the plane of the picture, m */
  int npoint;
  picture_face *face;
  int nface;
  picture_line *line;
  int nline;
  picture_mark *mark;
  int nmark;
  double size;            /* size of the mechanism, m */
  double low[3], high[3]; /* corners of the box around all moving bodies, world axes; low > high if none */
  picture_bounds bounds;  /* visible range */
  double width, height;   /* size on paper, mm */
  double below;           /* part of the height for axes and scale, mm */
} picture;

/* Sets VIEW to NAME: xy, xz, yz, iso, or NULL: xy for a mechanism in that plane, else iso. -1 on error. */
int picture_view_read(picture_view *view, const char *name, const hn_model *model, const hn_state *state,
                      hn_error *error);
/* Draws MODEL at STATE. Free with picture_free. */
void picture_make(picture *p, const hn_model *model, const hn_state *state, const picture_view *view);
/* Adds the path of a body: COUNT points in world axes. */
void picture_add_path(picture *p, int body, const double (*point)[3], int count);
/* Draws P into PATH (.pdf, .svg, .png, .gp), WIDTH mm wide (0: 120), HEIGHT mm high (0: in proportion). */
int picture_draw(picture *p, const char *path, double width, double height, hn_error *error);
void picture_free(picture *p);

/* ---- The parts of a picture: internal to cli/picture/ ---------------------------------------------- */

/* Adds a point given in world axes, or in the plane of the picture. Returns its index. */
int picture_add_point(picture *p, const double x[3]);
int picture_add_place(picture *p, double right, double up);
/* Adds a face with the points from FIRST on. */
picture_face *picture_add_face(picture *p, int body, int first);
/* Transforms the point X from the axes of POSE to world axes. */
void picture_to_world(double out[3], const hn_pose *pose, const double x[3]);
/* Adds the visible faces of the shapes of BODY. */
void picture_add_shapes(picture *p, int body, const hn_pose *pose);
/* Adds the ball, cylinder or box with the mass and moments of inertia of BODY, which has no shape. */
void picture_add_inertia(picture *p, int body, const hn_pose *pose);
/* Computes the box around all moving bodies. */
void picture_bound_moving(picture *p, const hn_state *state);
/* Returns the bounds of the points from FIRST on. */
picture_bounds picture_bounds_of(const picture *p, int first);
/* Extends the visible range to the points from FIRST on. */
void picture_extend(picture *p, int first);
/* Extends the visible range, that of all moving bodies, to fixed bodies with the bounds FIXED [nbody]: to
 * small ones, and to those parts of large ones that are near. */
void picture_surround(picture *p, const hn_state *state, const picture_bounds *fixed);
/* Writes the names of paths at their ends, none over another one. */
void picture_write_names(FILE *out, const picture *p, double letters);
/* Adds the planes that bound half spaces, within the bounds of all other items. */
void picture_add_planes(picture *p, const hn_state *state);

#endif
