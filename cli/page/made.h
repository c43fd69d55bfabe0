/* made.h - with what a page was made. */
#ifndef HN_CLI_MADE_H
#define HN_CLI_MADE_H

#include <jansson.h>

/* COMMAND as it was given, version and commit, compiler and libraries, operating system and processor. */
json_t *cli_page_made(const char *command);

#endif
