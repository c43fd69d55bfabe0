/* provenance.h - with what a page was made. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include <jansson.h>

/* COMMAND as it was given, version and commit, compiler and libraries, operating system and processor. */
json_t *cli_page_made(const char *command);

#endif
