/* items.h - the items of a drawing: faces, lines and marks in its plane. */
#ifndef HN_CLI_PICTURE_ITEMS_H
#define HN_CLI_PICTURE_ITEMS_H

#include "cli/picture/viewpoint.h"

/* A flat face of a body, or the outline of a round one. */
typedef struct picture_face {
  int body;
  int first, count; /* corners: a range of the points of the picture */
  double depth;     /* depth of its middle, increasing towards the eye; -HUGE_VAL for planes of the ground */
  double light;     /* brightness, 0 to 1 */
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
  double low[2], high[2]; /* visible range, m */
  double width, height;   /* size on paper, mm */
} picture;

/* Adds a point given in world axes, or in the plane of the picture. Returns its index. */
int picture_add_point(picture *p, const double x[3]);
int picture_add_place(picture *p, double right, double up);
/* Adds a face, a line or a mark with the points from FIRST on. */
picture_face *picture_add_face(picture *p, int body, int first);
void picture_add_line(picture *p, picture_line_kind kind, int number, int first);
void picture_add_mark(picture *p, picture_mark_kind kind, int body, const double x[3]);
void picture_free(picture *p);

#endif
