/* gnuplot.h - runs gnuplot and writes scripts for it. */
#ifndef HN_CLI_GNUPLOT_H
#define HN_CLI_GNUPLOT_H

#include <stdio.h>
#include "holonom.h"

/* Colours of curves: the palette of Okabe and Ito and four more, all distinguishable by colour-blind readers.
 * Symbols are numbers of gnuplot point types, the filled ones first. */
enum { CLI_COLOURS = 11, CLI_SYMBOLS = 10 };
extern const char *const cli_colour[CLI_COLOURS];
extern const int cli_symbol[CLI_SYMBOLS];

/* Returns 0 when gnuplot can be run. */
int cli_gnuplot_ready(hn_error *error);
/* Runs `gnuplot -d ARGUMENT` in DIRECTORY without output. Returns its exit status, or -1. */
int cli_gnuplot(const char *directory, const char *argument);
/* Writes the terminal and output commands for the figure PATH (.pdf, .svg or .png), WIDTH x HEIGHT mm, with
 * letters of LETTERS points. */
int cli_gnuplot_terminal(FILE *out, const char *path, double width, double height, double letters,
                         hn_error *error);
/* Returns 0 when the figure PATH can be made: its ending is .pdf, .svg, .png or .gp, and gnuplot runs. */
int cli_gnuplot_check(const char *path, hn_error *error);
/* Draws the figure PATH with the script that WRITE writes for DATA; for PATH.gp, writes the script. */
typedef int cli_gnuplot_script(FILE *out, const char *path, const void *data, hn_error *error);
int cli_gnuplot_draw(const char *path, cli_gnuplot_script *write, const void *data, hn_error *error);
/* Writes TEXT in single quotes, as gnuplot reads it: no escapes, a quote is doubled. */
void cli_gnuplot_text(FILE *out, const char *text);

#endif
