/* guard.h - access control of the server: token in the address, hosts, origins, and the rate of messages. */
#ifndef HN_CLI_VIEW_GUARD_H
#define HN_CLI_VIEW_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include "holonom.h"

typedef struct cli_guard {
  char token[33];   /* 32 hexadecimal digits */
  char address[64]; /* the server listens on */
  int port;
} cli_guard;

/* Draws a random token. */
int cli_guard_create(cli_guard *guard, const char *address, hn_error *error);
/* Returns the rest of PATH after "/TOKEN/", or NULL. Its time does not reveal correct digits. */
const char *cli_guard_path(const cli_guard *guard, const char *path);
/* True if HOST, "name:port", is an address of this server. Other names are refused although they may resolve
 * to it (DNS rebinding). A server that listens on all addresses accepts any numeric address. */
bool cli_guard_host(const cli_guard *guard, const char *host);
bool cli_guard_origin(const cli_guard *guard, const char *origin); /* "http://" and an accepted host */
bool cli_is_loopback(const char *address);

/* Token bucket: 200 messages a second, bursts of 400. */
typedef struct cli_rate {
  double left, last; /* messages that remain; time of the last update, s */
} cli_rate;
/* True if a message at time NOW (s) is within the limit. */
bool cli_rate_accepts(cli_rate *rate, double now);

#endif
