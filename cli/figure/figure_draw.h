/* figure_draw.h - writes a figure to a file. */
#ifndef CLI_FIGURE_DRAW_H
#define CLI_FIGURE_DRAW_H

#include "cli/figure/figure.h"

/* Draws F into PATH (.pdf, .svg or .png), or writes the gnuplot script for it (.gp). Returns -1 on error. */
int figure_draw(const figure *f, const char *path, hn_error *error);

#endif
