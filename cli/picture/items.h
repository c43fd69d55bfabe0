/* items.h - what a picture is made of: faces, lines and marks in its plane. */
#ifndef HN_CLI_PICTURE_ITEMS_H
#define HN_CLI_PICTURE_ITEMS_H

#include "cli/picture/viewpoint.h"

/* A flat piece of a body, or what a round one covers. */
typedef struct picture_face {
  int body;
  int first, count; /* corners among those of the picture */
  double depth;     /* of its middle: towards the eye; the planes of the ground have -HUGE_VAL */
  double light;     /* 0 to 1 */
  bool rim;         /* its rim is drawn */
  bool ghost;       /* stands for moments of inertia, and lets through what is behind it */
} picture_face;

typedef enum picture_line_kind {
  PICTURE_ROD,
  PICTURE_SPRING,
  PICTURE_LINK,
  PICTURE_AXIS,
  PICTURE_PATH
} picture_line_kind;

typedef struct picture_line {
  picture_line_kind kind;
  int number; /* of a path or a link, its body */
  int first, count;
} picture_line;

typedef enum picture_mark_kind { PICTURE_JOINT, PICTURE_GROUND, PICTURE_PARTICLE } picture_mark_kind;

typedef struct picture_mark {
  picture_mark_kind kind;
  int body, at; /* at: a point of the picture */
} picture_mark;

typedef struct picture {
  const hn_model *model;
  picture_view view;
  double (*point)[2]; /* [npoint] m */
  int npoint;
  picture_face *face;
  int nface;
  picture_line *line;
  int nline;
  picture_mark *mark;
  int nmark;
  double size;            /* m: of the mechanism in the picture */
  double low[2], high[2]; /* m: what is to be seen */
  double width, height;   /* mm */
} picture;

/* Adds a point of the world, or of the plane of the picture; its number. */
int picture_add_point(picture *p, const double x[3]);
int picture_add_place(picture *p, double right, double up);
/* Adds a face, a line or a mark; those of the points from FIRST on. */
picture_face *picture_add_face(picture *p, int body, int first);
void picture_add_line(picture *p, picture_line_kind kind, int number, int first);
void picture_add_mark(picture *p, picture_mark_kind kind, int body, const double x[3]);
void picture_free(picture *p);

#endif
