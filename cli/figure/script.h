/* script.h - a picture as a file. */
#ifndef HN_CLI_FIGURE_SCRIPT_H
#define HN_CLI_FIGURE_SCRIPT_H

#include <stdio.h>
#include "holonom.h"

/* 0 when PATH can be made: gnuplot is there, and its ending is one of these. */
int figure_check(const char *path, hn_error *error);
/* Makes the file PATH, .pdf, .svg or .png, WIDTH by HEIGHT mm, of what WRITE says to gnuplot of OF; or writes the
 * script that would, .gp, which makes the .pdf. Else the script stands beside the file while gnuplot reads it. -1 on
 * error. */
int figure_script(const char *path, double width, double height, void (*write)(FILE *out, const void *of),
                  const void *of, hn_error *error);

#endif
