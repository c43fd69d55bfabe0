/* mesh.h - shapes as triangles. */
#ifndef HN_CLI_MESH_H
#define HN_CLI_MESH_H

#include <stdint.h>
#include "holonom.h"

/* Vertices of position and normal in the axes of the shape, m. Triangles: counterclockwise from outside. */
typedef struct cli_mesh {
  float *vertex;   /* [6 nvertex] */
  uint32_t *index; /* [nindex] three for each triangle */
  size_t nvertex, nindex;
} cli_mesh;

/* Meshes SHAPE. A plane becomes a square with side 2 EXTENT; planar shapes are flat. */
void cli_mesh_make(cli_mesh *mesh, const hn_shape *shape, double extent);
void cli_mesh_free(cli_mesh *mesh);

#endif
