/* picture_write.h - a picture as a file. */
#ifndef CLI_PICTURE_WRITE_H
#define CLI_PICTURE_WRITE_H

#include "cli/picture/items.h"

/* Into the file PATH, .pdf, .svg, .png or .gp, WIDTH mm wide (0: 120) and HEIGHT high (0: as the mechanism is). */
int picture_draw(picture *p, const char *path, double width, double height, hn_error *error);

#endif
