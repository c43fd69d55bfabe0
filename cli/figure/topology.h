/* topology.h - which entries of G and K are not zero, as a picture. */
#ifndef HN_CLI_FIGURE_TOPOLOGY_H
#define HN_CLI_FIGURE_TOPOLOGY_H

#include "holonom.h"

/* Draws G and K = G W G' of RANK's MODEL at STATE into PATH, WIDTH mm wide (0: as usual). -1 on error. */
int figure_topology(const hn_model *model, const hn_state *state, const hn_rank *rank, const char *path,
                    double width, hn_error *error);

#endif
