/* guard.h - who may have what: the token of the address, hosts and origins, and how many messages a page may
 * send. */
#ifndef HN_CLI_VIEW_GUARD_H
#define HN_CLI_VIEW_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include "holonom.h"

typedef struct cli_guard {
  char token[33];   /* 32 hexadecimal digits */
  char address[64]; /* that is listened on */
  int port;
} cli_guard;

/* With a token of the system's. */
int cli_guard_create(cli_guard *guard, const char *address, hn_error *error);
/* What follows "/TOKEN/" in PATH; NULL where that is not its beginning. Takes as long whatever is wrong. */
const char *cli_guard_path(const cli_guard *guard, const char *path);
/* Is HOST, "name:port", what a browser sends that was told this address? Names that somebody else has made to
 * point here are not. Of one that listens everywhere any number is. */
bool cli_guard_host(const cli_guard *guard, const char *host);
bool cli_guard_origin(const cli_guard *guard, const char *origin); /* "http://" and such a host */
bool cli_is_loopback(const char *address);

/* Messages: 200 a second, 400 at once. */
typedef struct cli_rate {
  double left, last; /* messages; s, by the clock */
} cli_rate;
bool cli_rate_takes(cli_rate *rate, double now);

#endif
