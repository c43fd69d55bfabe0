/* picture_write.h - writes a picture to a file. */
#ifndef CLI_PICTURE_WRITE_H
#define CLI_PICTURE_WRITE_H

#include "cli/picture/items.h"

/* Draws P into PATH (.pdf, .svg, .png, .gp), WIDTH mm wide (0: 120), HEIGHT mm high (0: in proportion). */
int picture_draw(picture *p, const char *path, double width, double height, hn_error *error);

#endif
