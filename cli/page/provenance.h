/* provenance.h - the program and machine that produced a page. */
#ifndef CLI_PROVENANCE_H
#define CLI_PROVENANCE_H

#include <jansson.h>

/* Returns COMMAND, version and commit, compiler, libraries, operating system and processor. */
json_t *cli_page_made(const char *command);

#endif
