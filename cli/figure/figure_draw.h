/* figure_draw.h - a figure as a file. */
#ifndef CLI_FIGURE_DRAW_H
#define CLI_FIGURE_DRAW_H

#include "cli/figure/figure.h"

/* Draws F into the file PATH, .pdf, .svg or .png; or writes the script of gnuplot that would, .gp. -1 on error. */
int figure_draw(const figure *f, const char *path, hn_error *error);

#endif
