/* site.h - the hooks of the server: the page, downloads of sessions, and websockets. */
#ifndef HN_CLI_VIEW_SITE_H
#define HN_CLI_VIEW_SITE_H

#include "cli/view/exchange.h"
#include "holonom.h"

/* Access control. */
typedef struct cli_guard {
  char token[33];   /* 32 hexadecimal digits */
  char address[64]; /* the server listens on */
  int port;
} cli_guard;

/* Token bucket: 200 messages a second, bursts of 400. */
typedef struct cli_rate {
  double left, last; /* messages that remain; time of the last update, s */
} cli_rate;

typedef struct cli_content {
  char *body;
  size_t size;
} cli_content; /* body NULL: the file does not exist */

typedef struct cli_site {
  cli_guard guard;
  cli_exchange *exchange;
  cli_content page, script, style;
  cli_rate rate[CLI_MAX_CLIENTS];
} cli_site;

/* Reads the files of the page; nothing is read later. */
int cli_site_open(cli_site *site, cli_exchange *exchange, const char *address, hn_error *error);
void cli_site_close(cli_site *site);
cli_serve_hooks cli_site_hooks(cli_site *site);

#endif
