/* gnuplot.h - runs gnuplot, and writes texts for it. */
#ifndef HN_CLI_GNUPLOT_H
#define HN_CLI_GNUPLOT_H

#include <stdio.h>
#include "holonom.h"

/* What tells curves apart: Okabe and Ito's palette and four more that colour-blind readers tell apart, and symbols of
 * gnuplot's, filled, then open. */
enum { CLI_COLOURS = 11, CLI_SYMBOLS = 10 };
extern const char *const cli_colour[CLI_COLOURS];
extern const int cli_symbol[CLI_SYMBOLS];

/* 0 when gnuplot can be run. */
int cli_gnuplot_ready(hn_error *error);
/* Exit status of `gnuplot -d ARGUMENT` in DIRECTORY, silent; or -1. */
int cli_gnuplot(const char *directory, const char *argument);
/* The terminal of a figure of WIDTH x HEIGHT mm with letters of so many points, by the end of PATH: .pdf, .svg or
 * .png. */
int cli_gnuplot_terminal(FILE *out, const char *path, double width, double height, double letters,
                         hn_error *error);
/* 0 when the figure PATH can be made: its ending is one of these or .gp, and gnuplot is there. */
int cli_gnuplot_check(const char *path, hn_error *error);
/* Makes the figure PATH by the script that WRITE writes of WHAT; of PATH.gp that is the script itself, of PATH.pdf. */
typedef int cli_gnuplot_script(FILE *out, const char *path, const void *what, hn_error *error);
int cli_gnuplot_draw(const char *path, cli_gnuplot_script *write, const void *what, hn_error *error);
/* TEXT in gnuplot's single quotes: no escapes, a quote is doubled. */
void cli_gnuplot_text(FILE *out, const char *text);

#endif
