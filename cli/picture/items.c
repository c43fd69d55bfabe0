/* items.c - faces, lines and marks of a drawing. */
#include <string.h>
#include "cli/base/memory.h"
#include "cli/picture/items.h"
#include "base/vec.h"

int picture_add_place(picture *p, double right, double up)
{
  p->point = cli_grow(p->point, (size_t)p->npoint + 1, sizeof *p->point);
  p->point[p->npoint][0] = right, p->point[p->npoint][1] = up;
  return p->npoint++;
}

int picture_add_point(picture *p, const double x[3])
{
  return picture_add_place(p, vec_dot(x, p->view.right), vec_dot(x, p->view.up));
}

picture_face *picture_add_face(picture *p, int body, int first)
{
  p->face = cli_grow(p->face, (size_t)p->nface + 1, sizeof *p->face);
  p->face[p->nface] =
    (picture_face){ .body = body, .first = first, .count = p->npoint - first, .light = 1.0, .rim = true };
  return &p->face[p->nface++];
}

void picture_add_line(picture *p, picture_line_kind kind, int number, int first)
{
  p->line = cli_grow(p->line, (size_t)p->nline + 1, sizeof *p->line);
  p->line[p->nline++] = (picture_line){ kind, number, first, p->npoint - first };
}

void picture_add_mark(picture *p, picture_mark_kind kind, int body, const double x[3])
{
  p->mark = cli_grow(p->mark, (size_t)p->nmark + 1, sizeof *p->mark);
  p->mark[p->nmark++] = (picture_mark){ kind, body, picture_add_point(p, x) };
}

void picture_free(picture *p)
{
  free(p->point), free(p->face), free(p->line), free(p->mark);
  memset(p, 0, sizeof *p);
}
