/* pair_surfaces.h - friction and restitution of pairs of shapes, for programs. */
#ifndef CLI_PAIR_SURFACES_H
#define CLI_PAIR_SURFACES_H

#include <jansson.h>
#include "holonom.h"

/* Returns the kind of surface of each shape, in the order of the bodies and their shapes, and a table of the
 * properties of each pair of kinds. */
json_t *cli_json_surfaces(const hn_model *model);

#endif
