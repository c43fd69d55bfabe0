/* topology.h - draws the nonzero entries of G and K. */
#ifndef HN_CLI_FIGURE_TOPOLOGY_H
#define HN_CLI_FIGURE_TOPOLOGY_H

#include "holonom.h"

/* Draws G and K = G W G' of MODEL at STATE into PATH, WIDTH mm wide (0: default). Returns -1 on error. */
int figure_topology(const hn_model *model, const hn_state *state, const hn_rank *rank, const char *path,
                    double width, hn_error *error);

#endif
