/* page.h - the report of a comparison as one page that a browser opens from disk. */
#ifndef HN_CLI_PAGE_H
#define HN_CLI_PAGE_H

#include "cli/base/output.h"
#include "cli/study/comparison.h"

enum { CLI_PAGE_NUMBERS = 16000000 }; /* of motion in a page: of 2 bytes or so each */

/* Does PATH name a page, and not a directory? By its ending, ".html". */
bool cli_page_named(const char *path);
/* 0 when there is a page to put data into; the error says how to come by one. */
int cli_page_ready(hn_error *error);
/* Writes the page into FILE, which stays open. COMMAND is what the user has given. */
int cli_page_write(const cli_comparison *comparison, const char *command, cli_file *file, hn_error *error);

#endif
