/* page.h - the report of a comparison as one HTML page that a browser opens from disk. */
#ifndef HN_CLI_PAGE_H
#define HN_CLI_PAGE_H

#include "cli/base/output.h"
#include "cli/study/comparison.h"

enum { CLI_PAGE_NUMBERS = 16000000 }; /* limit of motion in a page, about 2 bytes each */

/* True if PATH ends in ".html". */
bool cli_page_named(const char *path);
/* Returns -1 with a message if the template of the page was not built. */
int cli_page_ready(hn_error *error);
/* Writes the page into FILE, which stays open. COMMAND is the command line. */
int cli_page_write(const cli_comparison *comparison, const char *command, cli_file *file, hn_error *error);

#endif
