/* site.h - what the server gives to whom: the page, sessions so far, and a socket. */
#ifndef HN_CLI_VIEW_SITE_H
#define HN_CLI_VIEW_SITE_H

#include "cli/view/exchange.h"
#include "cli/view/guard.h"

typedef struct cli_content {
  char *body;
  size_t size;
} cli_content; /* body NULL: it is not there */

typedef struct cli_site {
  cli_guard guard;
  cli_exchange *exchange;
  cli_content page, script, style;
  cli_rate rate[CLI_MOST_PAGES];
} cli_site;

/* With the files of the page, which are read here and never later. */
int cli_site_open(cli_site *site, cli_exchange *exchange, const char *address, hn_error *error);
void cli_site_close(cli_site *site);
cli_serve_hooks cli_site_hooks(cli_site *site);

#endif
